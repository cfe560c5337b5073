import type { WatchRecord } from "../storage/records.js";

/**
 * The moves of one cursor (contract, section 6). Always `lastSeen <= notified <= material`; a notice is pending while
 * `notified` is beyond `lastSeen`, and stays frozen until it is covered.
 */

export function isPending(cursor: WatchRecord): boolean {
  return cursor.notified > cursor.lastSeen;
}

/**
 * Acknowledges up to `position`: the notice that was shown, or what the watcher has read beyond it. If material is
 * beyond that, exactly one new notice opens for the rest; its `changesSince` is `position`.
 */
export function acknowledge(cursor: WatchRecord, position: number, now: Date): WatchRecord {
  const reopens = cursor.material > position;
  return {
    ...cursor,
    lastSeen: position,
    notified: reopens ? cursor.material : position,
    material: Math.max(cursor.material, position),
    openedAt: reopens ? now : null,
    updatedAt: now,
  };
}

/**
 * Where `reconcile(upTo)` moves the cursor: the same cursor when it does not move, because the position was passed
 * already or stops short of a pending notice, which then stands.
 */
export function reconcile(cursor: WatchRecord, upTo: number, now: Date): WatchRecord {
  if (upTo <= cursor.lastSeen || upTo < cursor.notified) return cursor;
  return acknowledge(cursor, upTo, now);
}
