import { joinLink, linkColumns } from "./linkColumns.js";
import type { EventRecord, Payload, SessionIdentity, SessionRecord } from "./records.js";
import { type SessionRow, toSession } from "./sessions.js";
import { type Sql, type Statements, sql, toNumber } from "./sql.js";

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
