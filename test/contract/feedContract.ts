import { describe, expect, test } from "vitest";
import type { StaleNotice } from "../../src/awareness/awareness.js";
import { appended, goal, type OpenDomain, sharedDomain } from "./domainContract.js";

/** Section 7: what a subscriber is told, and when. */
export function describeFeed(database: string, open: OpenDomain): void {
  describe(`the notice feed on ${database}`, () => {
    const domain = sharedDomain(open);
    const watch = (watcherSessionKey: string, targetSessionKey: string) =>
      domain.awareness.watch({ watcherSessionKey, targetSessionKey });

    test("on subscribe: every pending notice, oldest first, then new ones as they open", async () => {
      const { boss } = domain.keys();
      const targets = [2, 1, 3].map((i) => `agent:t${i}:${boss}`);
      for (const target of targets) await watch(boss, target);
      for (const target of targets.slice(0, 2)) await appended(domain.awareness, goal(target));
      const feed = await domain.awareness.subscribe(boss);
      await appended(domain.awareness, goal(targets[2] ?? ""));
      const heard = await take(feed, 3);
      expect(heard.map(({ targetSessionKey }) => targetSessionKey)).toEqual(targets);
      expect(heard).toEqual(await domain.awareness.pendingNotices({ watcherSessionKey: boss }));
      await feed.return?.();
    });

    test("an append that races the subscribe is delivered exactly once, 200 times", async () => {
      const { boss } = domain.keys();
      for (let round = 0; round < 200; round += 1) {
        const watcher = `agent:racer${round}:${boss}`;
        const target = `agent:target${round}:${boss}`;
        const fence = `agent:fence${round}:${boss}`;
        await watch(watcher, target);
        await watch(watcher, fence);
        const racing = appended(domain.awareness, goal(target));
        if (round % 3 === 1) await Promise.resolve();
        if (round % 3 === 2) await new Promise((resolve) => setImmediate(resolve));
        const feed = await domain.awareness.subscribe(watcher);
        await racing;
        // Whatever comes twice comes before the notice of this later event.
        await appended(domain.awareness, goal(fence));
        const heard = await take(feed, 2);
        expect(heard.map(({ targetSessionKey }) => targetSessionKey)).toEqual([target, fence]);
        await feed.return?.();
      }
    });

    test("delivery does not acknowledge: who comes again is told again of what is still pending", async () => {
      const { boss, worker } = domain.keys();
      await watch(boss, worker);
      await appended(domain.awareness, goal(worker));
      for (let time = 0; time < 2; time += 1) {
        const feed = await domain.awareness.subscribe(boss);
        expect(await take(feed, 1)).toEqual(await domain.awareness.pendingNotices({ watcherSessionKey: boss }));
        await feed.return?.();
      }
    });

    test("a slow subscriber holds at most one undelivered notice per pair, and gets the newest", async () => {
      const { boss, worker } = domain.keys();
      await watch(boss, worker);
      const feed = await domain.awareness.subscribe(boss);
      for (let i = 0; i < 20; i += 1) {
        await appended(domain.awareness, goal(worker));
        if (i < 19) await domain.awareness.drainNotices({ watcherSessionKey: boss });
      }
      const pending = await domain.awareness.pendingNotices({ watcherSessionKey: boss });
      expect(await take(feed, 1)).toEqual(pending);
      const next = feed.next();
      await feed.return?.();
      await expect(next).resolves.toEqual({ value: undefined, done: true });
    });

    test("a notice that was acknowledged before it was delivered is not delivered", async () => {
      const { boss, worker, other } = domain.keys();
      await watch(boss, worker);
      await watch(boss, other);
      const feed = await domain.awareness.subscribe(boss);
      await appended(domain.awareness, goal(worker));
      await domain.awareness.drainNotices({ watcherSessionKey: boss });
      await appended(domain.awareness, goal(other));
      const heard = await take(feed, 1);
      expect(heard.map(({ targetSessionKey }) => targetSessionKey)).toEqual([other]);
      await feed.return?.();
    });

    test("after a drain, the notice that opens for the rest is delivered", async () => {
      const { boss, worker } = domain.keys();
      await watch(boss, worker);
      const feed = await domain.awareness.subscribe(boss);
      const first = await appended(domain.awareness, goal(worker));
      const rest = await appended(domain.awareness, goal(worker));
      expect(await take(feed, 1)).toMatchObject([{ notified: first }]);
      await domain.awareness.drainNotices({ watcherSessionKey: boss });
      expect(await take(feed, 1)).toMatchObject([{ changesSince: first, notified: rest }]);
      await feed.return?.();
    });

    test("without a watcher: every notice of everybody", async () => {
      const { boss, other, worker } = domain.keys();
      const feed = await domain.awareness.subscribe(null);
      await watch(boss, worker);
      await watch(other, worker);
      await appended(domain.awareness, goal(worker));
      const heard = new Set<string>();
      for await (const { watcherSessionKey } of feed) {
        heard.add(watcherSessionKey);
        if (heard.has(boss) && heard.has(other)) break;
      }
      expect(heard).toContain(boss);
    });

    test("a subscriber that goes leaves nothing behind, also while it waits", async () => {
      const { boss } = domain.keys();
      const before = domain.awareness.subscriberCount();
      const feeds = await Promise.all(Array.from({ length: 20 }, () => domain.awareness.subscribe(boss)));
      const waiting = feeds.map((feed) => feed.next());
      expect(domain.awareness.subscriberCount()).toBe(before + 20);
      await Promise.all(feeds.map((feed) => feed.return?.()));
      expect(await Promise.all(waiting)).toEqual(Array(20).fill({ value: undefined, done: true }));
      expect(domain.awareness.subscriberCount()).toBe(before);
    });

    test("a malformed watcher is refused and leaves nothing behind", async () => {
      const before = domain.awareness.subscriberCount();
      await expect(domain.awareness.subscribe("agent:x")).rejects.toMatchObject({ field: "watcherSessionKey" });
      expect(domain.awareness.subscriberCount()).toBe(before);
    });
  });
}

async function take(feed: AsyncIterator<StaleNotice>, count: number): Promise<StaleNotice[]> {
  const heard: StaleNotice[] = [];
  while (heard.length < count) {
    const next = await feed.next();
    if (next.done) break;
    heard.push(next.value);
  }
  return heard;
}
