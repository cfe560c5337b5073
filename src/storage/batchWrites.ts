import { openNotices } from "./batchNotices.js";
import type { BatchHead } from "./batchReads.js";
import { noteWatchStart } from "./links.js";
import type { Recorded } from "./newEvent.js";
import type { NoticeRecord, SessionIdentity } from "./records.js";
import { listFromNow } from "./sessions.js";
import { type ColumnType, sql, type Transaction } from "./sql.js";

/** What one round of a batch writes. */

/** Writes events, heads, notices, spawned cursors and sessions of a round; returns the notices that opened. */
export async function writeRound(
  tx: Transaction,
  recorded: readonly Recorded[],
  heads: ReadonlyMap<string, BatchHead>,
  now: Date,
): Promise<NoticeRecord[]> {
  await insertEvents(tx, recorded);
  await moveHeads(tx, recorded, heads, now);
  const opened = await openNotices(tx, recorded, heads, now);
  await seedCursors(tx, recorded, now);
  await listFromNow(tx, sessionsToList(recorded, heads), now);
  return opened;
}

/** Sessions that log their first event, and spawned ones. In a round nothing follows a session's spawns; the last counts. */
function sessionsToList(recorded: readonly Recorded[], heads: ReadonlyMap<string, BatchHead>) {
  const sessions = new Map<string, SessionIdentity & { spawnedBy: string | null }>();
  for (const { append } of recorded) {
    if (append.spawnedBy === null && heads.get(append.session)?.exists === true) continue;
    const { sessionKey, agentId } = append.event;
    sessions.set(append.session, { sessionKey, agentId, spawnedBy: append.spawnedBy });
  }
  return [...sessions.values()];
}

async function insertEvents(tx: Transaction, recorded: readonly Recorded[]): Promise<void> {
  const rows = recorded.map(({ append: { event, dedupeKey }, sequence }) => ({
    n: sequence,
    k: event.sessionKey,
    a: event.agentId,
    s: event.sessionId,
    kind: event.kind,
    t: event.actorType,
    i: event.actorId,
    run: event.runId,
    o: event.outcome,
    at: tx.dialect.time(event.occurredAt),
    line: event.summary,
    p: event.payload === null ? null : JSON.stringify(event.payload),
    d: dedupeKey,
  }));
  await tx.executeOver(
    rows,
    eventColumns,
    (
      r,
    ) => sql`INSERT INTO session_state_events (sequence, session_key, agent_id, session_id, kind, actor_type, actor_id,
        run_id, outcome, occurred_at, summary, payload, dedupe_key)
      SELECT r.n, r.k, r.a, r.s, r.kind, r.t, r.i, r.run, r.o, r.at, r.line, r.p, r.d FROM ${r}`,
  );
}

const eventColumns: Record<string, ColumnType> = {
  n: "integer",
  k: "text",
  a: "text",
  s: "text",
  kind: "text",
  t: "text",
  i: "text",
  run: "text",
  o: "text",
  at: "time",
  line: "text",
  p: "text",
  d: "text",
};

async function moveHeads(
  tx: Transaction,
  recorded: readonly Recorded[],
  heads: ReadonlyMap<string, BatchHead>,
  now: Date,
): Promise<void> {
  const at = tx.dialect.time(now);
  const moved = new Map<string, MovedHead>();
  for (const { append, sequence } of recorded) {
    let head = moved.get(append.session);
    if (head === undefined) {
      head = unmoved(heads.get(append.session) as BatchHead, at);
      moved.set(append.session, head);
    }
    head.n = sequence;
    if (append.notifies) advanceMaterial(head, append.event.actorId, sequence);
  }
  await tx.executeOver(
    [...moved.values()],
    { k: "text", a: "text", n: "integer", m: "integer", i: "text", o: "integer", mat: "time", at: "time" },
    (r) => sql`INSERT INTO session_state_heads (session_key, agent_id, sequence, material_sequence, material_actor_id,
        other_material_sequence, material_at, updated_at)
      SELECT r.k, r.a, r.n, r.m, r.i, r.o, r.mat, r.at FROM ${r} WHERE 1 = 1
      ON CONFLICT (session_key, agent_id) DO UPDATE SET sequence = excluded.sequence,
        material_sequence = excluded.material_sequence, material_actor_id = excluded.material_actor_id,
        other_material_sequence = excluded.other_material_sequence,
        material_at = COALESCE(excluded.material_at, session_state_heads.material_at),
        updated_at = excluded.updated_at`,
  );
}

/** A head as it will be written: key, agent, sequence, then material sequence, actor, that of others, and time. */
type MovedHead = {
  k: string;
  a: string;
  n: number;
  m: number;
  i: string | null;
  o: number;
  /** Null while nothing material happened in this round. */
  mat: string | null;
  at: string;
};

function unmoved(head: BatchHead, at: string): MovedHead {
  const { sessionKey: k, agentId: a, sequence: n, material: m, materialActor: i, otherMaterial: o } = head;
  return { k, a, n, m, i, o, mat: null, at };
}

/** Keeps the last material event, its actor, and the last one by anybody else. */
function advanceMaterial(head: MovedHead, actor: string | null, sequence: number): void {
  if (head.m > 0 && head.i !== actor) head.o = head.m;
  head.i = actor;
  head.m = sequence;
  head.mat = head.at;
}

/** Starts the parent's cursor at its child's spawn, or moves it up to it; a pending notice is never lost. */
async function seedCursors(tx: Transaction, recorded: readonly Recorded[], now: Date): Promise<void> {
  // Nothing comes between the spawns of a session in its round, so the last of each parent is where its cursor ends up.
  const seeds = new Map<string, Recorded>();
  for (const each of recorded) {
    const { session, seedsWatcher } = each.append;
    if (seedsWatcher !== null) seeds.set(`${session}\n${seedsWatcher}`, each);
  }
  if (seeds.size === 0) return;
  await noteWatchStart(
    tx,
    [...seeds.values()].map(({ append }) => append.event),
    now,
  );
  const rows = tx.dialect.rows(
    "r",
    [...seeds.values()].map(({ append: { event, seedsWatcher }, sequence }) => ({
      w: seedsWatcher,
      k: event.sessionKey,
      a: event.agentId,
      n: sequence,
      at: tx.dialect.time(now),
    })),
    { w: "text", k: "text", a: "text", n: "integer", at: "time" },
  );
  // Not ON CONFLICT: the lock of the target keeps others from making the pair, and the pair's index differs.
  await tx.execute(
    sql`UPDATE session_watch_cursors SET last_seen = r.n, notified = r.n, updated_at = r.at FROM ${rows}
      WHERE session_watch_cursors.watcher_session_key = r.w AND session_watch_cursors.target_session_key = r.k
        AND session_watch_cursors.target_agent_id = r.a
        AND session_watch_cursors.notified = session_watch_cursors.last_seen`,
  );
  await tx.execute(
    sql`INSERT INTO session_watch_cursors
        (watcher_session_key, target_session_key, target_agent_id, origin, last_seen, notified, updated_at)
      SELECT r.w, r.k, r.a, 'SPAWN', r.n, r.n, r.at FROM ${rows}
      WHERE NOT EXISTS (SELECT 1 FROM session_watch_cursors AS c WHERE c.watcher_session_key = r.w
        AND c.target_session_key = r.k AND c.target_agent_id = r.a)`,
  );
}
