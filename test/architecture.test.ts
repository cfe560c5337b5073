import { readdirSync, readFileSync } from "node:fs";
import { dirname, join, relative, resolve } from "node:path";
import { expect, test } from "vitest";

const src = resolve(import.meta.dirname, "../src");

/** Which room may import which. A room is a folder of src, or a file that stands there alone. */
const mayImport: Record<string, readonly string[]> = {
  main: ["config", "service", "commands"],
  commands: ["config", "awareness", "client", "node", "server/login", "server/baseUrl"],
  service: ["config", "clock", "awareness", "graphql", "server", "upstream", "storage/errors"],
  server: ["graphql", "awareness", "config", "clock"],
  graphql: ["awareness"],
  upstream: ["awareness", "clock"],
  // Types of the domain alone: what it does there is asked of a server.
  node: ["upstream", "awareness", "client", "clock"],
  awareness: ["storage", "clock"],
  storage: ["clock"],
  client: [],
  console: ["client"],
  config: [],
  clock: [],
};

function filesBelow(folder: string): string[] {
  return readdirSync(folder, { withFileTypes: true, recursive: true })
    .filter((entry) => entry.isFile() && /\.tsx?$/.test(entry.name))
    .map((entry) => join(entry.parentPath, entry.name));
}

function importsOf(file: string): string[] {
  const text = readFileSync(file, "utf8");
  return [...text.matchAll(/(?:from|import)\s*\(?\s*"([^"]+)"/g)].map((match) => match[1] ?? "");
}

/** `awareness/notices` for src/awareness/notices.ts. */
const moduleOf = (file: string): string => relative(src, file).replace(/\.(tsx?|js)$/, "");
const roomOf = (module: string): string => module.split("/")[0] ?? "";

const files = filesBelow(src).filter((file) => !file.includes("/generated/"));
const arrows = files.flatMap((file) =>
  importsOf(file)
    .filter((name) => name.startsWith("."))
    .map((name) => ({ from: moduleOf(file), to: moduleOf(resolve(dirname(file), name)) })),
);

test("data flows one way: every import line is in the table", () => {
  const foreign = arrows.filter(({ from, to }) => {
    const room = roomOf(from);
    if (room === roomOf(to)) return false;
    return !(mayImport[room] ?? []).some((allowed) => to === allowed || to.startsWith(`${allowed}/`));
  });
  expect(foreign).toEqual([]);
});

test("no circles between files", () => {
  const targets = new Map<string, string[]>();
  for (const { from, to } of arrows) targets.set(from, [...(targets.get(from) ?? []), to]);
  const done = new Set<string>();
  const circles: string[] = [];
  const visit = (module: string, path: readonly string[]) => {
    if (path.includes(module)) circles.push([...path.slice(path.indexOf(module)), module].join(" > "));
    if (done.has(module) || path.includes(module)) return;
    for (const next of targets.get(module) ?? []) visit(next, [...path, module]);
    done.add(module);
  };
  for (const module of targets.keys()) visit(module, []);
  expect(circles).toEqual([]);
});

test("no signal that lives on keeps what was made of it: on Node 20 `AbortSignal.any` leaves an entry for every call", () => {
  const code = (file: string) => readFileSync(file, "utf8").replace(/^\s*(\/\/|\/?\*).*$/gm, "");
  expect(files.filter((file) => code(file).includes("AbortSignal.any(")).map(moduleOf)).toEqual([]);
});

test("storage is the only room that knows Prisma, PostgreSQL's driver and SQL", () => {
  const knowing = files.filter((file) =>
    importsOf(file).some((name) =>
      /^(@prisma\/|prisma$|pg$|better-sqlite3$)|\/generated\/(sqlite|postgresql)/.test(name),
    ),
  );
  expect(knowing.map(moduleOf).filter((module) => roomOf(module) !== "storage")).toEqual([]);
});

test("the domain knows no GraphQL", () => {
  const knowing = files.filter((file) => importsOf(file).some((name) => /graphql|yoga|pothos/.test(name)));
  const rooms = new Set(knowing.map((file) => roomOf(moduleOf(file))));
  expect([...rooms].filter((room) => !["graphql", "server", "client", "service"].includes(room))).toEqual([]);
});
