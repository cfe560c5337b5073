import { execFileSync } from "node:child_process";
import {
  appendFileSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Worker } from "node:worker_threads";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { openBelow } from "../../src/upstream/paths.js";
import { claudeTurn } from "./lines.js";
import { sqliteWorld, type World } from "./world.js";

describe("sources lie below the configured folders; anything else is refused at adoption", () => {
  let world: World;
  let outside: string;
  beforeEach(async () => {
    world = await sqliteWorld();
    outside = mkdtempSync(join(tmpdir(), "headsup-outside-"));
  });
  afterEach(async () => {
    await world.dispose();
    rmSync(outside, { recursive: true, force: true });
  });

  const adopt = (threadId: string) =>
    world.awareness.adoptSession({ source: { kind: "CLAUDE_CODE", threadId }, agentId: "worker" });
  const refused = async (threadId: string) => {
    const refusal = await adopt(threadId).then(
      () => null,
      (error: unknown) => error,
    );
    expect(refusal).toMatchObject({ code: "BAD_USER_INPUT", field: "source.threadId" });
    // Nothing was written, and no path is told.
    expect(await world.awareness.sessionsList({})).toMatchObject({ edges: [] });
    expect(String(refusal)).not.toContain(tmpdir());
  };

  it.each(["/etc/passwd", "..", "../../etc/passwd", "project/thread", "thread.jsonl", "", "a b", `${"x".repeat(129)}`])(
    "a thread named %j",
    async (threadId) => {
      writeFileSync(world.claudeFile("thread"), claudeTurn("old"));
      await refused(threadId);
    },
  );

  it("a thread that is not there", () => refused("nobody"));

  it("a link out of the folder", async () => {
    const secret = join(outside, "secret.jsonl");
    writeFileSync(secret, claudeTurn("secret"));
    symlinkSync(secret, world.claudeFile("thread"));
    await refused("thread");
  });

  it("a project folder that is a link out", async () => {
    writeFileSync(join(outside, "thread.jsonl"), claudeTurn("secret"));
    symlinkSync(outside, join(world.claudeDir, "project"));
    await refused("thread");
  });

  it("a loop of links", async () => {
    const file = world.claudeFile("thread");
    symlinkSync(`${file}.other`, file);
    symlinkSync(file, `${file}.other`);
    await refused("thread");
  });

  it("a folder", async () => {
    mkdirSync(world.claudeFile("thread"));
    await refused("thread");
  });

  it("a FIFO, without waiting for a writer", async () => {
    execFileSync("mkfifo", [world.claudeFile("thread")]);
    await refused("thread");
  });

  it.runIf(process.getuid?.() === 0)("a device", async () => {
    execFileSync("mknod", [world.claudeFile("thread"), "c", "1", "5"]);
    await refused("thread");
  });

  it("another machine that is not known", async () => {
    const source = { kind: "CLAUDE_CODE", nodeId: "elsewhere", threadId: "thread" } as const;
    await expect(world.awareness.adoptSession({ source, agentId: "worker" })).rejects.toMatchObject({
      code: "BAD_USER_INPUT",
      field: "source.nodeId",
    });
  });

  it("none of them is in the catalog", async () => {
    symlinkSync("/etc/passwd", world.claudeFile("link"));
    mkdirSync(world.claudeFile("folder"));
    execFileSync("mkfifo", [world.claudeFile("fifo")]);
    writeFileSync(world.claudeFile("thread"), claudeTurn("old"));
    // Folders that are links out, and what is in them by the names of threads.
    writeFileSync(join(outside, "rollout-2026-11-30T16-00-00-secret.jsonl"), claudeTurn("secret"));
    writeFileSync(join(outside, "secret.jsonl"), claudeTurn("secret"));
    symlinkSync(outside, join(world.claudeDir, "linked-project"));
    mkdirSync(join(world.codexDir, "2026", "11"), { recursive: true });
    symlinkSync(outside, join(world.codexDir, "2026", "11", "30"));
    symlinkSync(join(world.codexDir, "2026"), join(world.codexDir, "2027"));
    const { edges } = await world.awareness.upstreamCatalog({});
    expect(edges.map(({ node }) => node.threadId)).toEqual(["thread"]);
  });

  it("a link that stays below the folder is fine, and so is a folder that is a link itself", async () => {
    const file = world.claudeFile("real");
    writeFileSync(file, claudeTurn("old"));
    symlinkSync(file, world.claudeFile("thread", "other"));
    expect(await adopt("thread")).toMatchObject({ created: true });
    renameSync(world.claudeDir, join(outside, "moved"));
    symlinkSync(join(outside, "moved"), world.claudeDir);
    expect(await adopt("real")).toMatchObject({ created: true });
  });

  it("a source that becomes a link out is not read any more, and is not gone", async () => {
    const file = world.claudeFile("thread");
    writeFileSync(file, claudeTurn("old"));
    const session = await world.follow("CLAUDE_CODE", "thread");
    const elsewhere = join(outside, "thread.jsonl");
    writeFileSync(elsewhere, readFileSync(file));
    rmSync(file);
    symlinkSync(elsewhere, file);
    appendFileSync(elsewhere, claudeTurn("not ours"));
    await world.rounds(5);
    expect((await world.events(session)).map(({ kind }) => kind)).toEqual(["ADOPTED"]);
  });

  it("a folder that is exchanged for a link out again and again lets nothing from outside be read", async () => {
    writeFileSync(world.claudeFile("thread", "inside"), "inside");
    writeFileSync(join(outside, "thread.jsonl"), "outside");
    symlinkSync(outside, join(world.claudeDir, "link"));
    const exchanging = new Worker(exchange, { eval: true, workerData: world.claudeDir });
    const seen = new Set<string>();
    // At least as often as both were there to be seen.
    for (let attempts = 0; attempts < 2_000 || !seen.has("inside"); attempts += 1) {
      const opened = await openBelow(world.claudeDir, join("project", "thread.jsonl"));
      if (opened.kind !== "open") continue;
      seen.add(await opened.file.readFile("utf8"));
      await opened.file.close();
    }
    await exchanging.terminate();
    expect([...seen]).toEqual(["inside"]);
  });
});

/** Puts a folder and a link out of it in one place, in turn. */
const exchange = `
  const { renameSync } = require("node:fs");
  const at = (name) => require("node:path").join(require("node:worker_threads").workerData, name);
  for (;;) for (const name of ["inside", "link"]) {
    renameSync(at(name), at("project"));
    renameSync(at("project"), at(name));
  }`;
