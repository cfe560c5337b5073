import type { EventRecord, Payload, SessionIdentity, SessionRecord } from "./records.js";
import { type SessionRow, toSession } from "./sessions.js";
import { type Sql, type Statements, sql, type Transaction, toNumber } from "./sql.js";

/** The table `session_state_events`, read and pruned. Written by batches.ts. */

type EventJson = Omit<EventRecord, "occurredAt" | "payload"> & { occurredAt: string; payload: string | null };

const eventFields = {
  sequence: sql`e.sequence`,
  sessionKey: sql`e.session_key`,
  agentId: sql`e.agent_id`,
  sessionId: sql`e.session_id`,
  kind: sql`e.kind`,
  actorType: sql`e.actor_type`,
  actorId: sql`e.actor_id`,
  runId: sql`e.run_id`,
  outcome: sql`e.outcome`,
  occurredAt: sql`e.occurred_at`,
  summary: sql`e.summary`,
  payload: sql`e.payload`,
};

function toEvents(value: unknown): EventRecord[] {
  const rows: EventJson[] = typeof value === "string" ? JSON.parse(value) : ((value ?? []) as EventJson[]);
  return rows
    .map((row) => ({
      ...row,
      occurredAt: new Date(row.occurredAt),
      payload: row.payload === null ? null : (JSON.parse(row.payload) as Payload),
    }))
    .sort((one, other) => one.sequence - other.sequence);
}

/** The events with these sequences. */
export async function eventsBySequence(database: Statements, sequences: readonly number[]): Promise<EventRecord[]> {
  const wanted = database.dialect.rows(
    "r",
    sequences.map((sequence) => ({ sequence })),
    { sequence: "integer" },
  );
  const from = sql`session_state_events AS e JOIN ${wanted} ON e.sequence = r.sequence`;
  const [row] = await database.query<{ events: unknown }>(
    sql`SELECT ${database.dialect.jsonArray(eventFields, from)} AS events`,
  );
  return toEvents(row?.events);
}

export type StatusRead = {
  session: SessionRecord | null;
  stateVersion: number;
  prunedSequence: number;
  /** The last version of a deleted session of this name, and when it was deleted. */
  deleted: { sequence: number; at: Date } | null;
  /** The highest sequence ever handed out. */
  issued: number;
  events: EventRecord[];
};

type StatusRow = SessionRow & {
  known: unknown;
  pruned: unknown;
  deletedSequence: unknown;
  deletedAt: string | Date | null;
  issued: unknown;
  events: unknown;
};

/**
 * Version, watermarks and up to `limit` events after `since` in one statement, so that all of it is one snapshot.
 * Events travel as one JSON value: a row each through the driver costs several times as much.
 */
export async function readStatus(
  database: Statements,
  session: SessionIdentity,
  delta: { since: number; limit: number } | null,
): Promise<StatusRead> {
  const { sessionKey: key, agentId: agent } = session;
  const events = delta === null ? sql`NULL` : deltaEvents(database, session, delta);
  const [row] = await database.query<StatusRow>(
    sql`SELECT s.session_key AS known, n.k AS "sessionKey", n.a AS "agentId", s.label, s.spawned_by AS "spawnedBy",
        h.sequence AS "stateVersion", s.created_at AS "createdAt", s.updated_at AS "updatedAt",
        h.updated_at AS "loggedAt", COALESCE(h.pruned_sequence, 0) AS pruned, d.sequence AS "deletedSequence",
        d.deleted_at AS "deletedAt", ${database.dialect.issued} AS issued, ${events} AS events
      FROM ${database.dialect.rows("n", [{ k: key, a: agent }], { k: "text", a: "text" })}
      LEFT JOIN session_state_heads AS h ON h.session_key = n.k AND h.agent_id = n.a
      LEFT JOIN sessions AS s ON s.session_key = n.k AND s.agent_id = n.a
      LEFT JOIN deleted_sessions AS d ON d.session_key = n.k AND d.agent_id = n.a`,
  );
  if (row === undefined) throw new Error("a status read returns one row");
  return {
    session: row.known === null ? null : toSession(row),
    stateVersion: toNumber(row.stateVersion ?? 0),
    prunedSequence: toNumber(row.pruned),
    deleted: row.deletedAt === null ? null : { sequence: toNumber(row.deletedSequence), at: new Date(row.deletedAt) },
    issued: toNumber(row.issued),
    events: toEvents(row.events),
  };
}

function deltaEvents(database: Statements, session: SessionIdentity, delta: { since: number; limit: number }): Sql {
  return database.dialect.jsonArray(
    eventFields,
    sql`(SELECT * FROM session_state_events WHERE session_key = ${session.sessionKey}
      AND agent_id = ${session.agentId} AND sequence > ${delta.since} ORDER BY sequence LIMIT ${delta.limit}) AS e`,
  );
}

export async function countEvents(database: Statements): Promise<number> {
  const [row] = await database.query<{ n: unknown }>(sql`SELECT COUNT(*) AS n FROM session_state_events`);
  return toNumber(row?.n);
}

export async function headSequence(database: Statements, session: SessionIdentity): Promise<number> {
  const [row] = await database.query<{ sequence: unknown }>(
    sql`SELECT sequence FROM session_state_heads
      WHERE session_key = ${session.sessionKey} AND agent_id = ${session.agentId}`,
  );
  return toNumber(row?.sequence ?? 0);
}

type PrunedRow = { sequence: unknown; sessionKey: string; agentId: string };

/**
 * Deletes up to `limit` of the oldest events, of those before `before` where it is given, and stamps the highest
 * pruned sequence of each session in the same transaction. Returns how many went.
 */
export async function pruneOldest(tx: Transaction, choice: { before: Date | null; limit: number }): Promise<number> {
  const old = choice.before === null ? sql`` : sql`WHERE occurred_at < ${choice.before}`;
  const oldest = await tx.query<PrunedRow>(
    sql`SELECT sequence, session_key AS "sessionKey", agent_id AS "agentId" FROM session_state_events ${old}
      ORDER BY sequence LIMIT ${choice.limit}`,
  );
  if (oldest.length === 0) return 0;
  const watermarks = highestPerSession(oldest);
  await tx.lock(watermarks.map(({ k, a }) => ({ sessionKey: k, agentId: a })));
  const gone = tx.dialect.rows(
    "r",
    oldest.map((row) => ({ sequence: toNumber(row.sequence) })),
    { sequence: "integer" },
  );
  const count = await tx.execute(
    sql`DELETE FROM session_state_events WHERE sequence IN (SELECT r.sequence FROM ${gone})`,
  );
  const marks = tx.dialect.rows("r", watermarks, { k: "text", a: "text", pruned: "integer" });
  await tx.execute(
    sql`UPDATE session_state_heads
      SET pruned_sequence = ${tx.dialect.greatest(sql`session_state_heads.pruned_sequence`, sql`r.pruned`)}
      FROM ${marks} WHERE session_state_heads.session_key = r.k AND session_state_heads.agent_id = r.a`,
  );
  return count;
}

function highestPerSession(rows: readonly PrunedRow[]): { k: string; a: string; pruned: number }[] {
  const highest = new Map<string, { k: string; a: string; pruned: number }>();
  for (const row of rows) {
    const sequence = toNumber(row.sequence);
    const id = `${row.agentId}\n${row.sessionKey}`;
    const mark = highest.get(id);
    if (mark === undefined) highest.set(id, { k: row.sessionKey, a: row.agentId, pruned: sequence });
    else mark.pruned = Math.max(mark.pruned, sequence);
  }
  return [...highest.values()];
}
