import { appendFileSync, statSync, truncateSync, writeFileSync } from "node:fs";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { claudeAnswer, claudeTurn, sha256 } from "./lines.js";
import { boss, sqliteWorld, type World } from "./world.js";

const megabyte = 1024 * 1024;

describe("a row of any length never blocks the link", () => {
  let world: World;
  let file: string;
  let session: string;

  beforeEach(async () => {
    world = await sqliteWorld();
    file = world.claudeFile("thread");
    writeFileSync(file, claudeTurn("old"));
    session = await world.follow("CLAUDE_CODE", "thread");
  });
  afterEach(() => world.dispose());

  const skipped = () => world.skippedRows(session);
  /** A turn with pictures of so many megabytes in all. */
  const pictures = (text: string, megabytes: number) => {
    const data = "A".repeat(5 * megabyte);
    const picture = { type: "image", source: { type: "base64", media_type: "image/png", data } };
    return claudeTurn([{ type: "text", text }, ...Array.from({ length: megabytes / 5 }, () => picture)]);
  };

  it.each([5, 40])("a record of %i MB is read, told once, and known again", async (megabytes) => {
    appendFileSync(file, pictures("look at this", megabytes) + claudeTurn("and then?"));
    await world.rounds(2);
    expect(await world.turns(session)).toBe(2);
    expect(await skipped()).toBe(0);
  });

  it("the agent's own prompt is recognised in a record of 40 MB", async () => {
    await world.awareness.noteOwnPrompt({ sessionKey: session, textDigest: sha256("look at this") });
    appendFileSync(file, pictures("look at this", 40));
    await world.rounds();
    expect(await world.turns(session)).toBe(0);
  });

  it("a record of 40 MB that is no turn is passed over; quotes and backslashes in it mislead nobody", async () => {
    const tricky = '\\"}{"type":"user","message":{"role":"user","content":"no"}}\\\\'.repeat(600_000);
    appendFileSync(file, claudeAnswer(tricky) + claudeTurn("after it"));
    await world.rounds();
    expect(await world.turns(session)).toBe(1);
    expect(await skipped()).toBe(0);
  });

  it("a record of 40 MB in two halves waits for the second, also across a restart", async () => {
    const row = pictures("look at this", 40);
    appendFileSync(file, row.slice(0, row.length / 2));
    await world.rounds();
    await world.restart();
    expect(await world.turns(session)).toBe(0);
    appendFileSync(file, row.slice(row.length / 2));
    await world.rounds();
    expect(await world.turns(session)).toBe(1);
  });

  it("a row of 40 MB that is no record at all is skipped and counted", async () => {
    appendFileSync(file, `${"{".repeat(40 * megabyte)}\n${claudeTurn("after it")}`);
    await world.rounds();
    expect(await world.turns(session)).toBe(1);
    expect(await skipped()).toBe(1);
  });
});

describe("a row that takes longer than a check", () => {
  let world: World;
  let file: string;
  let session: string;

  beforeEach(async () => {
    // A millisecond: each check ends after the first piece that it reads.
    world = await sqliteWorld({ limits: { upstreamCheckMs: 1 } });
    file = world.claudeFile("thread");
    writeFileSync(file, claudeTurn("old"));
    session = await world.follow("CLAUDE_CODE", "thread");
  });
  afterEach(() => world.dispose());

  const told = async (text: string, turns: number) => {
    const notices = await world.awareness.subscribe(boss);
    appendFileSync(file, text);
    await world.rounds();
    // One round begins it; from then on it goes on by itself.
    while ((await world.turns(session)) < turns) await notices.next();
    await notices.return?.();
    expect(await world.turns(session)).toBe(turns);
    const { session: record } = await world.awareness.sessionStatus({ sessionKey: session });
    expect(record?.upstream).toMatchObject({ skippedRows: 0, failedChecks: 0 });
  };

  it("is read to its end by one check after another, and known", async () => {
    const text = "a word ".repeat(2 * megabyte);
    await told(claudeTurn(text) + claudeAnswer(text.repeat(3)), 1);
    await world.awareness.drainNotices({ watcherSessionKey: boss });
    await told(claudeAnswer(text.repeat(2)) + claudeTurn("typed"), 2);
  });

  it("is not taken for what it was when it has been rewritten meanwhile", async () => {
    const row = claudeTurn("x".repeat(20 * megabyte));
    appendFileSync(file, row);
    await world.rounds();
    truncateSync(file, statSync(file).size - row.length);
    await told(claudeAnswer("y".repeat(20 * megabyte)) + claudeTurn("typed"), 1);
  });
});

describe("a file of 1 GB", () => {
  let world: World;
  beforeEach(async () => {
    world = await sqliteWorld();
  });
  afterEach(() => world.dispose());

  it("is adopted at its end and checked in less than 100 MB of memory more", async () => {
    const file = world.claudeFile("thread");
    writeFileSync(file, claudeTurn("the first of all"));
    truncateSync(file, 1_024 * megabyte);
    appendFileSync(file, `\n${claudeTurn("old")}`);
    expect(statSync(file).size).toBeGreaterThan(1_000_000_000);

    const before = process.memoryUsage.rss();
    let most = before;
    const watching = setInterval(() => {
      most = Math.max(most, process.memoryUsage.rss());
    }, 1);
    const session = await world.follow("CLAUDE_CODE", "thread");
    appendFileSync(file, claudeTurn("new"));
    await world.rounds();
    clearInterval(watching);
    expect(await world.turns(session)).toBe(1);
    expect(most - before).toBeLessThan(100 * megabyte);

    // Replaced by its own first part: what is far back is not told as new.
    truncateSync(file, 512 * megabyte);
    const timestamp = new Date(Date.now() + 3_600_000).toISOString();
    appendFileSync(file, `\n${claudeTurn("after the truncation", { timestamp })}`);
    await world.rounds();
    expect(await world.turns(session)).toBe(2);
  });
});
