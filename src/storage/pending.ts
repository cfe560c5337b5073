import { type CursorRow, isOf, type OfWatcher, pending, plainColumns, selectCursors, toWatch } from "./cursorRows.js";
import type { NoticeRecord, SessionIdentity, WatchRecord } from "./records.js";
import { nothing, raw, type Statements, sql, toNumber } from "./sql.js";

/** What is pending, which follows from the cursors alone. */

const oldestFirst = raw("c.opened_at, c.notified, c.id");

/** Cursors with a pending notice, oldest first, at most `limit`. */
export async function pendingCursors(database: Statements, whose: OfWatcher, limit: number): Promise<WatchRecord[]> {
  const rows = await database.query<CursorRow>(
    sql`${selectCursors(database)} WHERE ${pending} AND ${isOf(database, whose)} ORDER BY ${oldestFirst} LIMIT ${limit}`,
  );
  return rows.map(toWatch);
}

/** What is pending, oldest first: for these watchers (null: all) on these targets (null: all). */
export async function pendingNoticesOf(
  database: Statements,
  scope: { watchers: readonly string[] | null; targets: readonly SessionIdentity[] | null },
): Promise<NoticeRecord[]> {
  const { dialect } = database;
  const watchers = scope.watchers?.map((k) => ({ k }));
  const targets = scope.targets?.map(({ sessionKey, agentId }) => ({ k: sessionKey, a: agentId }));
  const ofWatchers = watchers && sql`JOIN ${dialect.rows("w", watchers, { k: "text" })} ON c.watcher_session_key = w.k`;
  const onTargets =
    targets &&
    sql`JOIN ${dialect.rows("t", targets, { k: "text", a: "text" })}
      ON c.target_session_key = t.k AND c.target_agent_id = t.a`;
  const rows = await database.query<CursorRow>(
    sql`SELECT ${plainColumns}, 0 AS material FROM session_watch_cursors AS c
      ${ofWatchers ?? nothing} ${onTargets ?? nothing} WHERE ${pending} ORDER BY ${oldestFirst}`,
  );
  return rows.map(toWatch).flatMap(toNotice);
}

/** The pending notice of a cursor, as a list of none or one. */
export function toNotice(watch: WatchRecord): NoticeRecord[] {
  if (watch.openedAt === null || watch.notified <= watch.lastSeen) return [];
  const { watcherSessionKey, targetSessionKey, targetAgentId } = watch;
  return [
    {
      watchId: watch.id,
      watcherSessionKey,
      targetSessionKey,
      targetAgentId,
      changesSince: watch.lastSeen,
      notified: watch.notified,
      openedAt: watch.openedAt,
    },
  ];
}

/** How many notices are pending, of one watcher or (null) of all. */
export async function countPending(database: Statements, whose: OfWatcher | null): Promise<number> {
  const ofWatcher = whose === null ? nothing : sql`${isOf(database, whose)} AND`;
  const [row] = await database.query<{ n: unknown }>(
    sql`SELECT COUNT(*) AS n FROM session_watch_cursors AS c WHERE ${ofWatcher} ${pending}`,
  );
  return toNumber(row?.n);
}
