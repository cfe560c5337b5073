import { describe, expect, test } from "vitest";
import { noticeId } from "../../src/awareness/noticeId.js";
import { appended, completed, cursorOf, goal, human, type OpenDomain, sharedDomain, spawn } from "./domainContract.js";

/** Section 6: one notice, not many. */
export function describeNotices(database: string, open: OpenDomain): void {
  describe(`notices on ${database}`, () => {
    const domain = sharedDomain(open);
    const pendingOf = (watcherSessionKey: string) => domain.awareness.pendingNotices({ watcherSessionKey });
    const watch = (watcherSessionKey: string, targetSessionKey: string) =>
      domain.awareness.watch({ watcherSessionKey, targetSessionKey });

    test("worked: 10/10/10, three human events, 10/11/13; drain, 11/13/13; drain, 13/13/13, nothing", async () => {
      const { boss, child } = domain.keys();
      const v = await appended(domain.awareness, spawn(child, boss));
      const cursor = () => cursorOf(domain.awareness, boss, child);
      expect(await cursor()).toBe(`${v}/${v}/${v}`);
      const [a, , c] = [
        await appended(domain.awareness, human(child)),
        await appended(domain.awareness, human(child)),
        await appended(domain.awareness, human(child)),
      ];
      expect(await cursor()).toBe(`${v}/${a}/${c}`);
      const [pending] = await pendingOf(boss);
      expect(pending).toMatchObject({ changesSince: v, notified: a });
      const first = await domain.awareness.drainNotices({ watcherSessionKey: boss });
      expect(first).toEqual({ notices: [pending], remaining: 1 });
      expect(await cursor()).toBe(`${a}/${c}/${c}`);
      const second = await domain.awareness.drainNotices({ watcherSessionKey: boss });
      expect(second).toMatchObject({ notices: [{ changesSince: a, notified: c }], remaining: 0 });
      expect(await cursor()).toBe(`${c}/${c}/${c}`);
      await expect(domain.awareness.drainNotices({ watcherSessionKey: boss })).resolves.toEqual({
        notices: [],
        remaining: 0,
      });
    });

    test("further material events do not change the pending notice by a byte, also across a restart", async () => {
      const { boss, worker } = domain.keys();
      await watch(boss, worker);
      await appended(domain.awareness, goal(worker));
      const before = JSON.stringify(await pendingOf(boss));
      await appended(domain.awareness, goal(worker));
      await domain.restart();
      await appended(domain.awareness, goal(worker));
      expect(JSON.stringify(await pendingOf(boss))).toBe(before);
    });

    test("log-only events and own events never open or reopen anything", async () => {
      const { boss, worker } = domain.keys();
      await watch(boss, worker);
      await domain.awareness.appendMany([completed(worker), goal(worker, boss), completed(worker)]);
      expect(await pendingOf(boss)).toEqual([]);
      const noticed = await appended(domain.awareness, goal(worker));
      await domain.awareness.appendMany([goal(worker, boss), completed(worker)]);
      const { notices, remaining } = await domain.awareness.drainNotices({ watcherSessionKey: boss });
      expect(notices.map(({ notified }) => notified)).toEqual([noticed]);
      expect(remaining).toBe(0);
    });

    test("own events are left out of material whoever acts in between, within one batch and across", async () => {
      const { boss, other, worker } = domain.keys();
      await watch(boss, worker);
      await watch(other, worker);
      const results = await domain.awareness.appendMany([goal(worker, boss), goal(worker, other), goal(worker, boss)]);
      const [n1 = 0, n2 = 0, n3 = 0] = results.map(({ event }) => event?.sequence);
      expect(await cursorOf(domain.awareness, boss, worker)).toBe(`0/${n2}/${n2}`);
      expect(await cursorOf(domain.awareness, other, worker)).toBe(`0/${n1}/${n3}`);
      const n4 = await appended(domain.awareness, goal(worker, other));
      expect(await cursorOf(domain.awareness, boss, worker)).toBe(`0/${n2}/${n4}`);
      expect(await cursorOf(domain.awareness, other, worker)).toBe(`0/${n1}/${n3}`);
    });

    test("drain returns at most limit, oldest first, acknowledges exactly those and says how many remain", async () => {
      const { boss } = domain.keys();
      const targets = [3, 1, 2].map((i) => `agent:t${i}:${boss}`);
      for (const target of targets) {
        await watch(boss, target);
        await appended(domain.awareness, goal(target));
      }
      const first = await domain.awareness.drainNotices({ watcherSessionKey: boss, limit: 2 });
      expect(first.notices.map(({ targetSessionKey }) => targetSessionKey)).toEqual(targets.slice(0, 2));
      expect(first.remaining).toBe(1);
      expect((await pendingOf(boss)).map(({ targetSessionKey }) => targetSessionKey)).toEqual(targets.slice(2));
      for (const limit of [0, -1, 501, 1.5]) {
        const refused = domain.awareness.drainNotices({ watcherSessionKey: boss, limit });
        await expect(refused).rejects.toMatchObject({ code: "BAD_USER_INPUT", field: "limit" });
      }
    });

    test("two drains at once never return the same notice", async () => {
      const { boss } = domain.keys();
      const targets = Array.from({ length: 40 }, (_, i) => `agent:t${i}:${boss}`);
      await Promise.all(targets.map((target) => watch(boss, target)));
      await domain.awareness.appendMany(targets.map((target) => goal(target)));
      const drains = await Promise.all(
        Array.from({ length: 8 }, () => domain.awareness.drainNotices({ watcherSessionKey: boss, limit: 10 })),
      );
      const ids = drains.flatMap(({ notices }) => notices.map(({ id }) => id));
      expect(ids).toHaveLength(40);
      expect(new Set(ids).size).toBe(40);
    });

    test("acknowledging twice is ALREADY_ACKNOWLEDGED; it opens one new notice for the rest", async () => {
      const { boss, worker } = domain.keys();
      await watch(boss, worker);
      await appended(domain.awareness, goal(worker));
      const rest = await appended(domain.awareness, goal(worker));
      const [pending] = await pendingOf(boss);
      const id = pending?.id ?? "";
      const { results } = await domain.awareness.acknowledgeNotices({ watcherSessionKey: boss, noticeIds: [id, id] });
      const [reopened] = await pendingOf(boss);
      expect(reopened).toMatchObject({ changesSince: pending?.notified, notified: rest });
      expect(results).toEqual([
        { noticeId: id, outcome: "ACKNOWLEDGED", reopened },
        { noticeId: id, outcome: "ALREADY_ACKNOWLEDGED", reopened: null },
      ]);
      const later = await domain.awareness.acknowledgeNotices({ watcherSessionKey: boss, noticeIds: [id] });
      expect(later.results).toEqual([{ noticeId: id, outcome: "ALREADY_ACKNOWLEDGED", reopened: null }]);
      expect(await pendingOf(boss)).toEqual([reopened]);
    });

    test("acknowledging never passes what was shown: the id of the notice that the same call opens is UNKNOWN", async () => {
      const { boss, worker } = domain.keys();
      await watch(boss, worker);
      const numbers: number[] = [];
      for (let i = 0; i < 3; i += 1) numbers.push(await appended(domain.awareness, goal(worker)));
      const [shown] = await pendingOf(boss);
      if (shown === undefined) throw new Error("a notice is pending");
      const ids = numbers.map((notified) => noticeId({ watchId: shown.watchId, notified }));
      const { results } = await domain.awareness.acknowledgeNotices({ watcherSessionKey: boss, noticeIds: ids });
      expect(results.map(({ outcome }) => outcome)).toEqual(["ACKNOWLEDGED", "UNKNOWN", "UNKNOWN"]);
      expect(await pendingOf(boss)).toMatchObject([{ changesSince: numbers[0], notified: numbers[2] }]);
    });

    test("an id of another watcher, of a watch made anew, or garbage is UNKNOWN and touches nothing", async () => {
      const { boss, other, worker } = domain.keys();
      await watch(boss, worker);
      await watch(other, worker);
      await appended(domain.awareness, goal(worker));
      const [stolen] = await pendingOf(other);
      const [own] = await pendingOf(boss);
      await domain.awareness.unwatch({ watcherSessionKey: boss, targetSessionKey: worker });
      await watch(boss, worker);
      await appended(domain.awareness, goal(worker));
      const noticeIds = [stolen?.id ?? "", own?.id ?? "", "garbage", "", "\ud800", "MQ"];
      const { results } = await domain.awareness.acknowledgeNotices({ watcherSessionKey: boss, noticeIds });
      expect(results.map(({ outcome }) => outcome)).toEqual(Array(6).fill("UNKNOWN"));
      expect(await pendingOf(other)).toEqual([stolen]);
      expect(await pendingOf(boss)).toHaveLength(1);
    });

    test("reconcile covers what was read: an agent that has just read everything is not told again", async () => {
      const { boss, worker } = domain.keys();
      await watch(boss, worker);
      await appended(domain.awareness, goal(worker));
      await appended(domain.awareness, goal(worker));
      const upTo = await appended(domain.awareness, completed(worker));
      const name = { watcherSessionKey: boss, targetSessionKey: worker };
      const { watch: moved } = await domain.awareness.reconcile({ ...name, upTo });
      expect(moved).toMatchObject({ lastSeen: upTo, notified: upTo });
      expect(await pendingOf(boss)).toEqual([]);
      const fallen = await domain.awareness.reconcile({ ...name, upTo: 0 });
      expect(fallen.watch?.lastSeen).toBe(upTo);
    });

    test("reconcile short of a pending notice changes nothing; material beyond it opens one new notice", async () => {
      const { boss, worker } = domain.keys();
      await watch(boss, worker);
      const before = await appended(domain.awareness, completed(worker));
      const first = await appended(domain.awareness, goal(worker));
      const rest = await appended(domain.awareness, goal(worker));
      const name = { watcherSessionKey: boss, targetSessionKey: worker };
      const standing = await pendingOf(boss);
      await domain.awareness.reconcile({ ...name, upTo: before });
      expect(await pendingOf(boss)).toEqual(standing);
      await domain.awareness.reconcile({ ...name, upTo: first });
      expect(await pendingOf(boss)).toMatchObject([{ changesSince: first, notified: rest }]);
    });

    test("upTo above the head is refused; a pair that is not watched has no watch to return", async () => {
      const { boss, worker } = domain.keys();
      const name = { watcherSessionKey: boss, targetSessionKey: worker };
      await expect(domain.awareness.reconcile({ ...name, upTo: 0 })).resolves.toEqual({ watch: null });
      await expect(domain.awareness.reconcile({ ...name, upTo: 1 })).rejects.toMatchObject({ field: "upTo" });
      await watch(boss, worker);
      const head = await appended(domain.awareness, goal(worker));
      const refused = domain.awareness.reconcile({ ...name, upTo: head + 1 });
      await expect(refused).rejects.toMatchObject({ code: "BAD_USER_INPUT", field: "upTo" });
      expect(await pendingOf(boss)).toHaveLength(1);
    });

    test("delivery is NEXT_TURN for a sub-agent watcher, else IMMEDIATE", async () => {
      const { boss, child, worker } = domain.keys();
      await watch(boss, worker);
      await watch(child, worker);
      await appended(domain.awareness, goal(worker));
      expect((await pendingOf(boss))[0]?.delivery).toBe("IMMEDIATE");
      expect((await pendingOf(child))[0]?.delivery).toBe("NEXT_TURN");
    });
  });
}
