import type { SessionIdentity, SessionRecord } from "./records.js";
import { join, type Statements, sql, toDate, toNumber } from "./sql.js";

/** The tables `sessions` and `deleted_sessions`. */

export type SessionRow = {
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
  };
}

const selectSessions = sql`SELECT s.session_key AS "sessionKey", s.agent_id AS "agentId", s.label,
    s.spawned_by AS "spawnedBy", h.sequence AS "stateVersion", s.created_at AS "createdAt",
    s.updated_at AS "updatedAt", h.updated_at AS "loggedAt"
  FROM sessions AS s
  LEFT JOIN session_state_heads AS h ON h.session_key = s.session_key AND h.agent_id = s.agent_id`;

export async function findSession(database: Statements, session: SessionIdentity): Promise<SessionRecord | null> {
  const [row] = await database.query<SessionRow>(
    sql`${selectSessions} WHERE s.session_key = ${session.sessionKey} AND s.agent_id = ${session.agentId}`,
  );
  return row === undefined ? null : toSession(row);
}

/** Sessions by key and agent: an order that no change disturbs, so that paging misses nobody. */
export async function listSessions(
  database: Statements,
  filter: { agentId: string | null; search: string | null; after: SessionIdentity | null; limit: number },
): Promise<SessionRecord[]> {
  const conditions = [sql`1 = 1`];
  if (filter.agentId !== null) conditions.push(sql`s.agent_id = ${filter.agentId}`);
  if (filter.search !== null) {
    const pattern = `%${filter.search.toLowerCase().replace(/[\\%_]/g, "\\$&")}%`;
    conditions.push(
      sql`(LOWER(s.session_key) LIKE ${pattern} ESCAPE '\\' OR LOWER(s.label) LIKE ${pattern} ESCAPE '\\')`,
    );
  }
  if (filter.after !== null) {
    conditions.push(sql`(s.session_key, s.agent_id) > (${filter.after.sessionKey}, ${filter.after.agentId})`);
  }
  const rows = await database.query<SessionRow>(
    sql`${selectSessions} WHERE ${join(conditions, " AND ")} ORDER BY s.session_key, s.agent_id LIMIT ${filter.limit}`,
  );
  return rows.map(toSession);
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

/** Lists these sessions from now on; where `spawnedBy` is given it is kept, else nothing of an existing one changes. */
export async function listFromNow(
  database: Statements,
  sessions: readonly (SessionIdentity & { spawnedBy: string | null })[],
  now: Date,
): Promise<void> {
  if (sessions.length === 0) return;
  const rows = database.dialect.rows(
    "r",
    sessions.map(({ sessionKey, agentId, spawnedBy }) => ({ k: sessionKey, a: agentId, parent: spawnedBy })),
    { k: "text", a: "text", parent: "text" },
  );
  const at = database.dialect.timeValue(now);
  await database.execute(
    sql`INSERT INTO sessions (session_key, agent_id, spawned_by, created_at, updated_at)
      SELECT r.k, r.a, r.parent, ${at}, ${at} FROM ${rows} WHERE 1 = 1
      ON CONFLICT (session_key, agent_id) DO UPDATE SET spawned_by = excluded.spawned_by, updated_at = excluded.updated_at
      WHERE excluded.spawned_by IS NOT NULL`,
  );
}

/** Removes the session's row, events and head, and remembers its last version. True when there was anything. */
export async function deleteSession(database: Statements, session: SessionIdentity, now: Date): Promise<boolean> {
  const { sessionKey: key, agentId: agent } = session;
  const remembered = database.dialect.greatest(sql`deleted_sessions.sequence`, sql`excluded.sequence`);
  await database.execute(
    sql`INSERT INTO deleted_sessions (session_key, agent_id, sequence, deleted_at)
      SELECT session_key, agent_id, sequence, ${database.dialect.timeValue(now)} FROM session_state_heads
      WHERE session_key = ${key} AND agent_id = ${agent} AND sequence > 0
      ON CONFLICT (session_key, agent_id) DO UPDATE SET sequence = ${remembered}, deleted_at = excluded.deleted_at`,
  );
  await database.execute(sql`DELETE FROM session_state_events WHERE session_key = ${key} AND agent_id = ${agent}`);
  const heads = await database.execute(
    sql`DELETE FROM session_state_heads WHERE session_key = ${key} AND agent_id = ${agent}`,
  );
  const rows = await database.execute(sql`DELETE FROM sessions WHERE session_key = ${key} AND agent_id = ${agent}`);
  return heads + rows > 0;
}

/** Forgets sessions deleted before `before`. */
export function forgetDeleted(database: Statements, before: Date): Promise<number> {
  return database.execute(sql`DELETE FROM deleted_sessions WHERE deleted_at < ${before}`);
}
