import { appendFileSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { StaleNotice } from "../../src/awareness/awareness.js";
import { claudeTurn } from "./lines.js";
import { boss, sqliteWorld, type World } from "./world.js";

describe("a change of a local file brings its check forward: the first round is an hour away", () => {
  let world: World;
  let file: string;
  let session: string;
  let notices: AsyncIterableIterator<StaleNotice>;

  beforeEach(async () => {
    world = await sqliteWorld({ start: true });
    file = world.claudeFile("thread");
    writeFileSync(file, claudeTurn("old"));
    session = await world.follow("CLAUDE_CODE", "thread");
    notices = await world.awareness.subscribe(boss);
  });
  afterEach(async () => {
    await notices.return?.();
    await world.dispose();
  });

  /** The next notice, which is then taken. */
  const told = async () => {
    const { value } = await notices.next();
    await world.awareness.drainNotices({ watcherSessionKey: boss });
    return value;
  };

  it("for a thread that has just been adopted, whatever is typed first", async () => {
    appendFileSync(file, claudeTurn("typed"));
    expect(await told()).toMatchObject({ targetSessionKey: session });
    appendFileSync(file, claudeTurn("typed too"));
    expect(await told()).toMatchObject({ targetSessionKey: session });
    expect(await world.turns(session)).toBe(2);
  });

  it("for a file that is replaced by rename, again and again", async () => {
    for (let turn = 1; turn <= 3; turn += 1) {
      writeFileSync(`${file}.new`, readFileSync(file, "utf8") + claudeTurn(`typed ${turn}`));
      renameSync(`${file}.new`, file);
      expect(await told()).toMatchObject({ targetSessionKey: session });
    }
    expect(await world.turns(session)).toBe(3);
  });

  it("and a file that is away for a moment is no miss", async () => {
    const text = readFileSync(file, "utf8");
    appendFileSync(file, claudeTurn("typed"));
    await told();
    for (let turn = 0; turn < 5; turn += 1) {
      rmSync(file);
      writeFileSync(file, text);
    }
    const { session: record } = await world.awareness.sessionStatus({ sessionKey: session });
    expect(record?.upstream).toMatchObject({ missedChecks: 0 });
  });

  it("for many links at once", async () => {
    const files = Array.from({ length: 20 }, (_, index) => world.claudeFile(`many-${index}`));
    for (const [index, one] of files.entries()) {
      writeFileSync(one, claudeTurn("old"));
      await world.follow("CLAUDE_CODE", `many-${index}`);
    }
    for (const one of files) appendFileSync(one, claudeTurn("typed"));
    const targets = new Set<string>();
    while (targets.size < files.length) targets.add((await notices.next()).value.targetSessionKey);
    expect(targets.size).toBe(20);
  });
});
