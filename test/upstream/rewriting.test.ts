import {
  appendFileSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { dirname } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { claudeAnswer, claudeTurn, codexItem, codexMeta, codexSaid, rollout } from "./lines.js";
import { sqliteWorld, type World } from "./world.js";

const range = (from: number, to: number) => Array.from({ length: to - from }, (_, index) => from + index);

describe("a source that is not only appended to", () => {
  let world: World;
  let file: string;
  let session: string;
  /** Rows of the history, each turn with an answer, long enough that half of it is beyond what is compared. */
  const history = range(0, 200).map((n) => claudeTurn(`old ${n}`) + claudeAnswer("y".repeat(1_500)));

  beforeEach(async () => {
    world = await sqliteWorld();
    file = world.claudeFile("thread");
    writeFileSync(file, history.join(""));
    session = await world.follow("CLAUDE_CODE", "thread");
    appendFileSync(file, claudeTurn("first news"));
    await world.rounds();
    expect(await world.turns(session)).toBe(1);
  });
  afterEach(() => world.dispose());

  /** Puts a file in the place of the present one. */
  const replace = (text: string) => {
    writeFileSync(`${file}.new`, text);
    renameSync(`${file}.new`, file);
  };
  const goesOn = async (before: number) => {
    appendFileSync(file, claudeTurn("goes on"));
    await world.rounds();
    expect(await world.turns(session)).toBe(before + 1);
  };

  it("truncated to half and appended: the new turn is told, the old half is not", async () => {
    truncateSync(file, Math.floor(statSync(file).size / 2));
    appendFileSync(file, `\n${claudeTurn("typed after it")}`);
    await world.rounds(2);
    expect(await world.turns(session)).toBe(2);
    await goesOn(2);
  });

  it("truncated to half and appended until it is longer than before", async () => {
    truncateSync(file, history.slice(0, 100).join("").length);
    appendFileSync(file, claudeTurn("typed after it") + claudeAnswer("z".repeat(400_000)));
    await world.rounds();
    expect(await world.turns(session)).toBe(2);
    await goesOn(2);
  });

  it("truncated to nothing and begun anew", async () => {
    truncateSync(file, 0);
    appendFileSync(file, claudeTurn("begun anew"));
    await world.rounds();
    expect(await world.turns(session)).toBe(2);
    await goesOn(2);
  });

  it("replaced by rename with exactly the same size: what is new in it is told", async () => {
    const text = readFileSync(file, "utf8");
    const last = claudeTurn("first news");
    replace(text.slice(0, -last.length) + claudeTurn("other news"));
    expect(statSync(file).size).toBe(text.length);
    await world.rounds();
    expect(await world.turns(session)).toBe(2);
    await goesOn(2);
  });

  it("replaced by rename with the very same content: nothing is told", async () => {
    replace(readFileSync(file, "utf8"));
    await world.rounds(2);
    expect(await world.turns(session)).toBe(1);
    await goesOn(1);
  });

  it("replaced by a larger one that begins the same", async () => {
    replace(readFileSync(file, "utf8") + claudeTurn("written with the replacement"));
    await world.rounds();
    expect(await world.turns(session)).toBe(2);
    await goesOn(2);
  });

  it("replaced by one without some of the old rows: what is left of them is not told", async () => {
    const [, , ...left] = history;
    replace(left.join("") + claudeTurn("written with the replacement"));
    await world.rounds();
    expect(await world.turns(session)).toBe(2);
    await goesOn(2);
  });

  it("rewritten in place, with the same length: what is new in it is told", async () => {
    const text = readFileSync(file, "utf8");
    const last = claudeTurn("first news");
    writeFileSync(file, text.slice(0, -last.length) + claudeTurn("other news"));
    await world.rounds();
    expect(await world.turns(session)).toBe(2);
    await goesOn(2);
  });

  it("replaced by rename with the same size, both ends and a turn in the middle that is new", async () => {
    const row = (n: number) => claudeTurn(`old ${n}`);
    const [middle = "", other = ""] = [
      history[100]?.replace(/^.*\n/, row(100)),
      history[100]?.replace(/^.*\n/, row(999)),
    ];
    const text = (own: string) => [...history.slice(0, 100), own, ...history.slice(101)].join("");
    replace(text(middle) + claudeAnswer());
    await world.rounds();
    const told = await world.turns(session);
    replace(text(other) + readFileSync(file, "utf8").slice(text(middle).length));
    expect(other).toHaveLength(middle.length);
    await world.rounds();
    expect(await world.turns(session)).toBe(told + 1);
  });

  it("rewritten in place, with a row moved by a longer one before it: nothing is told", async () => {
    const text = readFileSync(file, "utf8");
    writeFileSync(file, claudeAnswer("a summary") + text);
    await world.rounds(2);
    expect(await world.turns(session)).toBe(1);
    await goesOn(1);
  });

  it("history that is appended again under its ids is not news", async () => {
    appendFileSync(file, history.slice(190).join("") + claudeTurn("after the copies"));
    await world.rounds();
    expect(await world.turns(session)).toBe(2);
  });

  it("replaced by a fork whose copies are re-stamped: new ids, new times, the same words; then a turn", async () => {
    const copies = range(0, 200).map((n) => claudeTurn(`old ${n}`) + claudeAnswer());
    replace(copies.join("") + claudeTurn("first news") + claudeTurn("after the fork"));
    await world.rounds();
    expect(await world.turns(session)).toBe(2);
    await goesOn(2);
  });

  it("the same words again after a truncation are a turn", async () => {
    truncateSync(file, 0);
    appendFileSync(file, claudeTurn("old 5"));
    await world.rounds();
    expect(await world.turns(session)).toBe(2);
  });

  it("moved to another project's folder", async () => {
    const moved = world.claudeFile("thread", "other-project");
    renameSync(file, moved);
    appendFileSync(moved, claudeTurn("typed there"));
    await world.rounds();
    expect(await world.turns(session)).toBe(2);
    const { session: record } = await world.awareness.sessionStatus({ sessionKey: session });
    expect(record?.upstream?.missedChecks).toBe(0);
  });

  it("away with its folder and back: nothing is told twice", async () => {
    const text = readFileSync(file, "utf8");
    rmSync(dirname(file), { recursive: true });
    await world.rounds(2);
    mkdirSync(dirname(file));
    writeFileSync(file, text + claudeTurn("typed meanwhile"));
    await world.rounds();
    expect(await world.turns(session)).toBe(2);
  });

  it("with more turns than are remembered, the remembered ones still tell old from new", async () => {
    appendFileSync(
      file,
      range(0, 1_500)
        .map((n) => claudeTurn(`many ${n}`))
        .join(""),
    );
    await world.rounds();
    expect(await world.turns(session)).toBe(1_501);
    replace(readFileSync(file, "utf8") + claudeTurn("written with the replacement"));
    await world.rounds();
    expect(await world.turns(session)).toBe(1_502);
  });
});

describe("copied history is not news", () => {
  let world: World;
  beforeEach(async () => {
    world = await sqliteWorld();
  });
  afterEach(() => world.dispose());

  it("a fork of Claude Code that is adopted before its marked copies are written", async () => {
    const file = world.claudeFile("fork");
    writeFileSync(file, claudeAnswer());
    const session = await world.follow("CLAUDE_CODE", "fork");
    const forkedFrom = { sessionId: "parent", messageUuid: "u" };
    appendFileSync(file, claudeTurn("old", { forkedFrom }) + claudeTurn("old too", { forkedFrom }) + claudeTurn("new"));
    await world.rounds();
    expect(await world.turns(session)).toBe(1);
  });

  it.each([
    ["whose turns have ids with times", "01a22d4c-3668-7f52-a841-2f37f23f655e", "01a22d4c-a4cd-7f02-8a9b-b08baf124bfa"],
    [
      "whose turns have ids without times",
      "9bcb86b4-6f56-4d2e-9d53-9a41d4a95f3a",
      "5f3f6a0e-8a0e-4d63-8f0a-5d5a1f6c9a11",
    ],
  ])("a fork of Codex %s, adopted before its re-stamped copies are written", async (_what, before, after) => {
    // Made at 16:31:59.330Z by its own id; its parent's turns are older, its own are younger.
    const fork = "01a22d4c-8562-7641-880d-a0b543d40cb5";
    const madeAt = 0x01a22d4c8562;
    const stamp = new Date(madeAt + 50).toISOString();
    const started = (id: string, atMs: number) =>
      rollout("event_msg", { type: "task_started", turn_id: id, started_at: Math.floor(atMs / 1_000) }, stamp);
    const file = world.codexFile(fork);
    writeFileSync(file, codexMeta(fork, { forked_from_id: "01a22d4c-364c-75f1-a5cf-9e4521743854" }));
    const session = await world.follow("CODEX", fork);
    const copies = [
      codexMeta("01a22d4c-364c-75f1-a5cf-9e4521743854"),
      started(before, madeAt - 60_000),
      codexItem("old"),
      codexSaid("old"),
    ];
    appendFileSync(file, copies.join(""));
    await world.rounds();
    expect(await world.turns(session)).toBe(0);
    await world.restart();
    appendFileSync(file, started(after, madeAt + 60_000) + codexItem("new") + codexSaid("new"));
    await world.rounds();
    expect(await world.turns(session)).toBe(1);
  });

  it("a thread of Codex that was reverted goes on in its new file", async () => {
    const thread = "01a22d52-8d28-74e0-b21b-5778dfed811f";
    writeFileSync(world.codexFile(thread), codexMeta(thread) + codexSaid("one") + codexSaid("two"));
    const session = await world.follow("CODEX", thread);
    const later = world.codexFile(`${thread}_01a22d52-a5df-7940-a86b-08532ae91c73`, "2026-11-30T16-38-40");
    const base = { thread_id: thread, end_ordinal_exclusive: 2 };
    writeFileSync(later, codexMeta(thread, { history_base: base }) + codexItem("three") + codexSaid("three"));
    await world.rounds();
    expect(await world.turns(session)).toBe(1);
    appendFileSync(later, codexItem("four") + codexSaid("four"));
    await world.rounds();
    expect(await world.turns(session)).toBe(2);
  });

  it("a rollout of Codex that was compressed is at rest, not gone", async () => {
    const thread = "01a22d4c-364c-75f1-a5cf-9e4521743854";
    const file = world.codexFile(thread);
    writeFileSync(file, codexMeta(thread) + codexSaid("one"));
    const session = await world.follow("CODEX", thread);
    renameSync(file, `${file}.zst`);
    await world.rounds(5);
    const text = codexMeta(thread) + codexSaid("one");
    writeFileSync(file, text + codexSaid("two"));
    await world.rounds();
    expect(await world.turns(session)).toBe(1);
    expect((await world.events(session)).map(({ kind }) => kind)).not.toContain("UPSTREAM_MISSING");
  });
});
