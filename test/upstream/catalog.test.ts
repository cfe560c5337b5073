import { mkdirSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { CatalogEntry } from "../../src/awareness/awareness.js";
import { claudeAnswer, claudeTurn, codexMeta, codexSaid, line } from "./lines.js";
import { sqliteWorld, type World } from "./world.js";

describe("the catalog of threads that can be adopted", () => {
  let world: World;
  beforeEach(async () => {
    world = await sqliteWorld();
  });
  afterEach(() => world.dispose());

  const at = (file: string, second: number) => utimesSync(file, second, second);
  const page = async (request: Parameters<World["awareness"]["upstreamCatalog"]>[0]) => {
    const { edges, hasNextPage } = await world.awareness.upstreamCatalog(request);
    return { threads: edges.map(({ node }) => node.threadId), after: edges.at(-1)?.cursor, hasNextPage };
  };
  const all = async (): Promise<CatalogEntry[]> =>
    (await world.awareness.upstreamCatalog({ first: 200 })).edges.map(({ node }) => node);

  it("is newest first, over all tools, and pages on without overlap or hole", async () => {
    const threads = Array.from({ length: 25 }, (_, index) => `thread-${index}`);
    for (const [index, thread] of threads.entries()) {
      const file = index % 2 === 0 ? world.claudeFile(thread, `project-${index % 3}`) : world.codexFile(thread);
      writeFileSync(file, index % 2 === 0 ? claudeTurn("x") : codexMeta(thread));
      // Some of the same second: the cursor tells them apart.
      at(file, 1_800_000_000 + Math.floor(index / 3));
    }
    const seen: string[] = [];
    let after: string | undefined;
    for (let more = true; more; ) {
      const next = await page({ first: 4, after });
      seen.push(...next.threads);
      after = next.after;
      more = next.hasNextPage;
    }
    expect(new Set(seen)).toEqual(new Set(threads));
    expect(seen).toHaveLength(threads.length);
    expect(await page({ first: 200 })).toMatchObject({ threads: seen, hasNextPage: false });
    const times = (await all()).map(({ updatedAt }) => updatedAt.getTime());
    expect(times).toEqual([...times].sort((one, other) => other - one));
  });

  it("can be of one tool, and refuses a cursor of another list and a count out of range", async () => {
    writeFileSync(world.claudeFile("claude"), claudeTurn("x"));
    writeFileSync(world.codexFile("codex"), codexMeta("codex"));
    expect(await page({ kind: "CLAUDE_CODE" })).toMatchObject({ threads: ["claude"] });
    expect(await page({ kind: "CODEX" })).toMatchObject({ threads: ["codex"] });
    await expect(page({ after: "nonsense" })).rejects.toMatchObject({ code: "BAD_USER_INPUT", field: "after" });
    await expect(page({ first: 201 })).rejects.toMatchObject({ code: "BAD_USER_INPUT", field: "first" });
  });

  it("shows where a thread works, and never a line of its content", async () => {
    writeFileSync(world.claudeFile("claude"), claudeAnswer() + claudeTurn("a secret", { cwd: "/home/person/one" }));
    writeFileSync(world.codexFile("codex"), codexMeta("codex", { cwd: "/home/person/two" }) + codexSaid("a secret"));
    const long = { id: "long", cwd: '/home/person/with "quotes"', base_instructions: { text: "x".repeat(200_000) } };
    writeFileSync(world.codexFile("long"), line({ type: "session_meta", payload: long }));
    writeFileSync(world.claudeFile("empty"), "");
    writeFileSync(world.claudeFile("damaged"), "\0\0\u{1f600}{{{");
    const entries = await all();
    expect(Object.fromEntries(entries.map(({ threadId, workingDirectory }) => [threadId, workingDirectory]))).toEqual({
      claude: "/home/person/one",
      codex: "/home/person/two",
      long: '/home/person/with "quotes"',
      empty: null,
      damaged: null,
    });
    expect(JSON.stringify(entries)).not.toContain("secret");
  });

  it("names the sessions that have adopted a thread", async () => {
    writeFileSync(world.claudeFile("thread"), claudeTurn("x"));
    writeFileSync(world.codexFile("thread"), codexMeta("thread"));
    for (const agentId of ["one", "two"]) {
      await world.awareness.adoptSession({ source: { kind: "CLAUDE_CODE", threadId: "thread" }, agentId });
    }
    const adopters = (await all()).map(({ kind, adoptedBy }) => [kind, adoptedBy.map(({ sessionKey }) => sessionKey)]);
    expect(Object.fromEntries(adopters)).toEqual({
      CLAUDE_CODE: ["agent:one:claude-code:thread", "agent:two:claude-code:thread"],
      CODEX: [],
    });
  });

  it("lists threads, not sub-agents, indexes and other files", async () => {
    writeFileSync(world.claudeFile("thread"), claudeTurn("x"));
    writeFileSync(world.claudeFile("agent-12ab34cd"), claudeTurn("x", { isSidechain: true }));
    writeFileSync(join(world.claudeDir, "stray.jsonl"), claudeTurn("x"));
    writeFileSync(join(world.claudeDir, "project", "sessions-index.json"), "{}");
    mkdirSync(join(world.claudeDir, "project", "thread", "subagents"), { recursive: true });
    writeFileSync(join(world.claudeDir, "project", "thread", "subagents", "agent-1.jsonl"), claudeTurn("x"));
    writeFileSync(join(world.codexDir, "rollout-2026-11-30T16-00-00-stray.jsonl"), codexMeta("stray"));
    expect((await all()).map(({ threadId }) => threadId)).toEqual(["thread"]);
  });

  it("is empty where the folders are missing", async () => {
    rmSync(world.claudeDir, { recursive: true });
    rmSync(world.codexDir, { recursive: true });
    expect(await all()).toEqual([]);
  });

  it("shows a thread with several files once, as it is now", async () => {
    const [old, now] = [world.claudeFile("thread", "one"), world.claudeFile("thread", "two")];
    writeFileSync(old, claudeTurn("x", { cwd: "/one" }));
    writeFileSync(now, claudeTurn("x", { cwd: "/two" }));
    at(old, 1_800_000_000);
    at(now, 1_800_000_001);
    const reverted = "01a22d52-8d28-74e0-b21b-5778dfed811f";
    writeFileSync(world.codexFile(reverted), codexMeta(reverted, { cwd: "/one" }));
    writeFileSync(
      world.codexFile(`${reverted}_01a22d52-a5df-7940-a86b-08532ae91c73`, "2026-11-30T17-00-00"),
      codexMeta(reverted, { cwd: "/two" }),
    );
    const entries = await all();
    expect(entries.map(({ threadId, workingDirectory }) => [threadId, workingDirectory]).sort()).toEqual([
      [reverted, "/two"],
      ["thread", "/two"],
    ]);
  });

  it("with ten thousand files reads names and times, and the heads of one page", async () => {
    for (let project = 0; project < 20; project += 1) {
      for (let index = 0; index < 500; index += 1) {
        writeFileSync(world.claudeFile(`thread-${project}-${index}`, `project-${project}`), "{}\n");
      }
    }
    const { edges, hasNextPage } = await world.awareness.upstreamCatalog({});
    expect(edges).toHaveLength(50);
    expect(hasNextPage).toBe(true);
  });
});
