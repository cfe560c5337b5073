import type { OfWatcher } from "../storage/cursorRows.js";
import { cursorOfPair, cursorsById, saveCursors } from "../storage/cursors.js";
import { presentVersion } from "../storage/heads.js";
import { countPending, pendingCursors } from "../storage/pending.js";
import { targetOf, type WatchRecord } from "../storage/records.js";
import type { Transaction } from "../storage/sql.js";
import type { AcknowledgeResult, Awareness } from "./awareness.js";
import { acknowledge, isPending, reconcile } from "./cursor.js";
import { rememberedSince } from "./deletedMemory.js";
import { parseNoticeId } from "./noticeId.js";
import { checkCount } from "./pageCursor.js";
import { badInput } from "./refusals.js";
import type { Rooms } from "./rooms.js";
import { checkKey } from "./sessionKey.js";
import { staleNotices } from "./staleNotice.js";
import { checkVersion } from "./stateVersion.js";
import { checkPair, endOf } from "./watches.js";
import type { Announcement } from "./writer.js";

/** Pending notices: look, drain, acknowledge, reconcile (contract, section 6). All of it is derived from cursors. */
export function notices(
  rooms: Rooms,
): Pick<Awareness, "pendingNotices" | "drainNotices" | "acknowledgeNotices" | "reconcile"> {
  const { database, limits } = rooms;
  const checkLimit = (limit: number | null | undefined) =>
    checkCount(limit, { field: "limit", max: limits.drainLimitMax, fallback: limits.drainLimitDefault });

  return {
    async pendingNotices(input) {
      const watcher = checkKey(input.watcherSessionKey, "watcherSessionKey");
      const limit = checkLimit(input.limit);
      const whose = { watcher, agents: input.agents ?? null };
      return staleNotices(await rooms.reading(pendingCursors(database.read, whose, limit)));
    },

    async drainNotices(input) {
      const watcher = checkKey(input.watcherSessionKey, "watcherSessionKey");
      const limit = checkLimit(input.limit);
      const whose = { watcher, agents: input.agents ?? null };
      return rooms.writing(async (tx, now) => {
        const shown = await lockCursors(tx, whose, await pendingCursors(tx, whose, limit));
        const moved = shown.map((cursor) => acknowledge(cursor, cursor.notified, now));
        await saveCursors(tx, moved, now);
        const remaining = await countPending(tx, whose);
        return { result: { notices: staleNotices(shown), remaining }, ...announce(shown, moved) };
      });
    },

    async acknowledgeNotices(input) {
      const watcher = checkKey(input.watcherSessionKey, "watcherSessionKey");
      const { noticeIds } = input;
      if (noticeIds.length > limits.acknowledgeMax) {
        throw badInput("noticeIds", `At most ${limits.acknowledgeMax} notices can be acknowledged at once.`);
      }
      const whose = { watcher, agents: input.agents ?? null };
      return rooms.writing((tx, now) => acknowledgeAll(tx, whose, noticeIds, now));
    },

    async reconcile(input) {
      const pair = checkPair(input);
      checkVersion(input.upTo, "upTo");
      return rooms.writing<{ watch: WatchRecord | null }>(async (tx, now) => {
        await tx.lock([targetOf(pair)]);
        const cursor = await cursorOfPair(tx, pair);
        const version = await presentVersion(tx, targetOf(pair), rememberedSince(rooms, now));
        // What was seen may be said again, also when the line it stems from is forgotten.
        if (input.upTo > Math.max(version, cursor?.lastSeen ?? 0)) {
          throw badInput("upTo", "upTo is above the target's state version; use a version you have read.");
        }
        if (cursor === null) return { result: { watch: null } };
        const moved = reconcile(cursor, input.upTo, now);
        if (moved === cursor) return { result: { watch: cursor } };
        await saveCursors(tx, [moved], now);
        return { result: { watch: moved }, ...announce([cursor], [moved]), moved: [pair] };
      });
    },
  };
}

/**
 * Holds these cursors still: takes the lock of their targets, then reads them again, because another process may have
 * moved them before the lock. Only those still pending come back, in the same order.
 */
async function lockCursors(tx: Transaction, whose: OfWatcher, cursors: readonly WatchRecord[]): Promise<WatchRecord[]> {
  await tx.lock(cursors.map(targetOf));
  const current = await cursorsById(
    tx,
    whose,
    cursors.map((cursor) => cursor.id),
  );
  const byId = new Map(current.map((cursor) => [cursor.id, cursor]));
  return cursors.flatMap(({ id }) => byId.get(id) ?? []).filter(isPending);
}

/** What a call names is compared with what stood before it: a notice that it opens itself has not been shown yet. */
async function acknowledgeAll(tx: Transaction, whose: OfWatcher, noticeIds: readonly string[], now: Date) {
  const asked = noticeIds.map((id) => ({ id, named: parseNoticeId(id) }));
  const ids = [...new Set(asked.flatMap(({ named }) => (named === null ? [] : [named.watchId])))];
  await tx.lock((await cursorsById(tx, whose, ids)).map(targetOf));
  const before = await cursorsById(tx, whose, ids);
  const cursors = new Map(before.map((cursor) => [cursor.id, cursor]));
  const moved = new Map<number, WatchRecord>();

  const results = asked.map(({ id, named }): AcknowledgeResult => {
    const cursor = named === null ? undefined : cursors.get(named.watchId);
    if (named === null || cursor === undefined) return unknown(id);
    if (named.notified <= cursor.lastSeen) return already(id);
    // Any other position beyond the acknowledged one was never shown.
    if (named.notified !== cursor.notified) return unknown(id);
    if (moved.has(cursor.id)) return already(id);
    const after = acknowledge(cursor, cursor.notified, now);
    moved.set(cursor.id, after);
    return { noticeId: id, outcome: "ACKNOWLEDGED", reopened: staleNotices([after])[0] ?? null };
  });

  await saveCursors(tx, [...moved.values()], now);
  const from = before.filter(({ id }) => moved.has(id));
  return { result: { results }, ...announce(from, [...moved.values()]) };
}

function unknown(noticeId: string): AcknowledgeResult {
  return { noticeId, outcome: "UNKNOWN", reopened: null };
}

function already(noticeId: string): AcknowledgeResult {
  return { noticeId, outcome: "ALREADY_ACKNOWLEDGED", reopened: null };
}

/** What a move means for subscribers: the notices of `from` are covered, those pending on `to` are new. */
function announce(from: readonly WatchRecord[], to: readonly WatchRecord[]): Announcement {
  return {
    closed: from.filter(isPending).map((cursor) => endOf(cursor, cursor.notified)),
    opened: staleNotices(to),
  };
}
