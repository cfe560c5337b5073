import { type Clock, dayMs } from "../clock.js";
import type { AppendOutcome } from "../storage/batches.js";
import { identityOf, type NewEvent } from "../storage/newEvent.js";
import type { AppendInput, AppendResult, Payload } from "./awareness.js";
import { eventKinds } from "./eventKinds.js";
import type { Logger } from "./logger.js";
import type { Observer } from "./observer.js";
import { oneLineOr } from "./oneLine.js";
import { cleanPayload, payloadMaxKeys } from "./payload.js";
import { badInput } from "./refusals.js";
import { agentOf, checkId, checkKey, resolveSession } from "./sessionKey.js";
import type { Writer } from "./writer.js";

/**
 * Appends in order and in one transaction (contract, section 4). Bad input refuses the whole call before anything is
 * written; a failing database is an answer, not an error, because the caller's turn must go on.
 */
export async function append(
  rooms: { writer: Writer; clock: Clock; log: Logger; observe: Observer },
  inputs: readonly AppendInput[],
  fieldOf: (index: number) => string,
): Promise<AppendResult[]> {
  const now = rooms.clock.now();
  const events = inputs.map((input, index) => toNewEvent(input, now, fieldOf(index)));
  try {
    const outcomes = await rooms.writer.append(events);
    tell(rooms.observe, outcomes);
    return outcomes.map(toResult);
  } catch (error) {
    rooms.observe.appended("storage_unavailable", events.length);
    rooms.log.error({ err: error, events: events.length }, "append not recorded: storage unavailable");
    return events.map(() => notRecorded("STORAGE_UNAVAILABLE"));
  }
}

/** Checks and cleans one input. `prefix` goes before every field name of a refusal. */
export function toNewEvent(input: AppendInput, now: Date, prefix = ""): NewEvent {
  const session = resolveSession(input, { key: `${prefix}sessionKey`, agent: `${prefix}agentId` });
  const { sessionKey, agentId } = session;
  const rule = eventKinds[input.kind];
  const outcome = input.outcome ?? null;
  if (rule.needsOutcome && outcome === null) {
    throw badInput(`${prefix}outcome`, `${input.kind} needs an outcome: CANCELLED, TIMEOUT or ERROR.`);
  }
  if (!rule.needsOutcome && outcome !== null) {
    throw badInput(`${prefix}outcome`, `${input.kind} has no outcome; leave it out.`);
  }
  const actorId = checkId(input.actor.id, `${prefix}actor.id`);
  const parent = rule.seedsCursor ? checkParent(actorId, sessionKey, `${prefix}actor.id`) : null;
  const payload = cleanPayload(input.payload, `${prefix}payload`);
  return {
    event: {
      // Spreading the two first would make each event an object of 2 kB that V8 keeps until its next full collection.
      sessionKey,
      agentId,
      sessionId: checkId(input.sessionId, `${prefix}sessionId`),
      kind: input.kind,
      actorType: input.actor.type,
      actorId,
      runId: checkId(input.runId, `${prefix}runId`),
      outcome,
      occurredAt: clampTime(input.occurredAt, now),
      summary: oneLineOr(input.summary, rule.defaultSummary),
      payload: outcome === null ? payload : withOutcome(payload, outcome.toLowerCase(), `${prefix}payload`),
    },
    session: identityOf(session),
    dedupeKey: checkId(input.dedupeKey, `${prefix}dedupeKey`),
    notifies: rule.notifies,
    onlyWhileWatched: rule.onlyWhileWatched,
    spawnedBy: parent,
    seedsWatcher: parent !== null && agentOf(parent) !== null ? parent : null,
  };
}

/** The parent of a spawn. A bare parent is kept as `spawnedBy`, but cannot watch. */
function checkParent(actorId: string | null, child: string, field: string): string {
  if (actorId === null) throw badInput(field, "CHILD_SPAWNED needs actor.id: the session key of the parent.");
  if (actorId === child) throw badInput(field, "A session cannot be its own parent; give the parent's session key.");
  return checkKey(actorId, field);
}

/**
 * `outcome` is one of the payload's keys and takes the place of a caller's own. `Object.fromEntries` defines own
 * properties, so a key such as `__proto__` stays data.
 */
function withOutcome(payload: Payload | null, outcome: string, field: string): Payload {
  const kept = Object.fromEntries([...Object.entries(payload ?? {}), ["outcome", outcome]]);
  if (Object.keys(kept).length <= payloadMaxKeys) return kept;
  throw badInput(
    field,
    `${field} must have at most ${payloadMaxKeys - 1} keys beside outcome, which is kept there too.`,
  );
}

/** Shown, never trusted: within the last 24 hours; absent or invalid means now. */
function clampTime(time: Date | null | undefined, now: Date): Date {
  const asked = time?.getTime() ?? Number.NaN;
  if (Number.isNaN(asked)) return now;
  return new Date(Math.min(Math.max(asked, now.getTime() - dayMs), now.getTime()));
}

function tell(observe: Observer, outcomes: readonly AppendOutcome[]): void {
  for (const { kind } of outcomes) observe.appended(kind === "notWatched" ? "not_watched" : kind, 1);
}

function toResult(outcome: AppendOutcome): AppendResult {
  if (outcome.kind === "notWatched") return notRecorded("NOT_WATCHED");
  return { recorded: true, duplicate: outcome.kind === "duplicate", reason: null, event: outcome.event };
}

function notRecorded(reason: "NOT_WATCHED" | "STORAGE_UNAVAILABLE"): AppendResult {
  return { recorded: false, duplicate: false, reason, event: null };
}
