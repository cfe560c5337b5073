import type { StaleNotice } from "../../src/awareness/awareness.js";
import type { RunningAwareness } from "../../src/awareness/createAwareness.js";

/** The real domain with an eye on its subscriptions, and a hand to hold them back. */
export function observeSubscriptions() {
  const ends = new Set<() => void>();
  let begun: () => void = () => {};
  let held: Promise<void> | undefined;

  return {
    around: (awareness: RunningAwareness): RunningAwareness => ({
      ...awareness,
      async subscribe(watcher) {
        begun();
        const source = await awareness.subscribe(watcher);
        await held;
        return observed(source, () => {
          for (const resolve of ends) resolve();
        });
      },
    }),
    /** Resolves when the next subscription is asked for. */
    nextBegins: () =>
      new Promise<void>((resolve) => {
        begun = resolve;
      }),
    /** Resolves when one more subscription has been ended. */
    nextEnds: () =>
      new Promise<void>((resolve) => {
        const end = () => {
          ends.delete(end);
          resolve();
        };
        ends.add(end);
      }),
    /** Lets no subscription through until the function that comes back is called. */
    hold(): () => void {
      let release: () => void = () => {};
      held = new Promise((resolve) => {
        release = resolve;
      });
      return () => {
        held = undefined;
        release();
      };
    },
  };
}

function observed(source: AsyncIterableIterator<StaleNotice>, ended: () => void): AsyncIterableIterator<StaleNotice> {
  const iterator: AsyncIterableIterator<StaleNotice> = {
    next: () => source.next(),
    async return() {
      const result = await source.return?.();
      ended();
      return result ?? { done: true, value: undefined };
    },
    [Symbol.asyncIterator]: () => iterator,
  };
  return iterator;
}

/**
 * A domain whose every subscription brings `count` notices of about `bytes` each, as fast as they are asked for.
 * `pulled` is how many have been.
 */
export function endlessNotices(count: number, bytes: number) {
  const progress = { pulled: 0 };
  const notice: StaleNotice = {
    id: "x",
    watchId: 1,
    watcherSessionKey: "agent:slow:main",
    targetSessionKey: "x".repeat(bytes),
    targetAgentId: "a",
    changesSince: 0,
    notified: 1,
    openedAt: new Date(0),
    delivery: "IMMEDIATE",
  };
  async function* notices() {
    while (progress.pulled < count) {
      progress.pulled += 1;
      yield { ...notice, id: String(progress.pulled) };
    }
  }
  const around = (awareness: RunningAwareness): RunningAwareness => ({
    ...awareness,
    subscribe: async () => notices(),
  });
  return { around, progress };
}
