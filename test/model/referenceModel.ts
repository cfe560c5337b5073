import type {
  AcknowledgeOutcome,
  AppendInput,
  AppendResult,
  EventRecord,
  SessionIdentity,
  SessionName,
  WatchName,
  WatchOrigin,
  WatchRefusal,
} from "../../src/awareness/awareness.js";
import { badInput } from "../../src/awareness/refusals.js";
import type { PairIdentity } from "../../src/storage/records.js";
import { isMaterial, ModelLog } from "./modelLog.js";
import type { Cursor, ModelNotice, ModelWatch, NoticeName } from "./modelTypes.js";
import { agentInKey, identityOf, isPending, noticeOf, pairOf, targetOf } from "./modelTypes.js";

type ModelAcknowledgement = { outcome: AcknowledgeOutcome; reopened: ModelNotice | null };

/**
 * Sections 3 to 6 and 8 of the contract, one event at a time: slow, plain and meant to be right by reading.
 * The product is compared with it; nothing here is shared with the product but types.
 */
export class ReferenceModel extends ModelLog {
  /** `number` is the sequence the product gave; left out, the next one. */
  append(input: AppendInput, number = this.highestIssued + 1): AppendResult {
    checkAppend(input, "");
    return this.log(input, number);
  }

  appendMany(inputs: readonly AppendInput[], numbers: readonly (number | undefined)[] = []): AppendResult[] {
    inputs.forEach((input, index) => {
      checkAppend(input, `inputs[${index}].`);
    });
    return inputs.map((input, index) => this.log(input, numbers[index] ?? this.highestIssued + 1));
  }

  private log(input: AppendInput, number: number): AppendResult {
    const session = identityOf(input);
    const same = this.visible(session).find((one) => one.dedupeKey !== null && one.dedupeKey === input.dedupeKey);
    if (same !== undefined) return { recorded: true, duplicate: true, reason: null, event: same.event };
    if (input.kind === "HUMAN_DIRECT_MESSAGE" && this.watchersOf(session).length === 0) {
      return { recorded: false, duplicate: false, reason: "NOT_WATCHED", event: null };
    }
    const event = this.write(session, input, number);
    if (event.kind === "CHILD_SPAWNED") this.spawned(session, event);
    if (isMaterial(event.kind)) this.notifyWatchers(session, event);
    return { recorded: true, duplicate: false, reason: null, event };
  }

  private spawned(child: SessionIdentity, event: EventRecord): void {
    const parentKey = event.actorId ?? "";
    this.list(child).spawnedBy = parentKey;
    if (agentInKey(parentKey) === null) return;
    const pair = { watcherSessionKey: parentKey, targetSessionKey: child.sessionKey, targetAgentId: child.agentId };
    const existing = this.find(pair);
    if (existing === undefined) {
      this.startWatch(pair, "SPAWN");
    } else if (!isPending(existing)) {
      existing.lastSeen = event.sequence;
      existing.notified = event.sequence;
      existing.updatedAt = this.now;
    }
  }

  private notifyWatchers(session: SessionIdentity, event: EventRecord): void {
    for (const cursor of this.watchersOf(session)) {
      if (cursor.watcherSessionKey === event.actorId || isPending(cursor)) continue;
      this.open(cursor, event.sequence);
    }
  }

  watch(input: WatchName): { watched: boolean; reason: WatchRefusal | null; watch: ModelWatch | null } {
    const pair = pairOf(input);
    if (agentInKey(pair.watcherSessionKey) === null) {
      return { watched: false, reason: "WATCHER_NOT_AGENT_QUALIFIED", watch: null };
    }
    if (pair.watcherSessionKey === pair.targetSessionKey) return { watched: false, reason: "SELF", watch: null };
    const cursor = this.find(pair) ?? this.startWatch(pair, "EXPLICIT");
    return { watched: true, reason: null, watch: this.shown(cursor) };
  }

  private startWatch(pair: PairIdentity, origin: WatchOrigin): Cursor {
    this.list(targetOf(pair));
    const version = this.presentVersion(targetOf(pair));
    this.watchesMade += 1;
    const serial = `watch${this.watchesMade}`;
    const start = { lastSeen: version, notified: version, openedAt: null, updatedAt: this.now };
    const cursor = { ...pair, serial, origin, ...start };
    this.cursors.push(cursor);
    return cursor;
  }

  unwatch(input: WatchName): { removed: boolean } {
    const cursor = this.find(pairOf(input));
    this.cursors = this.cursors.filter((one) => one !== cursor);
    return { removed: cursor !== undefined };
  }

  allWatches(): ModelWatch[] {
    return this.cursors.map((cursor) => this.shown(cursor));
  }

  pendingNotices(watcherSessionKey: string, limit = 50): ModelNotice[] {
    const pending = this.cursors.filter((one) => one.watcherSessionKey === watcherSessionKey && isPending(one));
    return pending.map(noticeOf).sort(oldestFirst).slice(0, limit);
  }

  drainNotices(watcherSessionKey: string, limit = 50): { notices: ModelNotice[]; remaining: number } {
    const notices = this.pendingNotices(watcherSessionKey, limit);
    for (const notice of notices) {
      const cursor = this.cursors.find((one) => one.serial === notice.serial);
      if (cursor !== undefined) this.moveTo(cursor, cursor.notified);
    }
    return { notices, remaining: this.pendingNotices(watcherSessionKey, Number.POSITIVE_INFINITY).length };
  }

  /** Only what was pending before the call can be acknowledged by it, once. */
  acknowledge(watcherSessionKey: string, names: readonly NoticeName[]): ModelAcknowledgement[] {
    const before = structuredClone(this.cursors.filter((one) => one.watcherSessionKey === watcherSessionKey));
    const acknowledged: string[] = [];
    return names.map((name) => {
      const shown = before.find((one) => one.serial === name?.serial);
      if (name === null || shown === undefined) return { outcome: "UNKNOWN", reopened: null };
      if (name.notified <= shown.lastSeen) return { outcome: "ALREADY_ACKNOWLEDGED", reopened: null };
      if (name.notified !== shown.notified) return { outcome: "UNKNOWN", reopened: null };
      if (acknowledged.includes(shown.serial)) return { outcome: "ALREADY_ACKNOWLEDGED", reopened: null };
      acknowledged.push(shown.serial);
      const cursor = this.cursors.find((one) => one.serial === shown.serial) ?? shown;
      this.moveTo(cursor, cursor.notified);
      return { outcome: "ACKNOWLEDGED", reopened: isPending(cursor) ? noticeOf(cursor) : null };
    });
  }

  reconcile(input: WatchName & { upTo: number }): { watch: ModelWatch | null } {
    const pair = pairOf(input);
    const cursor = this.find(pair);
    if (input.upTo > Math.max(this.presentVersion(targetOf(pair)), cursor?.lastSeen ?? 0))
      throw badInput("upTo", "above the head");
    if (cursor === undefined) return { watch: null };
    const coversPending = !isPending(cursor) || input.upTo >= cursor.notified;
    if (coversPending && input.upTo > cursor.lastSeen) this.moveTo(cursor, input.upTo);
    return { watch: this.shown(cursor) };
  }

  resetSession(name: SessionName): { watchesRemoved: number } {
    const own = this.cursors.filter((one) => one.watcherSessionKey === name.sessionKey);
    this.cursors = this.cursors.filter((one) => !own.includes(one));
    return { watchesRemoved: own.length };
  }

  /** The watcher has seen everything up to `position`; what lies beyond it becomes one new notice. */
  private moveTo(cursor: Cursor, position: number): void {
    cursor.lastSeen = position;
    cursor.notified = position;
    cursor.openedAt = null;
    cursor.updatedAt = this.now;
    const material = this.material(cursor);
    if (material > position) this.open(cursor, material);
  }

  private open(cursor: Cursor, notified: number): void {
    cursor.notified = notified;
    cursor.openedAt = this.now;
    cursor.updatedAt = this.now;
  }

  /** The last material event that the watcher did not cause itself; at least what it has been shown. */
  private material(cursor: Cursor): number {
    const foreign = this.materialEvents(targetOf(cursor)).filter(
      ({ event }) => event.actorId !== cursor.watcherSessionKey,
    );
    return Math.max(cursor.notified, ...foreign.map(({ event }) => event.sequence));
  }

  private shown(cursor: Cursor): ModelWatch {
    return { ...cursor, material: this.material(cursor) };
  }
}

function checkAppend(input: AppendInput, prefix: string): void {
  if (input.kind === "RUN_FAILED" && !input.outcome) throw badInput(`${prefix}outcome`, "required");
  const needsParent = input.kind === "CHILD_SPAWNED";
  if (needsParent && !input.actor.id) throw badInput(`${prefix}actor.id`, "required");
  if (needsParent && input.actor.id === input.sessionKey) throw badInput(`${prefix}actor.id`, "its own parent");
}

function oldestFirst(a: ModelNotice, b: ModelNotice): number {
  return a.openedAt.getTime() - b.openedAt.getTime() || a.notified - b.notified;
}
