import { type BatchHead, lookAt, lookForDuplicates } from "./batchReads.js";
import { writeRound } from "./batchWrites.js";
import { eventsBySequence } from "./events.js";
import { dedupeOf, type NewEvent, type Recorded } from "./newEvent.js";
import type { EventRecord, NoticeRecord } from "./records.js";
import type { Transaction } from "./sql.js";

export type AppendOutcome =
  | { kind: "recorded"; event: EventRecord }
  | { kind: "duplicate"; event: EventRecord }
  | { kind: "notWatched" };

export type BatchResult = { outcomes: AppendOutcome[]; opened: NoticeRecord[] };

/** A sequence that is taken, or the event of this round that will take one. */
type Fate = { kind: "new" } | { kind: "existing"; sequence: number } | { kind: "same"; as: number } | { kind: "no" };

/**
 * Appends events in their order, as if one at a time, in a fixed number of statements a round: duplicates answered,
 * unwatched human messages left out, sequences given, heads moved, notices opened, cursors of spawned children
 * started. Work grows with the events and with the cursors that open, not with the watchers that wait already.
 */
export async function commitBatch(tx: Transaction, events: readonly NewEvent[], now: Date): Promise<BatchResult> {
  await tx.lock([...new Map(events.map(({ session, event }) => [session, event])).values()]);
  const results: BatchResult[] = [];
  for (const round of rounds(events)) results.push(await commitRound(tx, round, now));
  // Not push(...): one event can open more notices than a call may have arguments.
  return {
    outcomes: results.flatMap(({ outcomes }) => outcomes),
    opened: results.flatMap(({ opened }) => opened),
  };
}

/**
 * A spawn changes who watches its session, so what the same session logs behind it is for the next round. Spawns in a
 * row share one, also with what comes before them: a round opens notices before it starts cursors. So the rounds are
 * one more than the times that a session goes on after being spawned, which is as often as every second event where
 * spawns and messages of one session take turns.
 */
export function* rounds(events: readonly NewEvent[]): Generator<NewEvent[]> {
  let round: NewEvent[] = [];
  let spawned = new Set<string>();
  for (const append of events) {
    const { session } = append;
    if (append.spawnedBy !== null) spawned.add(session);
    else if (spawned.has(session)) {
      yield round;
      round = [];
      spawned = new Set();
    }
    round.push(append);
  }
  if (round.length > 0) yield round;
}

async function commitRound(tx: Transaction, round: readonly NewEvent[], now: Date): Promise<BatchResult> {
  const heads = await lookAt(tx, round);
  const fates = decide(round, heads, await lookForDuplicates(tx, round));
  const fresh = round.filter((_, index) => fates[index]?.kind === "new");
  const sequences = fresh.length === 0 ? [] : await tx.takeSequences(fresh.length);
  const recorded = fresh.map((append, index) => ({ append, sequence: sequences[index] ?? 0 }));
  const opened = recorded.length === 0 ? [] : await writeRound(tx, recorded, heads, now);
  return { outcomes: await answer(tx, round, fates, recorded), opened };
}

function decide(
  round: readonly NewEvent[],
  heads: ReadonlyMap<string, BatchHead>,
  taken: ReadonlyMap<string, number>,
): Fate[] {
  const first = new Map<string, number>();
  return round.map((append, index) => {
    const key = dedupeOf(append);
    const existing = key === null ? undefined : taken.get(key);
    if (existing !== undefined) return { kind: "existing", sequence: existing };
    const same = key === null ? undefined : first.get(key);
    if (same !== undefined) return { kind: "same", as: same };
    if (append.onlyWhileWatched && heads.get(append.session)?.watched !== true) return { kind: "no" };
    if (key !== null) first.set(key, index);
    return { kind: "new" };
  });
}

async function answer(
  tx: Transaction,
  round: readonly NewEvent[],
  fates: readonly Fate[],
  recorded: readonly Recorded[],
): Promise<AppendOutcome[]> {
  const existing = fates.flatMap((fate) => (fate.kind === "existing" ? [fate.sequence] : []));
  const found = existing.length === 0 ? [] : await eventsBySequence(tx, existing);
  const bySequence = new Map(found.map((event) => [event.sequence, event]));
  const written = new Map(recorded.map(({ append, sequence }) => [append, toRecord(append.event, sequence)]));
  return fates.map((fate, index): AppendOutcome => {
    if (fate.kind === "no") return { kind: "notWatched" };
    const event =
      fate.kind === "existing"
        ? bySequence.get(fate.sequence)
        : written.get(round[fate.kind === "same" ? fate.as : index] as NewEvent);
    if (event === undefined) throw new Error("every event of a batch that is not refused has a row");
    return { kind: fate.kind === "new" ? "recorded" : "duplicate", event };
  });
}

/** Written out: copying with spread takes four times as long, and every appended event is copied here. */
function toRecord(event: NewEvent["event"], sequence: number): EventRecord {
  return {
    sequence,
    sessionKey: event.sessionKey,
    agentId: event.agentId,
    sessionId: event.sessionId,
    kind: event.kind,
    actorType: event.actorType,
    actorId: event.actorId,
    runId: event.runId,
    outcome: event.outcome,
    occurredAt: event.occurredAt,
    summary: event.summary,
    payload: event.payload,
  };
}
