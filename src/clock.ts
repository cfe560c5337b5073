/** The time, as an argument: rules take `now`, tests hand in their own clock. */
export type Clock = { now(): Date };

export const dayMs = 24 * 60 * 60 * 1000;

/** The last millisecond of the year 9999: beyond it, a time has no place in a database, nor in ISO 8601 as people know it. */
const latestMs = Date.UTC(10_000, 0) - 1;
const earliestMs = Date.parse("0001-01-01T00:00:00Z");

/** True for a time of the years 1 to 9999, in UTC. An invalid one is none. */
export function isStorable(time: Date): boolean {
  return time.getTime() >= earliestMs && time.getTime() <= latestMs;
}

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

/** Resolves to true when all of this has settled, to false after `ms` milliseconds; never rejects. */
export async function settledWithin(ms: number, work: Iterable<Promise<unknown>>): Promise<boolean> {
  const done = new AbortController();
  const inTime = Promise.allSettled(work).then(() => true);
  const tooLate = sleep(ms, done.signal).then(() => false);
  const isInTime = await Promise.race([inTime, tooLate]);
  done.abort(); // the timer must not keep the process
  return isInTime;
}
