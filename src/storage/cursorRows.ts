import { isAmong } from "./agents.js";
import type { WatchOrigin, WatchRecord } from "./records.js";
import { nothing, raw, type Sql, type Statements, sql, toDate, toDateOrNull, toNumber } from "./sql.js";

/** How rows of `session_watch_cursors` are read. */

export type CursorRow = {
  id: unknown;
  watcherSessionKey: string;
  targetSessionKey: string;
  targetAgentId: string;
  origin: WatchOrigin;
  lastSeen: unknown;
  notified: unknown;
  material: unknown;
  openedAt: unknown;
  updatedAt: unknown;
};

export const plainColumns = raw(`c.id, c.watcher_session_key AS "watcherSessionKey",
  c.target_session_key AS "targetSessionKey", c.target_agent_id AS "targetAgentId", c.origin,
  c.last_seen AS "lastSeen", c.notified, c.opened_at AS "openedAt", c.updated_at AS "updatedAt"`);

/** `material` follows from the head: the last material event, or the last by somebody else where the watcher made it. */
export function selectCursors(database: Statements): Sql {
  const material = sql`CASE WHEN h.material_actor_id = c.watcher_session_key
    THEN h.other_material_sequence ELSE COALESCE(h.material_sequence, 0) END`;
  return sql`SELECT ${plainColumns}, ${database.dialect.greatest(sql`c.notified`, material)} AS material
    FROM session_watch_cursors AS c
    LEFT JOIN session_state_heads AS h ON h.session_key = c.target_session_key AND h.agent_id = c.target_agent_id`;
}

export function toWatch(row: CursorRow): WatchRecord {
  return {
    id: toNumber(row.id),
    watcherSessionKey: row.watcherSessionKey,
    targetSessionKey: row.targetSessionKey,
    targetAgentId: row.targetAgentId,
    origin: row.origin,
    lastSeen: toNumber(row.lastSeen),
    notified: toNumber(row.notified),
    material: toNumber(row.material),
    openedAt: toDateOrNull(row.openedAt),
    updatedAt: toDate(row.updatedAt),
  };
}

export const pending = raw("c.notified > c.last_seen");
export const targetAgent = raw("c.target_agent_id");

/** The cursors of one watcher; where `agents` is given, only on their sessions. */
export type OfWatcher = { watcher: string; agents: ReadonlySet<string> | null };

export function isOf(database: Statements, { watcher, agents }: OfWatcher): Sql {
  const theirs = agents === null ? nothing : sql`AND ${isAmong(database, targetAgent, agents)}`;
  return sql`c.watcher_session_key = ${watcher} ${theirs}`;
}
