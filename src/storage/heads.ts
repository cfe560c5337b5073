import type { SessionIdentity } from "./records.js";
import { type Statements, sql, toNumber } from "./sql.js";

/**
 * The version a session has reached: where a watch of it starts, and up to which its readers may reconcile. That is its
 * head's sequence, and never below the line that was drawn when a session of its name was deleted after
 * `rememberedSince`: what a later session has not logged yet lies beyond that line. 0 when there is neither.
 */
export async function presentVersion(
  database: Statements,
  { sessionKey, agentId }: SessionIdentity,
  rememberedSince: Date,
): Promise<number> {
  const [row] = await database.query<{ version: unknown }>(
    sql`SELECT MAX(v.sequence) AS version FROM (
        SELECT sequence FROM session_state_heads WHERE session_key = ${sessionKey} AND agent_id = ${agentId}
        UNION ALL SELECT sequence FROM deleted_sessions WHERE session_key = ${sessionKey} AND agent_id = ${agentId}
          AND deleted_at > ${database.dialect.timeValue(rememberedSince)}
      ) AS v`,
  );
  return toNumber(row?.version ?? 0);
}
