import { appendFileSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { claudeTurn, codexMeta, codexSaid } from "./lines.js";
import { sqliteWorld, type World } from "./world.js";

describe("a source that is written anew and seen half-way tells no turn again", () => {
  let world: World;
  beforeEach(async () => {
    world = await sqliteWorld();
  });
  afterEach(() => world.dispose());

  /** A thread whose last two turns were told. */
  async function followed(tool: "CLAUDE_CODE" | "CODEX", past = 2) {
    const isClaude = tool === "CLAUDE_CODE";
    const file = isClaude ? world.claudeFile("thread") : world.codexFile("thread");
    const turn = isClaude ? (text: string) => claudeTurn(text) : codexSaid;
    const old = Array.from({ length: past }, (_, index) => turn(`old ${index}`));
    writeFileSync(file, (isClaude ? "" : codexMeta("thread")) + old.join(""));
    const session = await world.follow(tool, "thread");
    appendFileSync(file, turn("one") + turn("two"));
    await world.rounds();
    expect(await world.turns(session)).toBe(2);
    return { file, session, turn, text: readFileSync(file, "utf8") };
  }

  describe.each(["CLAUDE_CODE", "CODEX"] as const)("of %s", (tool) => {
    it.each([
      ["after its first row", (text: string) => text.indexOf("\n") + 1],
      ["within its last row", (text: string) => text.length - 20],
      ["while only its last line feed is missing", (text: string) => text.length - 1],
      ["while it is empty", () => 0],
    ])("%s", async (_when, cut) => {
      const { file, session, turn, text } = await followed(tool);
      writeFileSync(file, text.slice(0, cut(text)));
      await world.rounds();
      appendFileSync(file, text.slice(cut(text)));
      await world.rounds();
      expect(await world.turns(session)).toBe(2);
      appendFileSync(file, turn("three"));
      await world.rounds();
      expect(await world.turns(session)).toBe(3);
    });

    it("again and again, by more at a time, across a restart", async () => {
      const { file, session, turn, text } = await followed(tool);
      for (const part of [0.2, 0.5, 0.1, 0.7, 1]) {
        writeFileSync(file, text.slice(0, text.length * part));
        await world.rounds();
        await world.restart();
      }
      appendFileSync(file, turn("three"));
      await world.rounds();
      expect(await world.turns(session)).toBe(3);
    });

    it("as another file that is put in its place", async () => {
      const { file, session, text } = await followed(tool);
      for (const cut of [text.indexOf("\n") + 1, text.length]) {
        writeFileSync(`${file}.new`, text.slice(0, cut));
        renameSync(`${file}.new`, file);
        await world.rounds();
      }
      expect(await world.turns(session)).toBe(2);
    });

    it("with more turns than are remembered", async () => {
      const { file, session, turn, text } = await followed(tool, 3_000);
      writeFileSync(file, "");
      await world.rounds();
      writeFileSync(file, text + turn("three"));
      await world.rounds();
      expect(await world.turns(session)).toBe(3);
    });

    it("and a turn that is new between the old ones, or the same words typed twice, is told", async () => {
      const { file, session, turn, text } = await followed(tool);
      const half = text.indexOf("\n") + 1;
      writeFileSync(file, text.slice(0, half));
      await world.rounds();
      appendFileSync(file, turn("new") + text.slice(half));
      await world.rounds();
      expect(await world.turns(session)).toBe(3);
      appendFileSync(file, turn("one") + turn("one"));
      await world.rounds();
      expect(await world.turns(session)).toBe(5);
    });
  });

  it("a turn without an id that is back is known once: the very same bytes again are another", async () => {
    const { file, session, text } = await followed("CODEX");
    const last = text.slice(text.lastIndexOf("\n", text.length - 2) + 1);
    writeFileSync(file, text.slice(0, -last.length));
    await world.rounds();
    appendFileSync(file, last);
    await world.rounds();
    expect(await world.turns(session)).toBe(2);
    appendFileSync(file, last);
    await world.rounds();
    expect(await world.turns(session)).toBe(3);
  });
});
