import { appendFileSync, writeFileSync } from "node:fs";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { claudeAnswer, claudeTurn, codexItem, codexMeta } from "./lines.js";
import { sqliteWorld, type World } from "./world.js";

/** As much as a row may hold without being shortened; work by the square of it would take minutes to hours. */
const chars = 4_000_000;
const full = (text: string, of = chars) => text.repeat(Math.ceil(of / text.length)).slice(0, of);

describe("a row takes time in proportion to its length, whatever is in it", () => {
  let world: World;
  beforeEach(async () => {
    // A busy machine takes its time: the limit of a check is not what this is about.
    world = await sqliteWorld({ limits: { upstreamCheckMs: 600_000 } });
  });
  afterEach(() => world.dispose());

  const human = { origin: { kind: "human" } };
  it.each<[string, string, number, number]>([
    ["NUL bytes within a torn record", `{"type":"us${full("\0")}er"\n`, 0, 1],
    ["blanks within a turn that ends with CRLF", claudeTurn(`a${full(" ")}b`).replace("\n", "\r\n"), 1, 0],
    ["many small records that are glued together", `${full('{"a":1}', 3_999_996)}\n`, 0, 0],
    ["a torn record of many that are nested in each other", `{"torn${full('{"a":', 3_000_000)}1}\n`, 0, 1],
    ["a torn record with nothing but backslashes and quotes", `{"torn${full('\\"')}"}\n`, 0, 1],
    ["very many empty strings", `{"type":"assistant","x":[${full('"",', 40_000_002)}""]}\n`, 0, 1],
    ["a string of quotes and backslashes", claudeAnswer(full('\\"', 20_000_000)), 0, 0],
    ["a tag that never ends", claudeTurn(`<background-task${full("-a")}`), 1, 0],
    [
      "a command whose arguments never end",
      claudeTurn(`<command-name>/x</command-name>${full("<command-args>")}`, human),
      1,
      0,
    ],
    ["marks out of order on one letter", claudeTurn(`a${full("\u0301", 700_000)}${full("\u0316", 700_000)}`), 1, 0],
  ])("%s", async (_what, row, turns, skipped) => {
    const file = world.claudeFile("thread");
    writeFileSync(file, claudeTurn("old"));
    const session = await world.follow("CLAUDE_CODE", "thread");
    appendFileSync(file, row + claudeTurn("after it"));
    await world.rounds();
    expect(await world.turns(session)).toBe(turns + 1);
    const { session: record } = await world.awareness.sessionStatus({ sessionKey: session });
    expect(record?.upstream?.skippedRows).toBe(skipped);
  });

  it("a tag that never ends, in a rollout of Codex", async () => {
    const file = world.codexFile("thread");
    writeFileSync(file, codexMeta("thread"));
    const session = await world.follow("CODEX", "thread");
    appendFileSync(
      file,
      codexItem(`<${full("word ")}`) + codexItem(`<word>${full("</word ")}>`) + codexItem("after it"),
    );
    await world.rounds();
    expect(await world.turns(session)).toBe(3);
  });

  it("a history of many turns that comes again under new ids", async () => {
    const file = world.claudeFile("thread");
    const history = Array.from({ length: 1_000 }, (_, index) => `old ${index}`);
    writeFileSync(file, history.map((text) => claudeTurn(text)).join(""));
    const session = await world.follow("CLAUDE_CODE", "thread");
    const [first = "", ...others] = history;
    const copies = [first, ...Array.from({ length: 120_000 }, (_, index) => `new ${index}`), ...others];
    writeFileSync(file, copies.map((text) => claudeTurn(text)).join(""));
    await world.rounds();
    expect(await world.turns(session)).toBe(120_000);
  });
});

describe("what Codex puts in for the model under the role of the user is not typed", () => {
  let world: World;
  beforeEach(async () => {
    world = await sqliteWorld();
  });
  afterEach(() => world.dispose());

  it.each<[string, number]>([
    ["<environment_context>\n<cwd>/home</cwd>\n</environment_context>", 0],
    ["<user_instructions>be brief</User_Instructions>", 0],
    ["<permissions instructions>\nask\n</permissions instructions>", 0],
    ['<app-context version="1">x</app-context>', 0],
    ["# AGENTS.md instructions for /home\n\nbe brief", 0],
    ["<b>bold</b> and more", 1],
    ["<bold>is what</b>", 1],
    ["<b", 1],
    ["</b>", 1],
    ["a <b>word</b>", 1],
  ])("%j: %i", async (text, turns) => {
    const file = world.codexFile("thread");
    writeFileSync(file, codexMeta("thread"));
    const session = await world.follow("CODEX", "thread");
    appendFileSync(file, codexItem(text));
    await world.rounds();
    expect(await world.turns(session)).toBe(turns);
  });
});
