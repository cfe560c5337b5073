import { appendFileSync, chmodSync, mkdirSync, renameSync, rmdirSync, rmSync, writeFileSync } from "node:fs";
import { setImmediate as nextTurn } from "node:timers/promises";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { claudeTurn, sha256 } from "./lines.js";
import { nextMillisecond } from "./typing.js";
import { boss, type OpenWorld, type World } from "./world.js";

/** What a check saves, on any database. */
export function describeChecks(database: string, open: OpenWorld): void {
  describe(`checks on ${database}`, () => {
    let world: World;
    let file: string;
    let session: string;

    beforeEach(async () => {
      world = await open();
      file = world.claudeFile("thread");
      writeFileSync(file, claudeTurn("old"));
      session = await world.follow("CLAUDE_CODE", "thread");
    });
    afterEach(() => world.dispose());

    const link = async () => (await world.awareness.sessionStatus({ sessionKey: session })).session?.upstream ?? null;
    const count = async (kind: string) => (await world.events(session)).filter((event) => event.kind === kind).length;
    const note = (text: string) => world.awareness.noteOwnPrompt({ sessionKey: session, textDigest: sha256(text) });

    describe("own prompts", () => {
      it("each noted digest swallows one matching turn", async () => {
        expect(await note("go on")).toEqual({ noted: true });
        await note("something else");
        appendFileSync(file, claudeTurn("go on") + claudeTurn("go on") + claudeTurn("typed"));
        await world.rounds();
        expect(await world.turns(session)).toBe(2);
        appendFileSync(file, claudeTurn("go on"));
        await world.rounds();
        expect(await world.turns(session)).toBe(3);
      });

      it("a check with own prompts only tells nothing, and the position moves", async () => {
        await note("go on");
        appendFileSync(file, claudeTurn("go on"));
        await world.rounds(2);
        expect(await count("HUMAN_DIRECT_MESSAGE")).toBe(0);
      });

      it("are compared normalised: NFC, trimmed, white-space runs to one space", async () => {
        await note("caf\u00e9 and more");
        appendFileSync(file, claudeTurn("  cafe\u0301\r\n\tand   more\n"));
        await world.rounds();
        expect(await world.turns(session)).toBe(0);
      });

      it("the last ten of a session are kept", async () => {
        for (let index = 0; index < 11; index += 1) await note(`prompt ${index}`);
        appendFileSync(file, Array.from({ length: 11 }, (_, index) => claudeTurn(`prompt ${index}`)).join(""));
        await world.rounds();
        expect(await world.turns(session)).toBe(1);
      });

      it("swallow nothing of another session", async () => {
        const other = await world.awareness.adoptSession({
          source: { kind: "CLAUDE_CODE", threadId: "thread" },
          agentId: "other",
        });
        await world.awareness.noteOwnPrompt({ sessionKey: other.session.sessionKey, textDigest: sha256("go on") });
        appendFileSync(file, claudeTurn("go on"));
        await world.rounds();
        expect(await world.turns(session)).toBe(1);
      });

      it("sent before the watch are used up by it: the same words typed later are a person's", async () => {
        await world.awareness.unwatch({ watcherSessionKey: boss, targetSessionKey: session });
        await note("go on");
        await nextMillisecond();
        appendFileSync(file, claudeTurn("go on"));
        await nextMillisecond();
        await world.awareness.watch({ watcherSessionKey: boss, targetSessionKey: session });
        await world.rounds();
        expect(await world.turns(session)).toBe(0);
        appendFileSync(file, claudeTurn("go on"));
        await world.rounds();
        expect(await world.turns(session)).toBe(1);
      });

      it("go with the link: after a source was gone and is adopted anew they swallow nothing", async () => {
        await note("go on");
        renameSync(file, `${file}.away`);
        await world.rounds(3);
        expect(await link()).toBeNull();
        renameSync(`${file}.away`, file);
        await world.follow("CLAUDE_CODE", "thread");
        appendFileSync(file, claudeTurn("go on"));
        await world.rounds();
        expect(await world.turns(session)).toBe(1);
      });

      it("are not noted where nothing is monitored, and refused where the digest is none", async () => {
        const stranger = { sessionKey: "agent:worker:main", textDigest: sha256("go on") };
        expect(await world.awareness.noteOwnPrompt(stranger)).toEqual({ noted: false });
        const refused = world.awareness.noteOwnPrompt({ sessionKey: session, textDigest: sha256("x").toUpperCase() });
        await expect(refused).rejects.toMatchObject({ code: "BAD_USER_INPUT", field: "textDigest" });
      });

      it("survive a restart, and are used up once", async () => {
        await note("go on");
        await world.restart();
        appendFileSync(file, claudeTurn("go on") + claudeTurn("go on"));
        await world.rounds();
        expect(await world.turns(session)).toBe(1);
      });
    });

    describe("a source that is gone", () => {
      const hide = () => renameSync(file, `${file}.away`);
      const show = () => renameSync(`${file}.away`, file);

      it("for two checks, back, again for two: nothing; for three in a row: one UPSTREAM_MISSING, the link removed", async () => {
        hide();
        await world.rounds(2);
        expect((await link())?.missedChecks).toBe(2);
        show();
        await world.rounds();
        expect((await link())?.missedChecks).toBe(0);
        hide();
        await world.rounds(2);
        expect(await count("UPSTREAM_MISSING")).toBe(0);
        await world.rounds(3);
        expect(await count("UPSTREAM_MISSING")).toBe(1);
        expect(await link()).toBeNull();
        expect(await world.awareness.pendingNotices({ watcherSessionKey: boss })).toHaveLength(1);
      });

      it("twice, unreadable once, and twice again is not gone three times in a row", async () => {
        hide();
        await world.rounds(2);
        mkdirSync(file);
        await world.rounds();
        expect(await link()).toMatchObject({ missedChecks: 0, failedChecks: 1 });
        rmdirSync(file);
        await world.rounds(2);
        expect(await link()).toMatchObject({ missedChecks: 2, failedChecks: 0 });
        await world.rounds();
        expect(await count("UPSTREAM_MISSING")).toBe(1);
      });

      it("is counted across restarts, and adopted anew when it is back", async () => {
        hide();
        for (let check = 0; check < 3; check += 1) {
          await world.rounds();
          await world.restart();
        }
        expect(await count("UPSTREAM_MISSING")).toBe(1);
        show();
        appendFileSync(file, claudeTurn("typed while it was away"));
        await world.follow("CLAUDE_CODE", "thread");
        appendFileSync(file, claudeTurn("typed"));
        await world.rounds();
        expect(await world.turns(session)).toBe(1);
        expect(await count("ADOPTED")).toBe(1);
      });

      it("is not gone while the whole folder is missing: a home may not be mounted", async () => {
        renameSync(world.claudeDir, `${world.claudeDir}.away`);
        await world.rounds(5);
        renameSync(`${world.claudeDir}.away`, world.claudeDir);
        expect(await count("UPSTREAM_MISSING")).toBe(0);
        expect(await link()).toMatchObject({ missedChecks: 0 });
      });
    });

    it("a check that fails says nothing of the end: what was typed before it is told, in a file that was replaced too", async () => {
      const other = world.claudeFile("many");
      const past = Array.from({ length: 1_100 }, (_, index) => claudeTurn(`old ${index}`));
      writeFileSync(other, past.join(""));
      session = await world.follow("CLAUDE_CODE", "many");
      renameSync(other, `${other}.away`);
      await world.rounds();
      expect((await link())?.missedChecks).toBe(1);
      mkdirSync(other);
      await world.rounds();
      expect((await link())?.failedChecks).toBe(1);
      rmdirSync(other);
      // More is past than is remembered, and nothing of it is left: times alone tell what is new.
      const timestamp = (seconds: number) => new Date(Date.now() + seconds * 1_000).toISOString();
      const turns = [
        claudeTurn("long ago", { timestamp: timestamp(-60) }),
        claudeTurn("new", { timestamp: timestamp(30) }),
      ];
      writeFileSync(other, turns.join(""));
      await world.rounds();
      expect(await world.turns(session)).toBe(1);
    });

    it("a check that had no time for all there is says nothing of the end either", async () => {
      const { monitoring } = world.awareness;
      const [found] = await monitoring.linksToCheck("local");
      const state = async () => {
        const present = await monitoring.link(found?.id ?? 0);
        if (present === null) throw new Error("the link that was just made exists");
        return present;
      };
      const first = await state();
      const read = { outcome: "read" as const, source: first, turns: [], skippedRows: 0, unknownRows: 0 };
      await nextMoment(first.settledAt);
      await monitoring.saveCheck(first, { ...read, more: true }, 0);
      await monitoring.saveCheck(await state(), { outcome: "unchanged", more: true }, 0);
      expect((await state()).settledAt).toEqual(first.settledAt);
      await monitoring.saveCheck(await state(), { ...read, more: false }, 0);
      expect((await state()).settledAt.getTime()).toBeGreaterThan(first.settledAt.getTime());
    });

    it("unreadable is not gone: mode 000 for five checks is nothing but visible, then all is told once", async () => {
      appendFileSync(file, claudeTurn("typed"));
      chmodSync(file, 0o000);
      await asNobody(() => world.rounds(5));
      expect(await link()).toMatchObject({ missedChecks: 0, nextCheckAt: expect.any(Date) });
      // The first failure is tried again in the next round, then ever more rounds go by.
      expect((await link())?.failedChecks).toBeLessThan(5);
      expect(await world.events(session)).toHaveLength(1);
      chmodSync(file, 0o600);
      // However long it was to rest: a file that has changed is looked at in the next round.
      await world.rounds();
      expect(await link()).toMatchObject({ failedChecks: 0, nextCheckAt: null });
      expect(await world.turns(session)).toBe(1);
    });

    it("a database that refuses for a while loses and doubles nothing: told once afterwards", async () => {
      await world.execute(refuse);
      appendFileSync(file, claudeTurn("typed") + claudeTurn("typed too"));
      await world.rounds(3);
      expect(await world.events(session)).toHaveLength(1);
      await world.execute(accept);
      await world.rounds(2);
      const told = (await world.events(session)).filter(({ kind }) => kind === "HUMAN_DIRECT_MESSAGE");
      expect(told.map(({ payload }) => payload)).toEqual([{ turns: 2 }]);
    });

    it("two servers on one database tell every turn once", async () => {
      const other = await world.another();
      for (let round = 0; round < 10; round += 1) {
        appendFileSync(file, claudeTurn(`typed ${round}`));
        await Promise.all([world.rounds(), other.monitor.round()]);
      }
      await world.rounds();
      await other.stop();
      expect(await world.turns(session)).toBe(10);
      expect(await link()).toMatchObject({ missedChecks: 0 });
    });

    it("two servers on one database count a missing source as one does", async () => {
      const other = await world.another();
      rmSync(file);
      for (let round = 0; round < 2; round += 1) {
        await world.rounds();
        await other.monitor.round();
      }
      expect((await link())?.missedChecks).toBe(2);
      await other.stop();
    });

    it("a report made from an older state changes nothing", async () => {
      const { monitoring } = world.awareness;
      const [found] = await monitoring.linksToCheck("local");
      const state = await monitoring.link(found?.id ?? 0);
      if (state === null) throw new Error("the link that was just made exists");
      const turn = { digest: sha256("typed"), at: null };
      const report = {
        outcome: "read" as const,
        source: state,
        turns: [turn],
        skippedRows: 0,
        unknownRows: 0,
        more: false,
      };
      expect(await Promise.all([1, 2, 3].map(() => monitoring.saveCheck(state, report, 0)))).toEqual([
        ...["SAVED", "STALE", "STALE"],
      ]);
      expect(await world.turns(session)).toBe(1);
    });

    it("reports of a missing source that were made from one state count as one", async () => {
      const { monitoring } = world.awareness;
      const [found] = await monitoring.linksToCheck("local");
      const state = await monitoring.link(found?.id ?? 0);
      if (state === null) throw new Error("the link that was just made exists");
      const saved = await Promise.all([1, 2, 3].map(() => monitoring.saveCheck(state, { outcome: "gone" }, 0)));
      expect(saved).toEqual(["SAVED", "STALE", "STALE"]);
      expect((await link())?.missedChecks).toBe(1);
    });

    it("a second watcher that begins after a turn takes it from nobody", async () => {
      appendFileSync(file, claudeTurn("typed"));
      await world.awareness.watch({ watcherSessionKey: "agent:late:main", targetSessionKey: session });
      await world.rounds();
      expect(await world.turns(session)).toBe(1);
    });

    it("a watch that ends while a check is under way: the position moves, nothing is logged", async () => {
      const { monitoring } = world.awareness;
      const [found] = await monitoring.linksToCheck("local");
      const state = await monitoring.link(found?.id ?? 0);
      if (state === null) throw new Error("the link that was just made exists");
      await world.awareness.unwatch({ watcherSessionKey: boss, targetSessionKey: session });
      const turn = { digest: sha256("typed"), at: null };
      const report = {
        outcome: "read" as const,
        source: { ...state, position: 1 },
        turns: [turn],
        skippedRows: 0,
        unknownRows: 0,
        more: false,
      };
      expect(await monitoring.saveCheck(state, report, 0)).toBe("SAVED");
      expect((await monitoring.link(state.id))?.position).toBe(1);
      expect(await world.turns(session)).toBe(0);
    });
  });
}

const refuse = {
  sqlite: "CREATE TRIGGER refuse BEFORE INSERT ON session_state_events BEGIN SELECT RAISE(ABORT, 'refused'); END",
  postgresql: `CREATE FUNCTION refuse() RETURNS trigger AS $$ BEGIN RAISE EXCEPTION 'refused'; END $$ LANGUAGE plpgsql;
    CREATE TRIGGER refuse BEFORE INSERT ON session_state_events FOR EACH ROW EXECUTE FUNCTION refuse()`,
};
const accept = {
  sqlite: "DROP TRIGGER refuse",
  postgresql: "DROP TRIGGER refuse ON session_state_events",
};

/** Waits until the clock says another millisecond. */
async function nextMoment(after: Date): Promise<void> {
  while (Date.now() <= after.getTime()) await nextTurn();
}

/** Modes do not bind root, so for a while this process is somebody else. */
async function asNobody(work: () => Promise<void>): Promise<void> {
  const isRoot = process.getuid?.() === 0;
  if (isRoot) process.seteuid?.(65_534);
  try {
    await work();
  } finally {
    if (isRoot) process.seteuid?.(0);
  }
}
