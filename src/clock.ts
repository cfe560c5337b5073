/** The time, as an argument: rules take `now`, tests hand in their own clock. */
export type Clock = { now(): Date };

export const dayMs = 24 * 60 * 60 * 1000;

const latestMs = Date.UTC(10_000, 0) - 1;

/** The time nearest to `ms` that every database holds, from 1970 to the end of the year 9999: a cursor may say anything. */
export function clampedTime(ms: number): Date {
  return new Date(Math.min(Math.max(ms, 0), latestMs));
}

export const systemClock: Clock = { now: () => new Date() };

/** Resolves after `ms` milliseconds, or at once when `signal` aborts; never rejects. */
export function sleep(ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal?.aborted) return resolve();
    const timer = setTimeout(done, ms);
    function done() {
      clearTimeout(timer);
      signal?.removeEventListener("abort", done);
      resolve();
    }
    signal?.addEventListener("abort", done, { once: true });
  });
}

/** Resolves when all of this has settled, or after `ms` milliseconds; never rejects. */
export async function settledWithin(ms: number, work: Iterable<Promise<unknown>>): Promise<void> {
  const settled = new AbortController();
  const all = Promise.allSettled(work).then(() => settled.abort());
  await Promise.race([all, sleep(ms, settled.signal)]);
}
