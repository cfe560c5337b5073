import { isAmong, keyIsAmong } from "./agents.js";
import type { SessionIdentity } from "./records.js";
import { nothing, raw, type Statements, sql, toNumber } from "./sql.js";

/** What is counted of a session, from `session_watch_cursors` alone. */
export type SessionCounts = {
  /** Watches on it. */
  watchers: number;
  /** Of those, the ones with a notice pending about it. */
  staleWatchers: number;
  /** Notices that wait for it, as the watcher. */
  pending: number;
};

/**
 * The counts of these sessions, in their order, in one statement. Where `agents` is given, what concerns other agents
 * is not counted: watchers that are not theirs, and notices about sessions that are not theirs.
 */
export async function countSessions(
  database: Statements,
  sessions: readonly SessionIdentity[],
  agents: ReadonlySet<string> | null,
): Promise<SessionCounts[]> {
  if (sessions.length === 0) return [];
  const asked = database.dialect.rows(
    "r",
    sessions.map(({ sessionKey, agentId }, n) => ({ n, k: sessionKey, a: agentId })),
    { n: "integer", k: "text", a: "text" },
  );
  const ownWatchers =
    agents === null ? nothing : sql`AND ${keyIsAmong(database, raw("c.watcher_session_key"), agents)}`;
  const ownTargets = agents === null ? nothing : sql`AND ${isAmong(database, raw("c.target_agent_id"), agents)}`;
  const onIt = sql`FROM session_watch_cursors AS c
    WHERE c.target_session_key = r.k AND c.target_agent_id = r.a ${ownWatchers}`;
  const rows = await database.query<{ n: unknown; watchers: unknown; staleWatchers: unknown; pending: unknown }>(
    sql`SELECT r.n, (SELECT COUNT(*) ${onIt}) AS watchers,
        (SELECT COUNT(*) ${onIt} AND c.notified > c.last_seen) AS "staleWatchers",
        (SELECT COUNT(*) FROM session_watch_cursors AS c
          WHERE c.watcher_session_key = r.k AND c.notified > c.last_seen ${ownTargets}) AS pending
      FROM ${asked}`,
  );
  const counts = new Map(rows.map((row) => [toNumber(row.n), row]));
  return sessions.map((_, n) => {
    const row = counts.get(n);
    return {
      watchers: toNumber(row?.watchers ?? 0),
      staleWatchers: toNumber(row?.staleWatchers ?? 0),
      pending: toNumber(row?.pending ?? 0),
    };
  });
}
