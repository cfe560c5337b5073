import { appendFileSync, closeSync, openSync, writeFileSync, writeSync } from "node:fs";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { claudeAnswer, claudeTurn, codexMeta, codexSaid, line, rollout } from "./lines.js";
import { sqliteWorld, type World } from "./world.js";

describe("a transcript is read by bytes", () => {
  let world: World;
  let file: string;
  let session: string;

  beforeEach(async () => {
    world = await sqliteWorld();
    file = world.claudeFile("thread");
    writeFileSync(file, claudeTurn("before the adoption"));
    session = await world.follow("CLAUDE_CODE", "thread");
  });
  afterEach(() => world.dispose());

  const skipped = () => world.skippedRows(session);

  it("a half line waits, cut inside a character of four bytes, also across a restart", async () => {
    const bytes = Buffer.from(claudeTurn("it works 😀"));
    const inside = bytes.indexOf(0xf0) + 2;
    appendFileSync(file, bytes.subarray(0, inside));
    await world.rounds(2);
    expect(await world.turns(session)).toBe(0);
    await world.restart();
    appendFileSync(file, bytes.subarray(inside));
    await world.rounds(2);
    expect(await world.turns(session)).toBe(1);
    expect(await skipped()).toBe(0);
  });

  it.each([
    [
      "a torn record glued to a whole one hides only itself",
      `${claudeTurn("torn").slice(0, 150)}${claudeTurn("whole")}`,
      1,
      1,
    ],
    [
      "a torn record that ends within a string hides only itself",
      `{"type":"user","message":{"role":"us${claudeTurn("whole")}`,
      1,
      1,
    ],
    ["two whole records on one row are two", `${claudeTurn("one").trimEnd()}${claudeTurn("two")}`, 2, 0],
    ["a record before torn bytes on its row is seen", `${claudeTurn("whole").trimEnd()}{"type":"us\n`, 1, 1],
    ["512 NUL bytes before a record hide nothing", `${"\0".repeat(512)}${claudeTurn("whole")}`, 1, 0],
    ["NUL bytes behind a record hide nothing", `${claudeTurn("whole").trimEnd()}${"\0".repeat(9_000)}\n`, 1, 0],
    ["a row of NUL bytes is counted", `${"\0".repeat(512)}\n${claudeTurn("whole")}`, 1, 1],
    ["a byte order mark hides nothing", `\ufeff${claudeTurn("whole")}`, 1, 0],
    ["null, [] and 42 are counted", `null\n[]\n42\n${claudeTurn("whole")}`, 1, 3],
    ["empty rows are nothing", `\n\n  \n${claudeTurn("whole")}`, 1, 0],
    ["CRLF is a line end", claudeTurn("whole").replace("\n", "\r\n"), 1, 0],
    [
      "raw U+2028 and U+2029 in a string are no line ends",
      claudeTurn("a\u2028b\u2029c").replace(/\\u202[89]/g, (e) => JSON.parse(`"${e}"`)),
      1,
      0,
    ],
    ["a row of words is counted", `this is no JSON\n${claudeTurn("whole")}`, 1, 1],
  ])("%s", async (_title, text, turns, rows) => {
    appendFileSync(file, text);
    await world.rounds(2);
    expect(await world.turns(session)).toBe(turns);
    expect(await skipped()).toBe(rows);
  });

  it("bytes E6 87 before a line feed hide only their own record", async () => {
    const torn = Buffer.concat([Buffer.from(claudeTurn("中").slice(0, 160)), Buffer.from([0xe6, 0x87, 0x0a])]);
    appendFileSync(file, torn);
    appendFileSync(file, claudeTurn("whole"));
    await world.rounds();
    expect(await world.turns(session)).toBe(1);
    expect(await skipped()).toBe(1);
  });

  it("bytes that are not UTF-8 within a whole record do not hide it", async () => {
    const [head = "", tail = ""] = claudeTurn("|").split("|");
    appendFileSync(file, Buffer.concat([Buffer.from(head), Buffer.from([0xe6, 0x87]), Buffer.from(tail)]));
    await world.rounds();
    expect(await world.turns(session)).toBe(1);
    expect(await skipped()).toBe(0);
  });

  it("records that are cut by read chunks are whole", async () => {
    // Chunks are 1 MiB: with rows of many lengths, ends and beginnings fall everywhere.
    const rows = Array.from({ length: 3_000 }, (_, index) => claudeTurn(`${"ä".repeat(index % 900)}${index}`));
    appendFileSync(file, rows.join(""));
    await world.rounds();
    expect(await world.turns(session)).toBe(3_000);
    expect(await skipped()).toBe(0);
  });

  it("two writers that interleave lose what they tore, and nothing else", async () => {
    const [mine, theirs] = [claudeTurn("mine"), claudeTurn("theirs")];
    appendFileSync(file, mine.slice(0, 120) + theirs + mine.slice(120) + claudeTurn("after"));
    await world.rounds();
    expect(await world.turns(session)).toBe(2);
    expect(await skipped()).toBe(2);
  });

  it("an append through a descriptor that was opened before the adoption is read like any other", async () => {
    const descriptor = openSync(file, "a");
    await world.rounds();
    writeSync(descriptor, claudeTurn("one"));
    await world.rounds();
    writeSync(descriptor, claudeTurn("two") + claudeTurn("three"));
    await world.rounds();
    closeSync(descriptor);
    expect(await world.turns(session)).toBe(3);
    const told = (await world.events(session)).filter(({ kind }) => kind === "HUMAN_DIRECT_MESSAGE");
    expect(told.map(({ payload, actorType, actorId, summary }) => ({ payload, actorType, actorId, summary }))).toEqual([
      { payload: null, actorType: "HUMAN", actorId: null, summary: "human message via claude-code" },
      { payload: { turns: 2 }, actorType: "HUMAN", actorId: null, summary: "human message via claude-code" },
    ]);
  });

  it("times that are a year off, missing, wrong or before 1970 change nothing", async () => {
    const year = 365 * 24 * 3_600_000;
    const stamps = [new Date(Date.now() - year), new Date(Date.now() + year)].map((date) => date.toISOString());
    for (const timestamp of [...stamps, undefined, "yesterday", 17, "1969-01-01T00:00:00Z"]) {
      appendFileSync(file, claudeTurn("hello", { timestamp }));
    }
    await world.rounds();
    expect(await world.turns(session)).toBe(6);
    const [event] = (await world.events(session)).filter(({ kind }) => kind === "HUMAN_DIRECT_MESSAGE");
    const day = 24 * 3_600_000;
    expect(Math.abs(Date.now() - Number(event?.occurredAt))).toBeLessThan(2 * day);
  });

  it("records of unknown kinds are not human, and are counted", async () => {
    appendFileSync(file, line({ type: "never-heard-of" }) + claudeAnswer() + line({ type: "never-heard-of" }));
    await world.rounds();
    expect(await world.turns(session)).toBe(0);
    const { session: record } = await world.awareness.sessionStatus({ sessionKey: session });
    expect(record?.upstream?.unknownRows).toBe(2);
  });

  it("a last record that only lacks its line feed at the adoption is old history", async () => {
    const other = world.claudeFile("unended");
    writeFileSync(other, claudeTurn("old") + claudeTurn("old too").trimEnd());
    const key = await world.follow("CLAUDE_CODE", "unended");
    appendFileSync(other, `\n${claudeTurn("new")}`);
    await world.rounds();
    expect(await world.turns(key)).toBe(1);
  });

  it("a rollout of Codex is read the same way", async () => {
    const thread = "01a22d4c-364c-75f1-a5cf-9e4521743854";
    const rolloutFile = world.codexFile(thread);
    writeFileSync(rolloutFile, codexMeta(thread) + codexSaid("old"));
    const key = await world.follow("CODEX", thread);
    appendFileSync(rolloutFile, `${codexSaid("torn").slice(0, 60)}${codexSaid("whole")}`);
    appendFileSync(rolloutFile, rollout("event_msg", { type: "agent_message", message: "ok" }));
    await world.rounds();
    expect(await world.turns(key)).toBe(1);
    expect((await world.events(key)).map(({ summary }) => summary)).toContain("human message via codex");
  });
});
