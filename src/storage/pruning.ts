import { identityOf } from "./newEvent.js";
import { type Statements, sql, type Transaction, toNumber } from "./sql.js";

/** How long the table `session_state_events` is, and what goes from it. */

/**
 * How many events there are, the highest sequence among them, and the one up to which they are more than `keep`: null
 * when they are not. One snapshot, so that several processes that find the same surplus remove it once.
 */
export async function countEvents(
  database: Statements,
  keep: number,
): Promise<{ rows: number; highest: number; surplusUpTo: number | null }> {
  const { dialect } = database;
  const [row] = await database.query<{ n: unknown; highest: unknown; last: unknown }>(
    sql`WITH counted AS (SELECT COUNT(*) AS n FROM session_state_events)
      SELECT counted.n, (SELECT MAX(sequence) FROM session_state_events) AS highest,
        (SELECT sequence FROM session_state_events ORDER BY sequence
          LIMIT 1 OFFSET (SELECT ${dialect.greatest(sql`n - ${keep} - 1`, sql`0`)} FROM counted)) AS last
      FROM counted`,
  );
  const rows = toNumber(row?.n);
  return { rows, highest: toNumber(row?.highest ?? 0), surplusUpTo: rows > keep ? toNumber(row?.last) : null };
}

type PrunedRow = { sequence: unknown; sessionKey: string; agentId: string };

/** The events to prune: those that happened before a time, or those up to a sequence. */
export type OldEvents = { before: Date } | { upTo: number };

/**
 * Deletes up to `limit` of the oldest of these events, and stamps the highest pruned sequence of each session in the
 * same transaction. Says how many it found and how many of them went: others may have been quicker.
 */
export async function pruneOldest(
  tx: Transaction,
  which: OldEvents,
  limit: number,
): Promise<{ found: number; gone: number }> {
  // Each order is an index's: by sequence, those before a time would be looked for in the whole log.
  const old =
    "before" in which
      ? sql`occurred_at < ${which.before} ORDER BY occurred_at, sequence`
      : sql`sequence <= ${which.upTo} ORDER BY sequence`;
  const found = await tx.query<PrunedRow>(
    sql`SELECT sequence, session_key AS "sessionKey", agent_id AS "agentId" FROM session_state_events
      WHERE ${old} LIMIT ${limit}`,
  );
  if (found.length === 0) return { found: 0, gone: 0 };
  await tx.lock(found);
  const rows = tx.dialect.rows(
    "r",
    found.map((row) => ({ sequence: toNumber(row.sequence) })),
    { sequence: "integer" },
  );
  const gone = await tx.query<PrunedRow>(
    sql`DELETE FROM session_state_events WHERE sequence IN (SELECT r.sequence FROM ${rows})
      RETURNING sequence, session_key AS "sessionKey", agent_id AS "agentId"`,
  );
  const marks = tx.dialect.rows("r", highestPerSession(gone), { k: "text", a: "text", pruned: "integer" });
  await tx.execute(
    sql`UPDATE session_state_heads
      SET pruned_sequence = ${tx.dialect.greatest(sql`session_state_heads.pruned_sequence`, sql`r.pruned`)}
      FROM ${marks} WHERE session_state_heads.session_key = r.k AND session_state_heads.agent_id = r.a`,
  );
  return { found: found.length, gone: gone.length };
}

function highestPerSession(rows: readonly PrunedRow[]): { k: string; a: string; pruned: number }[] {
  const highest = new Map<string, { k: string; a: string; pruned: number }>();
  for (const row of rows) {
    const sequence = toNumber(row.sequence);
    const id = identityOf(row);
    const mark = highest.get(id);
    if (mark === undefined) highest.set(id, { k: row.sessionKey, a: row.agentId, pruned: sequence });
    else mark.pruned = Math.max(mark.pruned, sequence);
  }
  return [...highest.values()];
}
