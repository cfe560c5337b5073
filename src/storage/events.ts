import { joinLink, linkColumns } from "./linkColumns.js";
import { identityOf } from "./newEvent.js";
import type { EventRecord, Payload, SessionIdentity, SessionRecord } from "./records.js";
import { type SessionRow, toSession } from "./sessions.js";
import { type Sql, type Statements, sql, type Transaction, toNumber } from "./sql.js";

/** The table `session_state_events`, read and pruned. Written by batches.ts. */

/** An event as it leaves the database, in the order of `eventColumns`; its session last, where that is asked for. */
type EventTuple = [
  sequence: number,
  sessionId: string | null,
  kind: EventRecord["kind"],
  actorType: EventRecord["actorType"],
  actorId: string | null,
  runId: string | null,
  outcome: EventRecord["outcome"],
  occurredAt: string,
  summary: string,
  payload: string | null,
];
type TupleWithSession = [...EventTuple, sessionKey: string, agentId: string];

const eventColumns = [
  sql`e.sequence`,
  sql`e.session_id`,
  sql`e.kind`,
  sql`e.actor_type`,
  sql`e.actor_id`,
  sql`e.run_id`,
  sql`e.outcome`,
  sql`e.occurred_at`,
  sql`e.summary`,
  sql`e.payload`,
];
const withSession = [...eventColumns, sql`e.session_key`, sql`e.agent_id`];

function toTuples<Tuple>(value: unknown): Tuple[] {
  return typeof value === "string" ? JSON.parse(value) : ((value ?? []) as Tuple[]);
}

/** Ascending: the database may hand them over in any order. */
function toEvents(value: unknown, session: SessionIdentity): EventRecord[] {
  return toTuples<EventTuple>(value)
    .map((tuple) => toEvent(tuple, session.sessionKey, session.agentId))
    .sort((one, other) => one.sequence - other.sequence);
}

function toEvent(tuple: EventTuple | TupleWithSession, sessionKey: string, agentId: string): EventRecord {
  const [sequence, sessionId, kind, actorType, actorId, runId, outcome, at, summary, payload] = tuple;
  const occurredAt = new Date(at);
  const parsed = payload === null ? null : (JSON.parse(payload) as Payload);
  return {
    sequence,
    sessionKey,
    agentId,
    sessionId,
    kind,
    actorType,
    actorId,
    runId,
    outcome,
    occurredAt,
    summary,
    payload: parsed,
  };
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
    sql`SELECT ${database.dialect.jsonTuples(withSession, from)} AS events`,
  );
  return toTuples<TupleWithSession>(row?.events).map((tuple) => toEvent(tuple, tuple[10], tuple[11]));
}

/** The last `limit` events up to a version, ascending. */
export async function latestEvents(
  database: Statements,
  session: SessionIdentity,
  { upTo, limit }: { upTo: number; limit: number },
): Promise<EventRecord[]> {
  const from = sql`(SELECT * FROM session_state_events WHERE session_key = ${session.sessionKey}
    AND agent_id = ${session.agentId} AND sequence <= ${upTo} ORDER BY sequence DESC LIMIT ${limit}) AS e`;
  const [row] = await database.query<{ events: unknown }>(
    sql`SELECT ${database.dialect.jsonTuples(eventColumns, from)} AS events`,
  );
  return toEvents(row?.events, session);
}

export type StatusRead = {
  session: SessionRecord | null;
  stateVersion: number;
  prunedSequence: number;
  /** The line between a deleted session of this name and this one: what is below it is from before. */
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
        h.updated_at AS "loggedAt", ${linkColumns}, COALESCE(h.pruned_sequence, 0) AS pruned, d.sequence AS "deletedSequence",
        d.deleted_at AS "deletedAt", ${database.dialect.issued} AS issued, ${events} AS events
      FROM ${database.dialect.rows("n", [{ k: key, a: agent }], { k: "text", a: "text" })}
      LEFT JOIN session_state_heads AS h ON h.session_key = n.k AND h.agent_id = n.a
      LEFT JOIN sessions AS s ON s.session_key = n.k AND s.agent_id = n.a
      ${joinLink}
      LEFT JOIN deleted_sessions AS d ON d.session_key = n.k AND d.agent_id = n.a`,
  );
  if (row === undefined) throw new Error("a status read returns one row");
  return {
    session: row.known === null ? null : toSession(row),
    stateVersion: toNumber(row.stateVersion ?? 0),
    prunedSequence: toNumber(row.pruned),
    deleted: row.deletedAt === null ? null : { sequence: toNumber(row.deletedSequence), at: new Date(row.deletedAt) },
    issued: toNumber(row.issued),
    events: toEvents(row.events, session),
  };
}

/** Bounded by the last sequence that is wanted: SQLite would copy the rows of a sub-select with a limit. */
function deltaEvents(database: Statements, session: SessionIdentity, delta: { since: number; limit: number }): Sql {
  const after = sql`session_key = ${session.sessionKey} AND agent_id = ${session.agentId} AND sequence > ${delta.since}`;
  return database.dialect.jsonTuples(
    eventColumns,
    sql`session_state_events AS e WHERE ${after} AND sequence <= COALESCE((SELECT sequence FROM session_state_events
      WHERE ${after} ORDER BY sequence LIMIT 1 OFFSET ${delta.limit - 1}), ${Number.MAX_SAFE_INTEGER})`,
  );
}

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
      SELECT counted.n, (SELECT MAX(sequence) FROM session_state_events) AS highest, (SELECT sequence FROM session_state_events ORDER BY sequence
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
