import { isDeepStrictEqual } from "node:util";
import { describe, expect, test } from "vitest";
import type { SessionChange, SessionCounts } from "../../src/awareness/awareness.js";
import { appended, completed, goal, type OpenDomain, sharedDomain, spawn } from "../contract/domainContract.js";
import type { DomainOptions } from "../support/domain.js";

/** What a follower of sessions is told, and when. */
export function describeSessionChanges(database: string, open: OpenDomain): void {
  describe(`sessionChanged on ${database}`, () => {
    const domain = sharedDomain(open);

    test("it begins with READ_AGAIN; what is committed from then on is told", async () => {
      const { worker } = domain.keys();
      const feed = await domain.awareness.sessionChanges();
      const sequence = await appended(domain.awareness, goal(worker));
      expect((await next(feed)).kind).toBe("READ_AGAIN");
      expect(await nextOf(feed, worker)).toMatchObject({
        kind: "CHANGED",
        session: { stateVersion: sequence, counts: { watchers: 0, staleWatchers: 0, pending: 0 } },
      });
      await feed.return?.();
    });

    test("one slot per session: however often it changes before it is read, it is told as it is then, and not 20 times", async () => {
      const { worker, other } = domain.keys();
      const feed = await domain.awareness.sessionChanges();
      await next(feed);
      let last = 0;
      for (let i = 0; i < 20; i += 1) last = await appended(domain.awareness, completed(worker));
      await appended(domain.awareness, completed(other));
      const versions: unknown[] = [];
      for (let told = await next(feed); told.sessionKey !== other; told = await next(feed)) {
        if (told.sessionKey === worker) versions.push(told.session?.stateVersion);
      }
      // The look at what other processes may have written can bring it once more, unchanged.
      expect(versions.length).toBeLessThanOrEqual(2);
      expect(new Set(versions)).toEqual(new Set([last]));
      await feed.return?.();
    });

    test("a session is told as it is then, also when it changed after others were told before it", async () => {
      const [one, two, three] = [domain.keys().worker, domain.keys().worker, domain.keys().worker];
      const feed = await domain.awareness.sessionChanges();
      await next(feed);
      for (const sessionKey of [one, two, three])
        await domain.awareness.registerSession({ sessionKey, label: "before" });
      expect((await nextOf(feed, one)).session?.label).toBe("before");
      await domain.awareness.registerSession({ sessionKey: two, label: "after" });
      await domain.awareness.deleteSession({ sessionKey: three });
      const told = new Map<string | null, unknown>();
      while (!told.has(two) || !told.has(three)) {
        const { kind, sessionKey, session } = await next(feed);
        if (!told.has(sessionKey)) told.set(sessionKey, session?.label ?? kind);
      }
      expect([told.get(two), told.get(three)]).toEqual(["after", "DELETED"]);
      await feed.return?.();
    });

    test("both sides of a watch are told when a notice opens and when it is drained, with their counts", async () => {
      const { boss, worker } = domain.keys();
      await domain.awareness.registerSession({ sessionKey: boss });
      const feed = await domain.awareness.sessionChanges();
      await next(feed);
      await domain.awareness.watch({ watcherSessionKey: boss, targetSessionKey: worker });
      await until(feed, ({ sessionKey, session }) => sessionKey === worker && session?.counts?.watchers === 1);
      await appended(domain.awareness, goal(worker));
      await untilAll(feed, {
        [boss]: { watchers: 0, staleWatchers: 0, pending: 1 },
        [worker]: { watchers: 1, staleWatchers: 1, pending: 0 },
      });
      await domain.awareness.drainNotices({ watcherSessionKey: boss });
      await untilAll(feed, {
        [boss]: { watchers: 0, staleWatchers: 0, pending: 0 },
        [worker]: { watchers: 1, staleWatchers: 0, pending: 0 },
      });
      await feed.return?.();
    });

    test("a deleted session is told as DELETED, a label as CHANGED, an ended watch as CHANGED", async () => {
      const { boss, worker, other } = domain.keys();
      await domain.awareness.watch({ watcherSessionKey: boss, targetSessionKey: other });
      await domain.awareness.registerSession({ sessionKey: worker });
      const feed = await domain.awareness.sessionChanges();
      await next(feed);
      await domain.awareness.registerSession({ sessionKey: worker, label: "Worker" });
      await until(feed, ({ kind, session }) => kind === "CHANGED" && session?.label === "Worker");
      await domain.awareness.deleteSession({ sessionKey: worker });
      await until(
        feed,
        ({ kind, sessionKey, session }) => kind === "DELETED" && sessionKey === worker && session === null,
      );
      await domain.awareness.unwatch({ watcherSessionKey: boss, targetSessionKey: other });
      await until(feed, ({ sessionKey, session }) => sessionKey === other && session?.counts?.watchers === 0);
      await feed.return?.();
    });

    test("whoever reaches some agents only hears of their sessions, counted as if there were no others", async () => {
      const { boss, worker, other } = domain.keys();
      const feed = await domain.awareness.sessionChanges({ agents: agentsOf(worker, other) });
      await next(feed);
      await domain.awareness.watch({ watcherSessionKey: boss, targetSessionKey: worker });
      await domain.awareness.watch({ watcherSessionKey: other, targetSessionKey: worker });
      await domain.awareness.watch({ watcherSessionKey: worker, targetSessionKey: boss });
      await appended(domain.awareness, goal(boss));
      await appended(domain.awareness, completed(other));
      const heard = new Set<string | null>();
      let counts: unknown;
      for (let told = await next(feed); told.sessionKey !== other; told = await next(feed)) {
        heard.add(told.sessionKey);
        if (told.sessionKey === worker) counts = told.session?.counts;
      }
      expect([...heard]).toEqual([worker]);
      expect(counts).toEqual({ watchers: 1, staleWatchers: 0, pending: 0 });
      await feed.return?.();
    });

    test("whoever reaches some agents only is told nothing of when a hidden session watches, reads or goes", async () => {
      const { boss, worker, other } = domain.keys();
      const pair = { watcherSessionKey: boss, targetSessionKey: worker };
      let agoMs = 3_600_000;
      const { awareness, dispose } = await open({ clock: { now: () => new Date(Date.now() - agoMs) } });
      await awareness.registerSession({ sessionKey: worker });
      const version = await appended(awareness, goal(worker));
      agoMs = 0;
      const feed = await awareness.sessionChanges({ agents: agentsOf(worker, other) });
      await next(feed);
      await awareness.watch(pair);
      await awareness.watch(pair);
      await appended(awareness, goal(other));
      await awareness.reconcile({ ...pair, upTo: version });
      await awareness.unwatch(pair);
      await awareness.watch(pair);
      await awareness.deleteSession({ sessionKey: boss });
      await appended(awareness, completed(other));
      // What other processes may have written is looked at too.
      for (let looks = 0; looks < 2; looks += 1) {
        await awareness.registerSession({ sessionKey: other, label: `look ${looks}` });
        for (let told = await next(feed); told.session?.label !== `look ${looks}`; told = await next(feed)) {
          expect(told.sessionKey).toBe(other);
        }
      }
      await feed.return?.();
      await dispose();
    });

    test("a follower that goes leaves nothing behind, also while it waits", async () => {
      const before = domain.awareness.subscriberCount();
      const feeds = await Promise.all(Array.from({ length: 20 }, () => domain.awareness.sessionChanges()));
      for (const feed of feeds) await next(feed);
      const waiting = feeds.map((feed) => feed.next());
      expect(domain.awareness.subscriberCount()).toBe(before + 20);
      await Promise.all(feeds.map((feed) => feed.return?.()));
      expect(await Promise.all(waiting)).toEqual(Array(20).fill({ value: undefined, done: true }));
      expect(domain.awareness.subscriberCount()).toBe(before);
    });

    test("the last changed first: pages hold every session once, in the order of change", async () => {
      const keys = Array.from({ length: 7 }, () => domain.keys().worker);
      for (const key of keys) await appended(domain.awareness, goal(key));
      const seen: string[] = [];
      let after: string | null = null;
      do {
        const page: Awaited<ReturnType<typeof domain.awareness.sessionsList>> = await domain.awareness.sessionsList({
          orderBy: "LAST_CHANGE",
          first: 3,
          after,
        });
        seen.push(...page.edges.map(({ node }) => node.sessionKey));
        after = page.hasNextPage ? (page.edges.at(-1)?.cursor ?? null) : null;
      } while (after !== null);
      expect(new Set(seen).size).toBe(seen.length);
      expect(seen).toEqual(expect.arrayContaining(keys));
      const times = await Promise.all(seen.map((key) => updatedAt(key)));
      expect(times).toEqual([...times].sort((one, other) => other - one));
      await expect(domain.awareness.sessionsList({ orderBy: "KEY", after: "WzEsImEiLCJiIl0" })).rejects.toMatchObject({
        field: "after",
      });
    });

    async function updatedAt(sessionKey: string): Promise<number> {
      const agentId = sessionKey.startsWith("agent:") ? undefined : "x";
      return (await domain.awareness.sessionStatus({ sessionKey, agentId })).session?.updatedAt.getTime() ?? 0;
    }
  });
}

/** Two servers on one database. */
export function describeAcross(
  database: string,
  start: (options?: DomainOptions) => Promise<[Followed, Followed]>,
): void {
  test(`sessionChanged crosses processes on ${database}: events, labels, drains and deletes of another are told here`, async () => {
    const [here, there] = await start();
    const feed = await here.sessionChanges();
    expect((await next(feed)).kind).toBe("READ_AGAIN");
    const [boss, worker] = ["agent:boss:main", "agent:worker:main"];
    await there.watch({ watcherSessionKey: boss, targetSessionKey: worker });
    await until(feed, ({ session }) => session?.sessionKey === worker && session.counts?.watchers === 1);
    await there.append(goal(worker));
    await until(feed, ({ session }) => session?.sessionKey === worker && session.counts?.staleWatchers === 1);
    await there.drainNotices({ watcherSessionKey: boss });
    await until(feed, ({ session }) => session?.sessionKey === worker && session.counts?.staleWatchers === 0);
    await there.registerSession({ sessionKey: worker, label: "Worker" });
    await until(feed, ({ session }) => session?.label === "Worker");
    await there.deleteSession({ sessionKey: worker });
    await until(feed, ({ kind, sessionKey }) => kind === "DELETED" && sessionKey === worker);
    await feed.return?.();
  });

  test(`what leaves no row behind is told across processes on ${database}: ended watches, and deletes of what was never logged`, async () => {
    const [here, there] = await start();
    const watch = (watcher: string, target: string) => ({ watcherSessionKey: watcher, targetSessionKey: target });
    const [boss, worker, lonely] = ["agent:boss:main", "agent:worker:main", "agent:lonely:main"];
    await there.registerSession({ sessionKey: lonely });
    for (const target of [worker, lonely]) await there.watch(watch(boss, target));
    const feed = await here.sessionChanges();
    await next(feed);
    await there.unwatch(watch(boss, worker));
    await until(feed, ({ sessionKey, session }) => sessionKey === worker && session?.counts?.watchers === 0);
    await there.watch(watch(boss, worker));
    await until(feed, ({ sessionKey, session }) => sessionKey === worker && session?.counts?.watchers === 1);
    await there.resetSession({ sessionKey: boss });
    await until(feed, ({ sessionKey, session }) => sessionKey === worker && session?.counts?.watchers === 0);
    await there.deleteSession({ sessionKey: lonely });
    await until(feed, ({ kind, sessionKey }) => kind === "DELETED" && sessionKey === lonely);
    expect((await here.sessionStatus({ sessionKey: lonely, changesSince: 0 })).stateChanges?.historyGap).toBe(false);
    await feed.return?.();
  });

  // The statements are the same on PostgreSQL, where making so many watches of one session takes too long.
  test.runIf(database === "SQLite")(
    `more ended watches than can be named are told across processes as READ_AGAIN on ${database}`,
    async () => {
      const [here, there] = await start();
      const child = "agent:worker:subagent:child";
      for (let from = 0; from < 1_500; from += 500) {
        await there.appendMany(Array.from({ length: 500 }, (_, n) => spawn(child, `agent:parent:${from + n}`)));
      }
      const feed = await here.sessionChanges();
      await next(feed);
      await there.append(completed(child));
      await until(feed, ({ sessionKey, session }) => sessionKey === child && session?.counts?.watchers === 1_500);
      await there.deleteSession({ sessionKey: child });
      await until(feed, ({ kind }) => kind === "READ_AGAIN");
      await feed.return?.();
    },
  );

  test(`a reader of some agents is told nothing of hidden watchers of another process on ${database}`, async () => {
    let agoMs = 3_600_000;
    const [here, there] = await start({ clock: { now: () => new Date(Date.now() - agoMs) } });
    const pair = { watcherSessionKey: "agent:hidden:main", targetSessionKey: "agent:worker:main" };
    await here.registerSession({ sessionKey: pair.targetSessionKey });
    agoMs = 0;
    const feed = await here.sessionChanges({ agents: new Set(["worker", "other"]) });
    await next(feed);
    for (let round = 0; round < 3; round += 1) {
      await there.watch(pair);
      await there.unwatch(pair);
      await there.registerSession({ sessionKey: "agent:other:main", label: `round ${round}` });
      for (let told = await next(feed); told.session?.label !== `round ${round}`; told = await next(feed)) {
        expect(told.sessionKey).toBe("agent:other:main");
      }
    }
    await feed.return?.();
  });
}

function agentsOf(...keys: string[]): ReadonlySet<string> {
  return new Set(keys.map((key) => key.split(":")[1] ?? ""));
}

type Followed = ReturnType<typeof sharedDomain>["awareness"];
type Feed = AsyncIterator<SessionChange>;

async function next(feed: Feed): Promise<SessionChange> {
  const { value, done } = await feed.next();
  if (done) throw new Error("the feed has ended");
  return value;
}

async function until(feed: Feed, fits: (change: SessionChange) => boolean): Promise<void> {
  while (!fits(await next(feed)));
}

async function nextOf(feed: Feed, key: string): Promise<SessionChange> {
  for (;;) {
    const change = await next(feed);
    if (change.sessionKey === key) return change;
  }
}

/** Until each of these has been told with these counts. */
async function untilAll(feed: Feed, counts: Readonly<Record<string, SessionCounts>>): Promise<void> {
  const waiting = new Set(Object.keys(counts));
  while (waiting.size > 0) {
    const { sessionKey, session } = await next(feed);
    if (sessionKey !== null && isDeepStrictEqual(session?.counts, counts[sessionKey])) waiting.delete(sessionKey);
  }
}
