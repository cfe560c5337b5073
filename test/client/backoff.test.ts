import { describe, expect, test } from "vitest";
import { pause, reconnectDelay } from "../../src/client/backoff.js";

describe("waiting before a reconnect", () => {
  test("the first try comes within a second", () => {
    expect(reconnectDelay(0, 0)).toBe(0);
    expect(reconnectDelay(0, 0.999)).toBeLessThan(1_000);
  });

  test("the window doubles with each failure and is capped at 30 seconds, also after a night of failures", () => {
    const windows = [0, 1, 2, 3, 4, 5, 6, 5_000].map((failures) => reconnectDelay(failures, 1));
    expect(windows).toEqual([1_000, 2_000, 4_000, 8_000, 16_000, 30_000, 30_000, 30_000]);
  });

  test("agents that lost the same server are spread over the whole window", () => {
    expect([0, 0.25, 0.5, 0.75].map((random) => reconnectDelay(6, random))).toEqual([0, 7_500, 15_000, 22_500]);
  });

  test("an abort ends the wait at once", async () => {
    const stop = new AbortController();
    const waiting = pause(2 ** 30, stop.signal);
    stop.abort();
    await waiting;
    await pause(2 ** 30, stop.signal);
  });
});
