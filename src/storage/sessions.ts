import { isAmong } from "./agents.js";
import { joinLink, type LinkColumns, linkColumns, toUpstreamLink } from "./linkColumns.js";
import { removeLink } from "./links.js";
import type { SessionIdentity, SessionRecord, UpstreamSource } from "./records.js";
import { join, nothing, type Sql, type Statements, sql, type Transaction, toDate, toNumber } from "./sql.js";

/** The tables `sessions` and `deleted_sessions`. */

export type SessionRow = LinkColumns & {
  sessionKey: string;
  agentId: string;
  label: string | null;
  spawnedBy: string | null;
  stateVersion: unknown;
  createdAt: unknown;
  updatedAt: unknown;
  loggedAt: unknown;
};

/** A session changed when it was registered anew or when something was logged, whichever came last. */
export function toSession(row: SessionRow): SessionRecord {
  const registered = toDate(row.updatedAt);
  const logged = row.loggedAt === null ? registered : toDate(row.loggedAt);
  return {
    sessionKey: row.sessionKey,
    agentId: row.agentId,
    label: row.label,
    spawnedBy: row.spawnedBy,
    stateVersion: row.stateVersion === null ? null : toNumber(row.stateVersion),
    createdAt: toDate(row.createdAt),
    updatedAt: new Date(Math.max(logged.getTime(), registered.getTime())),
    upstream: toUpstreamLink(row),
  };
}

export const selectSessions = sql`SELECT s.session_key AS "sessionKey", s.agent_id AS "agentId", s.label,
    s.spawned_by AS "spawnedBy", h.sequence AS "stateVersion", s.created_at AS "createdAt",
    s.updated_at AS "updatedAt", h.updated_at AS "loggedAt", ${linkColumns}
  FROM sessions AS s
  LEFT JOIN session_state_heads AS h ON h.session_key = s.session_key AND h.agent_id = s.agent_id
  ${joinLink}`;

export async function findSession(database: Statements, session: SessionIdentity): Promise<SessionRecord | null> {
  const [row] = await database.query<SessionRow>(
    sql`${selectSessions} WHERE s.session_key = ${session.sessionKey} AND s.agent_id = ${session.agentId}`,
  );
  return row === undefined ? null : toSession(row);
}

/** Where a page begins: behind this session and, in the order of change, behind this time. */
export type ListPlace = SessionIdentity & { changedAt: Date | null };

/**
 * Sessions by key and agent, an order that no change disturbs, so that paging misses nobody; or the last changed first,
 * where one that changes meanwhile moves to the front and out of the pages that follow.
 */
export async function listSessions(
  database: Statements,
  filter: {
    agentId: string | null;
    /** Null for all. */
    agents: ReadonlySet<string> | null;
    search: string | null;
    lastChangedFirst: boolean;
    after: ListPlace | null;
    limit: number;
  },
): Promise<SessionRecord[]> {
  const conditions = [sql`1 = 1`];
  if (filter.agentId !== null) conditions.push(sql`s.agent_id = ${filter.agentId}`);
  if (filter.agents !== null) conditions.push(isAmong(database, sql`s.agent_id`, filter.agents));
  if (filter.search !== null) {
    const isIn = (text: Sql) => database.dialect.holds(text, filter.search ?? "");
    conditions.push(sql`(${isIn(sql`s.session_key`)} OR ${isIn(sql`s.label`)})`);
  }
  const changedAt = database.dialect.greatest(sql`s.updated_at`, sql`COALESCE(h.updated_at, s.updated_at)`);
  if (filter.after !== null) {
    const behind = sql`(s.session_key, s.agent_id) > (${filter.after.sessionKey}, ${filter.after.agentId})`;
    const at = filter.after.changedAt && database.dialect.timeValue(filter.after.changedAt);
    conditions.push(at === null ? behind : sql`(${changedAt} < ${at} OR (${changedAt} = ${at} AND ${behind}))`);
  }
  const lastChangedFirst = filter.lastChangedFirst ? sql`${changedAt} DESC,` : nothing;
  const rows = await database.query<SessionRow>(
    sql`${selectSessions} WHERE ${join(conditions, " AND ")}
      ORDER BY ${lastChangedFirst} s.session_key, s.agent_id LIMIT ${filter.limit}`,
  );
  return rows.map(toSession);
}

/** The sessions that are linked to these threads, and to which; by key and agent. */
export async function sessionsOfThreads(
  database: Statements,
  threads: readonly UpstreamSource[],
): Promise<SessionRecord[]> {
  if (threads.length === 0) return [];
  const wanted = database.dialect.rows(
    "r",
    threads.map(({ kind, nodeId, threadId }) => ({ kind, node: nodeId, thread: threadId })),
    { kind: "text", node: "text", thread: "text" },
  );
  const rows = await database.query<SessionRow>(
    sql`${selectSessions} JOIN ${wanted} ON u.kind = r.kind AND u.node_id = r.node AND u.thread_id = r.thread
      ORDER BY s.session_key, s.agent_id`,
  );
  return rows.map(toSession);
}

/** Notes that the session was adopted; true the first time. */
export async function markAdopted(database: Statements, session: SessionIdentity, now: Date): Promise<boolean> {
  const marked = await database.execute(
    sql`UPDATE sessions SET adopted_at = ${now}
      WHERE session_key = ${session.sessionKey} AND agent_id = ${session.agentId} AND adopted_at IS NULL`,
  );
  return marked > 0;
}

export type SessionChange = SessionIdentity & { label?: string | null; spawnedBy?: string | null };

/** Makes these sessions where they are missing. What a change leaves undefined stays; null clears. */
export async function registerSession(database: Statements, change: SessionChange, now: Date): Promise<void> {
  const set = [sql`updated_at = ${now}`];
  if (change.label !== undefined) set.push(sql`label = ${change.label}`);
  if (change.spawnedBy !== undefined) set.push(sql`spawned_by = ${change.spawnedBy}`);
  await database.execute(
    sql`INSERT INTO sessions (session_key, agent_id, label, spawned_by, created_at, updated_at)
      VALUES (${change.sessionKey}, ${change.agentId}, ${change.label ?? null}, ${change.spawnedBy ?? null}, ${now}, ${now})
      ON CONFLICT (session_key, agent_id) DO UPDATE SET ${join(set)}`,
  );
}

/**
 * Lists these sessions from now on; where `spawnedBy` is given it is kept, else nothing of an existing one changes.
 * Returns how many that made or changed.
 */
export async function listFromNow(
  database: Statements,
  sessions: readonly (SessionIdentity & { spawnedBy: string | null })[],
  now: Date,
): Promise<number> {
  if (sessions.length === 0) return 0;
  const rows = database.dialect.rows(
    "r",
    sessions.map(({ sessionKey, agentId, spawnedBy }) => ({ k: sessionKey, a: agentId, parent: spawnedBy })),
    { k: "text", a: "text", parent: "text" },
  );
  const at = database.dialect.timeValue(now);
  return database.execute(
    sql`INSERT INTO sessions (session_key, agent_id, spawned_by, created_at, updated_at)
      SELECT r.k, r.a, r.parent, ${at}, ${at} FROM ${rows} WHERE 1 = 1
      ON CONFLICT (session_key, agent_id) DO UPDATE SET spawned_by = excluded.spawned_by, updated_at = excluded.updated_at
      WHERE excluded.spawned_by IS NOT NULL`,
  );
}

/**
 * Removes the session's row, events, head and link. True when there was anything. If something had been logged, a number
 * that no event ever has is remembered as the line between this session and a later one of its name: all versions of
 * this one are below it, all events of the later one above. The caller holds the lock of the session.
 */
export async function deleteSession(tx: Transaction, session: SessionIdentity, now: Date): Promise<boolean> {
  const { sessionKey: key, agentId: agent } = session;
  await tx.execute(sql`DELETE FROM session_state_events WHERE session_key = ${key} AND agent_id = ${agent}`);
  await removeLink(tx, session);
  const heads = await tx.execute(
    sql`DELETE FROM session_state_heads WHERE session_key = ${key} AND agent_id = ${agent}`,
  );
  if (heads > 0) {
    await tx.execute(
      sql`INSERT INTO deleted_sessions (session_key, agent_id, sequence, deleted_at)
        VALUES (${key}, ${agent}, ${await tx.skipSequence()}, ${tx.dialect.timeValue(now)})
        ON CONFLICT (session_key, agent_id) DO UPDATE SET sequence = excluded.sequence, deleted_at = excluded.deleted_at`,
    );
  }
  const rows = await tx.execute(sql`DELETE FROM sessions WHERE session_key = ${key} AND agent_id = ${agent}`);
  return heads + rows > 0;
}

/** Forgets up to `limit` of the sessions deleted before `before`. Returns how many. */
export function forgetDeleted(database: Statements, before: Date, limit: number): Promise<number> {
  return database.execute(
    sql`DELETE FROM deleted_sessions WHERE (session_key, agent_id) IN (
      SELECT d.session_key, d.agent_id FROM deleted_sessions AS d WHERE d.deleted_at < ${before} LIMIT ${limit})`,
  );
}
