import type { SessionIdentity } from "./records.js";
import { type Statements, sql } from "./sql.js";

/**
 * The table `session_endings`: deleted sessions and ended watches, which leave no other row behind that those who follow
 * sessions in another process could find.
 */

/** How long endings are remembered at least, in milliseconds. */
export const endingsKeptMs = 3_600_000;

/** More watches than this that end at once are noted as "more than can be named". */
const namedMax = 1_000;

export async function noteDeleted(database: Statements, session: SessionIdentity, now: Date): Promise<void> {
  await database.execute(
    sql`INSERT INTO session_endings (session_key, agent_id, ended_at)
      VALUES (${session.sessionKey}, ${session.agentId}, ${now})`,
  );
}

/** Before these watches are removed. */
export async function noteEnded(database: Statements, ids: readonly number[], now: Date): Promise<void> {
  if (ids.length > namedMax) {
    await database.execute(sql`INSERT INTO session_endings (ended_at) VALUES (${now})`);
    return;
  }
  const rows = database.dialect.rows(
    "r",
    ids.map((id) => ({ id })),
    { id: "integer" },
  );
  await database.execute(
    sql`INSERT INTO session_endings (session_key, agent_id, watcher_session_key, ended_at)
      SELECT c.target_session_key, c.target_agent_id, c.watcher_session_key, ${database.dialect.timeValue(now)}
      FROM session_watch_cursors AS c JOIN ${rows} ON c.id = r.id`,
  );
}

/** Forgets up to `limit` of what ended before `before`. Returns how many. */
export function forgetEndings(database: Statements, before: Date, limit: number): Promise<number> {
  return database.execute(
    sql`DELETE FROM session_endings WHERE id IN (
      SELECT e.id FROM session_endings AS e WHERE e.ended_at < ${before} LIMIT ${limit})`,
  );
}
