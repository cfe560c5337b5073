import { once } from "node:events";
import { appendFileSync, mkdirSync, renameSync, rmdirSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { setImmediate as nextTurn } from "node:timers/promises";
import { pino } from "pino";
import { afterEach, describe, expect, it } from "vitest";
import { limits } from "../../src/config.js";
import { LinkChecker } from "../../src/upstream/linkChecker.js";
import { createSources } from "../../src/upstream/sources.js";
import { claudeTurn } from "./lines.js";
import { boss, sqliteWorld, type World } from "./world.js";

describe("one bad link never delays another", () => {
  let world: World;
  let release: () => void = () => undefined;
  afterEach(async () => {
    release();
    await world.dispose();
  });

  it("one whose file system hangs is given up after its time, keeps no place, and is not checked twice at once", async () => {
    const held = new Promise<void>((resolve) => {
      release = resolve;
    });
    let begun = 0;
    world = await sqliteWorld({
      limits: { upstreamCheckMs: 50, upstreamFilesAtOnce: 1 },
      // The one thing that real files cannot be made to do: hang.
      around: (sources) => ({
        ...sources,
        async check(link, signal, path) {
          if (link.threadId !== "hangs") return sources.check(link, signal, path);
          begun += 1;
          await held;
          return { outcome: "unchanged" };
        },
      }),
    });
    for (const thread of ["hangs", "fine", "fine-too"]) writeFileSync(world.claudeFile(thread), claudeTurn("old"));
    const bad = await world.follow("CLAUDE_CODE", "hangs");
    const fine = [await world.follow("CLAUDE_CODE", "fine"), await world.follow("CLAUDE_CODE", "fine-too")];
    for (const thread of ["fine", "fine-too"]) appendFileSync(world.claudeFile(thread), claudeTurn("typed"));
    await world.rounds(3);
    for (const session of fine) expect(await world.turns(session)).toBe(1);
    expect(begun).toBe(1);
    const { session } = await world.awareness.sessionStatus({ sessionKey: bad });
    expect(session?.upstream).toMatchObject({ failedChecks: 1, missedChecks: 0 });
  });

  it("one that keeps failing rests ever longer, and says until when", async () => {
    let checks = 0;
    world = await sqliteWorld({
      around: (sources) => ({
        ...sources,
        async check() {
          checks += 1;
          return { outcome: "unreadable", reason: "EIO" };
        },
      }),
    });
    writeFileSync(world.claudeFile("thread"), claudeTurn("old"));
    const bad = await world.follow("CLAUDE_CODE", "thread");
    await world.rounds(20);
    // Rounds 1, 2, 4 (after one of rest), 8 and 16 or so: never more than a few of twenty.
    expect(checks).toBeLessThan(8);
    expect(checks).toBeGreaterThan(3);
    const { session } = await world.awareness.sessionStatus({ sessionKey: bad });
    expect(session?.upstream?.failedChecks).toBe(checks);
    expect(session?.upstream?.nextCheckAt).toBeInstanceOf(Date);
  });

  it.each([
    ["not there", {}],
    ["not readable", { check: async () => ({ outcome: "unreadable", reason: "EMFILE" }) as const }],
  ])(
    "a source that is %s at the moment of a hint is no miss: it may be about to be replaced",
    async (_what, instead) => {
      world = await sqliteWorld();
      const file = world.claudeFile("thread");
      writeFileSync(file, claudeTurn("old"));
      const session = await world.follow("CLAUDE_CODE", "thread");
      const desk = world.awareness.monitoring;
      const sources = { ...createSources(world), ...instead };
      const checker = new LinkChecker({ desk, sources, intervalMs: 60_000, limits, log: pino({ level: "silent" }) });
      rmSync(file);
      for (const link of await desk.linksToCheck("local")) {
        for (let hint = 0; hint < 5; hint += 1) await checker.check(link, { hinted: true });
      }
      const { session: record } = await world.awareness.sessionStatus({ sessionKey: session });
      expect(record?.upstream).toMatchObject({ missedChecks: 0, failedChecks: 0, nextCheckAt: null });
    },
  );

  it("one that rests is read in the next round when its file has changed", async () => {
    world = await sqliteWorld();
    const file = world.claudeFile("thread");
    writeFileSync(file, claudeTurn("old"));
    const bad = await world.follow("CLAUDE_CODE", "thread");
    renameSync(file, `${file}.away`);
    mkdirSync(file);
    await world.rounds(7);
    const rests = (await world.awareness.sessionStatus({ sessionKey: bad })).session?.upstream?.nextCheckAt;
    expect(rests?.getTime()).toBeGreaterThan(Date.now() + 9 * 60_000);
    rmdirSync(file);
    renameSync(`${file}.away`, file);
    appendFileSync(file, claudeTurn("typed"));
    await world.rounds();
    expect(await world.turns(bad)).toBe(1);
    const { session } = await world.awareness.sessionStatus({ sessionKey: bad });
    expect(session?.upstream).toMatchObject({ failedChecks: 0, nextCheckAt: null });
  });

  it("one that rests is read at a hint as soon as it can be", async () => {
    let broken = true;
    world = await sqliteWorld({
      start: true,
      around: (sources) => ({
        ...sources,
        check: (link, signal, path) =>
          broken ? Promise.resolve({ outcome: "unreadable", reason: "EMFILE" }) : sources.check(link, signal, path),
      }),
    });
    const file = world.claudeFile("thread");
    writeFileSync(file, claudeTurn("old"));
    const bad = await world.follow("CLAUDE_CODE", "thread");
    for (let round = 0; round < 5; round += 1) {
      appendFileSync(file, claudeTurn(`typed ${round}`));
      await world.rounds();
    }
    const { session } = await world.awareness.sessionStatus({ sessionKey: bad });
    expect(session?.upstream?.nextCheckAt?.getTime()).toBeGreaterThan(Date.now() + 3 * 60_000);
    const notices = await world.awareness.subscribe(boss);
    broken = false;
    appendFileSync(file, claudeTurn("typed when it was readable again"));
    await notices.next();
    await notices.return?.();
    expect(await world.turns(bad)).toBe(6);
  });

  it("a check that is under way when the service stops ends early", async () => {
    let begun: (signal: AbortSignal) => void = () => undefined;
    const underWay = new Promise<AbortSignal>((resolve) => {
      begun = resolve;
    });
    world = await sqliteWorld({
      around: (sources) => ({
        ...sources,
        async check(_link, signal) {
          begun(signal);
          await once(signal, "abort");
          return { outcome: "gone" };
        },
      }),
    });
    writeFileSync(world.claudeFile("thread"), claudeTurn("old"));
    const session = await world.follow("CLAUDE_CODE", "thread");
    const round = world.rounds();
    await underWay;
    await world.restart();
    await round;
    const { session: record } = await world.awareness.sessionStatus({ sessionKey: session });
    // Half a look says nothing.
    expect(record?.upstream).toMatchObject({ missedChecks: 0 });
  });

  it("a round that is under way when the service stops is waited for: the database does not close before", async () => {
    const logged: string[] = [];
    const log = pino({ level: "warn" }, { write: (line: string) => logged.push(line) });
    world = await sqliteWorld({ log });
    for (const thread of ["one", "two", "three"]) {
      writeFileSync(world.claudeFile(thread), claudeTurn("old"));
      utimesSync(world.claudeFile(thread), 1_700_000_000, 1_700_000_000);
      await world.follow("CLAUDE_CODE", thread);
    }
    for (let turns = 0; turns < 20; turns += 1) {
      // From now on their files are looked at only: such a round has nothing but the database to wait for.
      await world.rounds();
      const round = world.rounds();
      for (let turn = 0; turn < turns; turn += 1) await nextTurn();
      await Promise.all([round, world.restart()]);
    }
    expect(logged).toEqual([]);
  });
});
