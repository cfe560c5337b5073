/** The last millisecond of the year 9999: beyond it, a time has no place in a database, nor in ISO 8601 as people know it. */
const latestMs = Date.UTC(10_000, 0) - 1;
const earliestMs = Date.parse("0001-01-01T00:00:00Z");

/** True for a time of the years 1 to 9999, in UTC. An invalid one is none. */
export function isStorable(time: Date): boolean {
  return time.getTime() >= earliestMs && time.getTime() <= latestMs;
}
