import type { SessionIdentity } from "./records.js";
import { type Statements, sql, toNumber } from "./sql.js";

/** The table `upstream_own_prompts`: digests of prompts that a session's own agent sent. */

/** Adds a digest and forgets all but the newest `keep` of the session. */
export async function addOwnPrompt(
  database: Statements,
  session: SessionIdentity,
  prompt: { digest: string; keep: number; now: Date },
): Promise<void> {
  const { sessionKey: key, agentId: agent } = session;
  await database.execute(
    sql`INSERT INTO upstream_own_prompts (session_key, agent_id, digest, noted_at)
      VALUES (${key}, ${agent}, ${prompt.digest}, ${database.dialect.timeValue(prompt.now)})`,
  );
  await database.execute(
    sql`DELETE FROM upstream_own_prompts WHERE session_key = ${key} AND agent_id = ${agent} AND id NOT IN (
      SELECT id FROM upstream_own_prompts WHERE session_key = ${key} AND agent_id = ${agent}
      ORDER BY id DESC LIMIT ${prompt.keep})`,
  );
}

/** The digests noted for a session, oldest first. */
export async function ownPromptsOf(
  database: Statements,
  session: SessionIdentity,
): Promise<{ id: number; digest: string }[]> {
  const rows = await database.query<{ id: unknown; digest: string }>(
    sql`SELECT id, digest FROM upstream_own_prompts
      WHERE session_key = ${session.sessionKey} AND agent_id = ${session.agentId} ORDER BY id`,
  );
  return rows.map(({ id, digest }) => ({ id: toNumber(id), digest }));
}

export async function removeOwnPrompts(database: Statements, ids: readonly number[]): Promise<void> {
  if (ids.length === 0) return;
  const rows = database.dialect.rows(
    "ids",
    ids.map((id) => ({ id })),
    { id: "integer" },
  );
  await database.execute(sql`DELETE FROM upstream_own_prompts WHERE id IN (SELECT ids.id FROM ${rows})`);
}

export async function forgetOwnPrompts(database: Statements, session: SessionIdentity): Promise<void> {
  await database.execute(
    sql`DELETE FROM upstream_own_prompts WHERE session_key = ${session.sessionKey} AND agent_id = ${session.agentId}`,
  );
}
