import { isAmong, keyIsAmong } from "./agents.js";
import {
  type CursorRow,
  isOf,
  type OfWatcher,
  pending,
  plainColumns,
  selectCursors,
  targetAgent,
  toWatch,
} from "./cursorRows.js";
import { noteEnded } from "./endings.js";
import type { PairIdentity, SessionIdentity, WatchOrigin, WatchRecord } from "./records.js";
import { join, nothing, raw, type Sql, type Statements, sql } from "./sql.js";

/** The table `session_watch_cursors`: one row per watcher and target. */

const watcherKey = raw("c.watcher_session_key");

/** Those of the watcher's cursors that have one of these ids. */
export async function cursorsById(
  database: Statements,
  whose: OfWatcher,
  ids: readonly number[],
): Promise<WatchRecord[]> {
  if (ids.length === 0) return [];
  const rows = await database.query<CursorRow>(
    sql`${selectCursors(database)} WHERE ${isOf(database, whose)} AND c.id IN (${idsIn(database, ids)})`,
  );
  return rows.map(toWatch);
}

export async function cursorOfPair(database: Statements, pair: PairIdentity): Promise<WatchRecord | null> {
  const [row] = await database.query<CursorRow>(
    sql`${selectCursors(database)} WHERE c.watcher_session_key = ${pair.watcherSessionKey}
      AND c.target_session_key = ${pair.targetSessionKey} AND c.target_agent_id = ${pair.targetAgentId}`,
  );
  return row === undefined ? null : toWatch(row);
}

/** Watches in the order they were made, after the watch `after`; at most `limit`. */
export async function listCursors(
  database: Statements,
  filter: {
    watcher: string | null;
    target: SessionIdentity | null;
    targetAgent: string | null;
    /** Given: only where both sides are theirs. */
    agents: ReadonlySet<string> | null;
    /** Null for both. */
    pending: boolean | null;
    after: number | null;
    limit: number;
  },
): Promise<WatchRecord[]> {
  const conditions = [sql`c.id > ${filter.after ?? 0}`];
  if (filter.watcher !== null) conditions.push(sql`c.watcher_session_key = ${filter.watcher}`);
  if (filter.target !== null) conditions.push(targetIs(filter.target));
  if (filter.targetAgent !== null) conditions.push(sql`c.target_agent_id = ${filter.targetAgent}`);
  if (filter.pending !== null) conditions.push(filter.pending ? pending : raw("c.notified <= c.last_seen"));
  if (filter.agents !== null) {
    conditions.push(isAmong(database, targetAgent, filter.agents), keyIsAmong(database, watcherKey, filter.agents));
  }
  const rows = await database.query<CursorRow>(
    sql`${selectCursors(database)} WHERE ${join(conditions, " AND ")} ORDER BY c.id LIMIT ${filter.limit}`,
  );
  return rows.map(toWatch);
}

function targetIs(target: SessionIdentity): Sql {
  return sql`c.target_session_key = ${target.sessionKey} AND c.target_agent_id = ${target.agentId}`;
}

/** A new cursor at `version`. The caller holds the lock of the target and knows that the pair has none. */
export async function startCursor(
  database: Statements,
  pair: PairIdentity,
  start: { origin: WatchOrigin; version: number; now: Date },
): Promise<void> {
  await database.execute(
    sql`INSERT INTO session_watch_cursors
        (watcher_session_key, target_session_key, target_agent_id, origin, last_seen, notified, updated_at)
      VALUES (${pair.watcherSessionKey}, ${pair.targetSessionKey}, ${pair.targetAgentId}, ${start.origin},
        ${start.version}, ${start.version}, ${database.dialect.timeValue(start.now)})`,
  );
}

/** Writes the moved positions of these cursors. The caller holds the lock of their targets. */
export async function saveCursors(database: Statements, cursors: readonly WatchRecord[], now: Date): Promise<void> {
  if (cursors.length === 0) return;
  const { dialect } = database;
  const moved = dialect.rows(
    "r",
    cursors.map((cursor) => ({
      id: cursor.id,
      seen: cursor.lastSeen,
      shown: cursor.notified,
      opened: cursor.openedAt === null ? null : dialect.time(cursor.openedAt),
    })),
    { id: "integer", seen: "integer", shown: "integer", opened: "time" },
  );
  await database.execute(
    sql`UPDATE session_watch_cursors SET last_seen = r.seen, notified = r.shown, opened_at = r.opened, updated_at = ${dialect.timeValue(now)}
      FROM ${moved} WHERE session_watch_cursors.id = r.id`,
  );
}

/** Ends these watches and returns how many there were. */
export async function removeCursors(database: Statements, ids: readonly number[], now: Date): Promise<number> {
  if (ids.length === 0) return 0;
  await noteEnded(database, ids, now);
  return database.execute(sql`DELETE FROM session_watch_cursors WHERE id IN (${idsIn(database, ids)})`);
}

/** One parameter, whatever the number of ids. */
function idsIn(database: Statements, ids: readonly number[]): Sql {
  const rows = database.dialect.rows(
    "ids",
    ids.map((id) => ({ id })),
    { id: "integer" },
  );
  return sql`SELECT ids.id FROM ${rows}`;
}

/** Watches on either side of a session, on it as target and by it as watcher, at most `limit` of them. */
export async function cursorsTouching(
  database: Statements,
  session: { target: SessionIdentity | null; watcher: string | null },
  limit: number | null = null,
): Promise<WatchRecord[]> {
  const sides: Sql[] = [];
  if (session.target !== null) sides.push(sql`(${targetIs(session.target)})`);
  if (session.watcher !== null) sides.push(sql`c.watcher_session_key = ${session.watcher}`);
  if (sides.length === 0) return [];
  const rows = await database.query<CursorRow>(
    sql`SELECT ${plainColumns}, 0 AS material FROM session_watch_cursors AS c
      WHERE ${join(sides, " OR ")} ORDER BY c.id ${limit === null ? nothing : sql`LIMIT ${limit}`}`,
  );
  return rows.map(toWatch);
}

/** Watches that neither moved nor saw their target's material watermark move since `before`; at most `limit`. */
export async function expiredCursors(database: Statements, before: Date, limit: number): Promise<WatchRecord[]> {
  const rows = await database.query<CursorRow>(
    sql`SELECT ${plainColumns}, 0 AS material FROM session_watch_cursors AS c
      WHERE c.updated_at < ${before} AND NOT EXISTS (
        SELECT 1 FROM session_state_heads AS h WHERE h.session_key = c.target_session_key
          AND h.agent_id = c.target_agent_id AND h.material_at >= ${before})
      ORDER BY c.updated_at LIMIT ${limit}`,
  );
  return rows.map(toWatch);
}
