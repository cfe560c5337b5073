const firstStepMs = 1_000;
const longestMs = 30_000;

/**
 * Milliseconds to wait before the next connection after `failures` in a row (0: the connection had been good).
 * Full jitter: anywhere in a window that doubles from 1 s to 30 s, so the first try is quick and thousands of
 * agents that lost the same server do not come back in one moment. `random` is in [0, 1).
 */
export function reconnectDelay(failures: number, random: number): number {
  return Math.floor(random * Math.min(longestMs, firstStepMs * 2 ** failures));
}

/** Resolves after `ms` milliseconds, or at once when `signal` aborts; never rejects. */
export function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) return resolve();
    const timer = setTimeout(done, ms);
    function done() {
      clearTimeout(timer);
      signal.removeEventListener("abort", done);
      resolve();
    }
    signal.addEventListener("abort", done, { once: true });
  });
}
