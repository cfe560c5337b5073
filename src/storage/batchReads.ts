import { identityOf, type NewEvent } from "./newEvent.js";
import type { SessionIdentity } from "./records.js";
import { sql, type Transaction, toNumber } from "./sql.js";

/** What one round of a batch reads before it writes: heads, who waits for them, and duplicates. */

export type BatchHead = SessionIdentity & {
  /** False before the first event of this session. */
  exists: boolean;
  sequence: number;
  material: number;
  materialActor: string | null;
  otherMaterial: number;
  watched: boolean;
  /** Some watcher has nothing pending: a material event may open notices. */
  anyoneIdle: boolean;
};

type HeadRow = {
  k: string;
  a: string;
  sequence: unknown;
  material: unknown;
  actor: string | null;
  other: unknown;
  watched: unknown;
  idle: unknown;
};

/** The heads of the round's sessions, and who waits for them. */
export async function lookAt(tx: Transaction, round: readonly NewEvent[]): Promise<Map<string, BatchHead>> {
  const sessions = [...new Map(round.map(({ session, event }) => [session, event])).values()];
  const wanted = tx.dialect.rows(
    "r",
    sessions.map(({ sessionKey, agentId }) => ({ k: sessionKey, a: agentId })),
    { k: "text", a: "text" },
  );
  const rows = await tx.query<HeadRow>(
    sql`SELECT r.k, r.a, h.sequence, h.material_sequence AS material, h.material_actor_id AS actor,
        h.other_material_sequence AS other,
        (SELECT 1 FROM session_watch_cursors AS c
          WHERE c.target_session_key = r.k AND c.target_agent_id = r.a LIMIT 1) AS watched,
        (SELECT 1 FROM session_watch_cursors AS c
          WHERE c.target_session_key = r.k AND c.target_agent_id = r.a AND c.notified = c.last_seen LIMIT 1) AS idle
      FROM ${wanted} LEFT JOIN session_state_heads AS h ON h.session_key = r.k AND h.agent_id = r.a`,
  );
  return new Map(rows.map((row) => [identityOf({ sessionKey: row.k, agentId: row.a }), toHead(row)]));
}

function toHead(row: HeadRow): BatchHead {
  return {
    sessionKey: row.k,
    agentId: row.a,
    exists: row.sequence !== null,
    sequence: toNumber(row.sequence ?? 0),
    material: toNumber(row.material ?? 0),
    materialActor: row.actor,
    otherMaterial: toNumber(row.other ?? 0),
    watched: row.watched !== null,
    anyoneIdle: row.idle !== null,
  };
}

/** The sequences of those dedupe keys of the round that are in the log already. */
export async function lookForDuplicates(tx: Transaction, round: readonly NewEvent[]): Promise<Map<string, number>> {
  const keyed = round.filter(({ dedupeKey }) => dedupeKey !== null);
  if (keyed.length === 0) return new Map();
  const wanted = tx.dialect.rows(
    "r",
    keyed.map(({ event, dedupeKey }) => ({ k: event.sessionKey, a: event.agentId, d: dedupeKey })),
    { k: "text", a: "text", d: "text" },
  );
  const rows = await tx.query<{ k: string; a: string; d: string; sequence: unknown }>(
    sql`SELECT r.k, r.a, r.d, e.sequence FROM ${wanted}
      JOIN session_state_events AS e ON e.session_key = r.k AND e.agent_id = r.a AND e.dedupe_key = r.d
        AND ${tx.dialect.digest(sql`e.dedupe_key`)} = ${tx.dialect.digest(sql`r.d`)}`,
  );
  return new Map(
    rows.map(({ k, a, d, sequence }) => [`${identityOf({ sessionKey: k, agentId: a })}\n${d}`, toNumber(sequence)]),
  );
}
