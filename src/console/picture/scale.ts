import type { SessionStateEvent } from "../../client/index.js";

export const step = 46;
export const laneHeight = 40;
export const eventsHeight = 74;
const margin = 30;
export const gapWidth = 64;

export type Scale = {
  readonly width: number;
  /** Where the first event stands. */
  readonly start: number;
  /** Where a version stands: at its event, or between those before and after it. */
  x(version: number): number;
};

/**
 * Events stand one step apart in their order: their numbers are from one line for the whole log, so the distances between
 * them mean nothing. A version older than all that is shown stands left of the first event.
 */
export function createScale(events: readonly SessionStateEvent[], hasOlder: boolean): Scale {
  const start = margin + (hasOlder ? gapWidth : step / 2);
  return {
    start,
    width: start + Math.max(events.length - 1, 0) * step + margin,
    x(version) {
      const at = events.findLastIndex(({ sequence }) => sequence <= version);
      if (at < 0) return start - step / 2;
      const isOn = events[at]?.sequence === version;
      return start + at * step + (isOn || at === events.length - 1 ? 0 : step / 2);
    },
  };
}
