import type { SessionIdentity, SessionRecord } from "./records.js";
import { type SessionRow, selectSessions, toSession } from "./sessions.js";
import { type Statements, sql, toDate, toNumber } from "./sql.js";

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

/** A session that something was written about: `agentId` is null where only a watcher's key is known. */
export type TouchedSession = { sessionKey: string; agentId: string | null; mark: string };

/**
 * What was written since `since`, whoever wrote it: registered, logged, watched, told, checked or deleted. `mark` differs
 * when the same session has been written again. An ended watch leaves no trace and is not found.
 */
export async function sessionsTouchedSince(database: Statements, since: Date): Promise<TouchedSession[]> {
  const rows = await database.query<{ k: string; a: string | null; at: unknown; n: unknown }>(
    sql`SELECT t.k, t.a, MAX(t.at) AS at, MAX(t.n) AS n FROM (
        SELECT session_key AS k, agent_id AS a, updated_at AS at, 0 AS n FROM sessions WHERE updated_at >= ${since}
        UNION ALL SELECT session_key, agent_id, updated_at, sequence FROM session_state_heads WHERE updated_at >= ${since}
        UNION ALL SELECT target_session_key, target_agent_id, updated_at, last_seen + notified
          FROM session_watch_cursors WHERE updated_at >= ${since}
        UNION ALL SELECT watcher_session_key, NULL, updated_at, last_seen + notified
          FROM session_watch_cursors WHERE updated_at >= ${since}
        UNION ALL SELECT session_key, agent_id, last_checked_at, missed_checks FROM upstream_links WHERE last_checked_at >= ${since}
        UNION ALL SELECT session_key, agent_id, deleted_at, sequence FROM deleted_sessions WHERE deleted_at >= ${since}
      ) AS t GROUP BY t.k, t.a`,
  );
  return rows.map(({ k, a, at, n }) => ({
    sessionKey: k,
    agentId: a,
    mark: `${toDate(at).getTime()}/${toNumber(n)}`,
  }));
}
