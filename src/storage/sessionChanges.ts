import type { PairIdentity, SessionIdentity, SessionRecord } from "./records.js";
import { type SessionRow, selectSessions, toSession } from "./sessions.js";
import { nothing, type Statements, sql, toDate, toNumber } from "./sql.js";

/** Names of what changed: sessions, and watches that began, moved, were told or ended. */
export type Changed = { sessions: SessionIdentity[]; pairs: PairIdentity[] };

/** Those of these sessions that are listed. */
export async function sessionsByName(
  database: Statements,
  sessions: readonly SessionIdentity[],
): Promise<SessionRecord[]> {
  if (sessions.length === 0) return [];
  const asked = database.dialect.rows(
    "r",
    sessions.map(({ sessionKey, agentId }) => ({ k: sessionKey, a: agentId })),
    { k: "text", a: "text" },
  );
  const rows = await database.query<SessionRow>(
    sql`${selectSessions} JOIN ${asked} ON s.session_key = r.k AND s.agent_id = r.a`,
  );
  return rows.map(toSession);
}

/** Where a look begins: at a time, and behind a sequence. */
export type LookPlace = { at: Date; sequence: number };

/** What was written about: a session, both sides of a watch (then with its watcher), or (without a key) anything. */
export type Touched = {
  watcherSessionKey: string | null;
  sessionKey: string | null;
  agentId: string | null;
  /** Differs when the same has been written again. */
  mark: string;
};

type TouchedRow = { w: string | null; k: string | null; a: string | null; at: unknown; n: unknown; c: unknown };

/** The highest sequence handed out so far. */
export async function issuedSequence(database: Statements): Promise<number> {
  const [row] = await database.query<{ issued: unknown }>(sql`SELECT ${database.dialect.issued} AS issued`);
  return toNumber(row?.issued);
}

/**
 * What was written since `since`, whoever wrote it: registered, watched, told, checked, ended or deleted. On PostgreSQL
 * also what was logged: there sequences do not become visible in their order.
 */
export async function touchedSince(database: Statements, since: Date): Promise<Touched[]> {
  const heads = sql`UNION ALL SELECT NULL, session_key, agent_id, updated_at, sequence
    FROM session_state_heads WHERE updated_at >= ${since}`;
  const rows = await database.query<TouchedRow>(
    sql`SELECT t.w, t.k, t.a, MAX(t.at) AS at, MAX(t.n) AS n, COUNT(*) AS c FROM (
        SELECT NULL AS w, session_key AS k, agent_id AS a, updated_at AS at, 0 AS n FROM sessions WHERE updated_at >= ${since}
        UNION ALL SELECT NULL, session_key, agent_id, last_checked_at, missed_checks FROM upstream_links
          WHERE last_checked_at >= ${since}
        UNION ALL SELECT watcher_session_key, target_session_key, target_agent_id, updated_at, last_seen + notified
          FROM session_watch_cursors WHERE updated_at >= ${since}
        UNION ALL SELECT watcher_session_key, session_key, agent_id, ended_at, id FROM session_endings
          WHERE ended_at >= ${since}
        ${database.dialect.kind === "postgresql" ? heads : nothing}
      ) AS t GROUP BY t.w, t.k, t.a`,
  );
  return rows.map(({ w, k, a, at, n, c }) => ({
    watcherSessionKey: w,
    sessionKey: k,
    agentId: a,
    mark: `${toDate(at).getTime()}/${toNumber(n)}/${toNumber(c)}`,
  }));
}

/** More events than this cost more to look through than all heads of a large database. */
const eventsMax = 2_000;

/**
 * On SQLite, the sessions that logged something after a sequence and up to another. There is no index of heads by time,
 * which every append would pay for; events are in the order of their numbers. Only when there are very many, or some have
 * gone already, heads are looked through.
 */
export async function loggedBetween(database: Statements, after: number, upTo: number): Promise<SessionIdentity[]> {
  if (upTo <= after) return [];
  if (upTo - after <= eventsMax) {
    const rows = await database.query<{ k: string; a: string; c: unknown }>(
      sql`SELECT e.k, e.a, COUNT(*) AS c FROM (SELECT session_key AS k, agent_id AS a FROM session_state_events
          WHERE sequence > ${after} AND sequence <= ${upTo} ORDER BY sequence LIMIT ${eventsMax}) AS e
        GROUP BY e.k, e.a`,
    );
    const found = rows.reduce((sum, { c }) => sum + toNumber(c), 0);
    if (found === upTo - after) return rows.map(({ k, a }) => ({ sessionKey: k, agentId: a }));
  }
  return database.query<SessionIdentity>(
    sql`SELECT session_key AS "sessionKey", agent_id AS "agentId" FROM session_state_heads WHERE sequence > ${after}`,
  );
}
