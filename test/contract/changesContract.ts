import { describe, expect, test } from "vitest";
import {
  appended,
  completed,
  dayMs,
  goal,
  hourMs,
  type OpenDomain,
  sharedDomain,
  TestClock,
} from "./domainContract.js";

/** Section 8: the exact delta, its gap, and retention. */
export function describeChanges(database: string, open: OpenDomain): void {
  describe(`changes on ${database}`, () => {
    const domain = sharedDomain(open);
    const changes = async (sessionKey: string, changesSince: number, first?: number) => {
      const { stateChanges } = await domain.awareness.sessionStatus({ sessionKey, changesSince, first });
      if (stateChanges === null) throw new Error("changesSince was given");
      return stateChanges;
    };

    test("events of that session with a higher sequence, ascending; sparse numbers are no gap", async () => {
      const { worker, other } = domain.keys();
      const own: number[] = [];
      for (let i = 0; i < 3; i += 1) {
        own.push(await appended(domain.awareness, goal(worker)));
        await appended(domain.awareness, goal(other));
      }
      const [since = 0, ...rest] = own;
      const delta = await changes(worker, since);
      expect(delta.events.map(({ sequence }) => sequence)).toEqual(rest);
      expect(delta).toMatchObject({ historyGap: false, truncated: false, nextChangesSince: rest.at(-1) });
    });

    test("truncated and nextChangesSince page on without overlap or hole", async () => {
      const { worker } = domain.keys();
      const written = await domain.awareness.appendMany(Array.from({ length: 23 }, () => completed(worker)));
      const seen: number[] = [];
      let since = 0;
      for (;;) {
        const page = await changes(worker, since, 5);
        seen.push(...page.events.map(({ sequence }) => sequence));
        since = page.nextChangesSince;
        if (!page.truncated) break;
      }
      expect(seen).toEqual(written.map(({ event }) => event?.sequence));
      expect(await changes(worker, since)).toMatchObject({ events: [], truncated: false, nextChangesSince: since });
    });

    test("a version above every number this log issued is refused; between the head and that: empty, no gap", async () => {
      const { worker, other } = domain.keys();
      const head = await appended(domain.awareness, goal(worker));
      const issued = await appended(domain.awareness, goal(other));
      expect(await changes(worker, issued)).toMatchObject({ events: [], historyGap: false, nextChangesSince: issued });
      expect(head).toBeLessThan(issued);
      await expect(changes(worker, issued + 1)).rejects.toMatchObject({ code: "VERSION_AHEAD_OF_LOG" });
      await expect(changes(worker, 2 ** 31)).rejects.toMatchObject({ code: "VERSION_AHEAD_OF_LOG" });
      for (const wrong of [-1, 1.5, 2 ** 53, 2 ** 63, Number.NaN]) {
        await expect(changes(worker, wrong)).rejects.toMatchObject({ code: "BAD_USER_INPUT", field: "changesSince" });
      }
      for (const first of [0, 201, 1.5]) {
        await expect(changes(worker, 0, first)).rejects.toMatchObject({ code: "BAD_USER_INPUT", field: "first" });
      }
    });

    test("reading moves no cursor and changes nothing", async () => {
      const { boss, worker } = domain.keys();
      await domain.awareness.watch({ watcherSessionKey: boss, targetSessionKey: worker });
      await appended(domain.awareness, goal(worker));
      const before = await domain.awareness.watches({ watcherSessionKey: boss });
      await changes(worker, 0);
      expect(await domain.awareness.watches({ watcherSessionKey: boss })).toEqual(before);
    });

    test("a reader that always asks since the last sequence it saw sees every event exactly once", async () => {
      const { worker } = domain.keys();
      let writing = true;
      const writers = Promise.all(
        Array.from({ length: 8 }, async () => {
          for (let i = 0; i < 25; i += 1) await appended(domain.awareness, goal(worker));
        }),
      ).finally(() => {
        writing = false;
      });
      const seen: number[] = [];
      let last = false;
      while (!last) {
        last = !writing;
        // A reader in this process never waits for a socket, and would not let the writers go on.
        await new Promise((resolve) => setImmediate(resolve));
        const page = await changes(worker, seen.at(-1) ?? 0, 7);
        seen.push(...page.events.map(({ sequence }) => sequence));
        last &&= page.events.length === 0;
      }
      await writers;
      expect(seen).toHaveLength(200);
      expect(new Set(seen).size).toBe(200);
    });
  });

  describe(`what a delete leaves on ${database}`, () => {
    const clock = new TestClock();
    const domain = sharedDomain(open, { clock });

    test("for 30 days a version from before a delete answers historyGap: true, also to a later session of the same name", async () => {
      const { worker } = domain.keys();
      const name = { sessionKey: worker };
      await appended(domain.awareness, goal(worker));
      const old = await appended(domain.awareness, goal(worker));
      await domain.awareness.deleteSession(name);
      const gap = async (changesSince: number) =>
        (await domain.awareness.sessionStatus({ ...name, changesSince })).stateChanges?.historyGap;
      expect(await gap(old)).toBe(true);
      const anew = await appended(domain.awareness, goal(worker));
      expect([await gap(old - 1), await gap(old), await gap(anew)]).toEqual([true, true, false]);
      const { stateChanges } = await domain.awareness.sessionStatus({ ...name, changesSince: old });
      expect(stateChanges?.events.map(({ sequence }) => sequence)).toEqual([anew]);
      clock.moveOn(29 * dayMs);
      expect(await gap(old)).toBe(true);
      clock.moveOn(dayMs + 1);
      expect(await gap(old)).toBe(false);
      await domain.awareness.sweep();
      expect(await gap(old)).toBe(true); // The event of the later session is 30 days old itself by now.
    });

    test("a gap after a delete is told once: whoever goes on from nextChangesSince comes to rest, and misses nothing", async () => {
      const { worker } = domain.keys();
      const name = { sessionKey: worker };
      await appended(domain.awareness, goal(worker));
      await domain.awareness.deleteSession(name);
      await domain.awareness.registerSession(name);
      const read = async (changesSince: number) => {
        const { stateVersion, stateChanges } = await domain.awareness.sessionStatus({ ...name, changesSince });
        if (stateChanges === null) throw new Error("changesSince was given");
        return { stateVersion, ...stateChanges };
      };
      const { nextChangesSince: line } = await read(0);
      expect(await read(0)).toMatchObject({ stateVersion: 0, historyGap: true, events: [] });
      expect(await read(line)).toMatchObject({ historyGap: false, events: [], nextChangesSince: line });
      const anew = await appended(domain.awareness, goal(worker));
      expect(anew).toBeGreaterThan(line);
      const delta = await read(line);
      expect(delta).toMatchObject({ historyGap: false, stateVersion: anew, nextChangesSince: anew });
      expect(delta.events.map(({ sequence }) => sequence)).toEqual([anew]);
    });

    test("a watch made after a delete starts at the later session: what its notice asks for has no gap", async () => {
      const { boss, worker } = domain.keys();
      const pair = { watcherSessionKey: boss, targetSessionKey: worker };
      const old = await appended(domain.awareness, goal(worker));
      await domain.awareness.deleteSession({ sessionKey: worker });
      const { watch } = await domain.awareness.watch(pair);
      const start = watch?.lastSeen ?? 0;
      expect(start).toBeGreaterThan(old);
      await expect(domain.awareness.reconcile({ ...pair, upTo: start })).resolves.toEqual({ watch });
      await expect(domain.awareness.reconcile({ ...pair, upTo: start + 1 })).rejects.toMatchObject({ field: "upTo" });
      const anew = await appended(domain.awareness, goal(worker));
      const [notice] = await domain.awareness.pendingNotices({ watcherSessionKey: boss });
      expect(notice).toMatchObject({ changesSince: start, notified: anew });
      const { stateChanges } = await domain.awareness.sessionStatus({ sessionKey: worker, changesSince: start });
      expect(stateChanges).toMatchObject({ historyGap: false, events: [{ sequence: anew }] });
    });

    test("a number that a delete took is never used, also when nothing is logged before a restart", async () => {
      const { worker, other } = domain.keys();
      const old = await appended(domain.awareness, goal(worker));
      await domain.awareness.deleteSession({ sessionKey: worker });
      await domain.restart();
      expect(await appended(domain.awareness, goal(other))).toBeGreaterThan(old + 1);
    });
  });

  describe(`retention on ${database}`, () => {
    const clock = new TestClock();
    const domain = sharedDomain(open, { clock, retentionRows: 20 });
    const gapAt = async (sessionKey: string, changesSince: number) =>
      (await domain.awareness.sessionStatus({ sessionKey, changesSince })).stateChanges?.historyGap;

    test("events older than 30 days go; the head stays; exactly at the watermark there is no gap", async () => {
      const { worker } = domain.keys();
      const old = await appended(domain.awareness, goal(worker));
      clock.moveOn(29 * dayMs);
      const young = await appended(domain.awareness, completed(worker));
      await domain.awareness.sweep();
      expect(await gapAt(worker, 0)).toBe(false);
      clock.moveOn(dayMs + hourMs);
      await domain.awareness.sweep();
      expect([await gapAt(worker, 0), await gapAt(worker, old - 1), await gapAt(worker, old)]).toEqual([
        true,
        true,
        false,
      ]);
      const status = await domain.awareness.sessionStatus({ sessionKey: worker, changesSince: 0 });
      expect(status.stateVersion).toBe(young);
      expect(status.stateChanges?.events.map(({ sequence }) => sequence)).toEqual([young]);
      clock.moveOn(31 * dayMs);
      await domain.awareness.sweep();
      expect((await domain.awareness.sessionStatus({ sessionKey: worker })).stateVersion).toBe(young);
      expect([await gapAt(worker, old), await gapAt(worker, young)]).toEqual([true, false]);
    });

    test("beyond the row cap the oldest of the whole log go; a number is never used twice", async () => {
      const { worker, other } = domain.keys();
      const first = await appended(domain.awareness, goal(other));
      const many = await domain.awareness.appendMany(Array.from({ length: 30 }, () => completed(worker)));
      await domain.awareness.sweep();
      const { stateChanges } = await domain.awareness.sessionStatus({ sessionKey: worker, changesSince: 0 });
      expect(stateChanges?.events.map(({ sequence }) => sequence)).toEqual(
        many.slice(10).map(({ event }) => event?.sequence),
      );
      expect([await gapAt(other, first - 1), await gapAt(other, first)]).toEqual([true, false]);
      clock.moveOn(40 * dayMs);
      await domain.awareness.sweep();
      expect(await appended(domain.awareness, goal(worker))).toBeGreaterThan(many.at(-1)?.event?.sequence ?? 0);
    });

    test("a notice whose events were pruned stays pending; its watch expires when nothing moved for 30 days", async () => {
      const { boss, worker } = domain.keys();
      const pending = () => domain.awareness.pendingNotices({ watcherSessionKey: boss });
      await domain.awareness.watch({ watcherSessionKey: boss, targetSessionKey: worker });
      await appended(domain.awareness, goal(worker));
      clock.moveOn(20 * dayMs);
      await appended(domain.awareness, goal(worker));
      clock.moveOn(20 * dayMs);
      await domain.awareness.sweep();
      expect(await pending()).toHaveLength(1);
      clock.moveOn(11 * dayMs);
      await domain.awareness.sweep();
      expect(await pending()).toEqual([]);
      expect((await domain.awareness.watches({ watcherSessionKey: boss })).edges).toEqual([]);
    });

    test("a version from before everything was pruned leads to the present one", async () => {
      const { worker } = domain.keys();
      const version = await appended(domain.awareness, goal(worker));
      clock.moveOn(31 * dayMs);
      await domain.awareness.sweep();
      const { stateChanges } = await domain.awareness.sessionStatus({ sessionKey: worker, changesSince: 0 });
      expect(stateChanges).toEqual({ events: [], historyGap: true, truncated: false, nextChangesSince: version });
    });
  });
}
