import type {
  AppendInput,
  EventRecord,
  SessionEventKind,
  SessionIdentity,
  SessionName,
  SessionRecord,
  SessionStatus,
} from "../../src/awareness/awareness.js";
import { badInput, Refusal } from "../../src/awareness/refusals.js";
import type { Cursor, Listed, LoggedEvent, Tombstone } from "./modelTypes.js";
import { identityOf, sameSession, targetOf } from "./modelTypes.js";

const materialKinds: readonly SessionEventKind[] = ["HUMAN_DIRECT_MESSAGE", "GOAL_CHANGED", "UPSTREAM_MISSING"];
const hourMs = 60 * 60 * 1000;
const thirtyDaysMs = 30 * 24 * hourMs;

export type ModelSession = Omit<SessionRecord, "updatedAt">;
export type ModelStatus = Omit<SessionStatus, "session"> & { session: ModelSession | null };

/** The model's log, its sessions, and what retention and deletion leave of them (contract, sections 4 and 8). */
export class ModelLog {
  protected events: LoggedEvent[] = [];
  protected cursors: Cursor[] = [];
  private sessions: Listed[] = [];
  private tombstones: Tombstone[] = [];
  highestIssued = 0;
  protected watchesMade = 0;
  readonly retentionRows: number;
  now: Date;

  constructor(now: Date, retentionRows: number) {
    this.now = now;
    this.retentionRows = retentionRows;
  }

  /** A copy that shares nothing: what would have happened in another order is tried on it. */
  clone(): this {
    return Object.assign(Object.create(Object.getPrototypeOf(this)), structuredClone({ ...this }));
  }

  /** Everything logged since the session began, pruned rows too. */
  protected logged(session: SessionIdentity): LoggedEvent[] {
    return this.events.filter(({ event }) => sameSession(event, session));
  }

  protected materialEvents(session: SessionIdentity): LoggedEvent[] {
    return this.logged(session).filter(({ event }) => isMaterial(event.kind));
  }

  protected visible(session: SessionIdentity): LoggedEvent[] {
    return this.logged(session).filter((one) => !one.pruned);
  }

  protected watchersOf(session: SessionIdentity): Cursor[] {
    return this.cursors.filter((one) => sameSession(targetOf(one), session));
  }

  protected find(pair: { watcherSessionKey: string; targetSessionKey: string; targetAgentId: string }) {
    return this.watchersOf(targetOf(pair)).find((one) => one.watcherSessionKey === pair.watcherSessionKey);
  }

  version(session: SessionIdentity): number {
    return Math.max(0, ...this.logged(session).map(({ event }) => event.sequence));
  }

  watermark(session: SessionIdentity): number {
    const pruned = this.logged(session).filter((one) => one.pruned);
    return Math.max(0, ...pruned.map(({ event }) => event.sequence));
  }

  /** The number between a deleted session of this name and this one, while that is remembered; else 0. */
  line(session: SessionIdentity): number {
    const remembered = this.tombstones.filter((one) => !this.isOld(one.deletedAt));
    return remembered.find((one) => sameSession(one, session))?.line ?? 0;
  }

  /** Where a watch starts, and up to which a reader may reconcile. */
  protected presentVersion(session: SessionIdentity): number {
    return Math.max(this.version(session), this.line(session));
  }

  protected write(session: SessionIdentity, input: AppendInput, sequence: number): EventRecord {
    if (sequence <= this.highestIssued) throw new Error(`number ${sequence} came after ${this.highestIssued}`);
    this.highestIssued = sequence;
    const outcome = input.outcome ?? null;
    const payload = outcome === null ? null : { outcome: outcome.toLowerCase() };
    const event = {
      ...{ ...session, sequence, outcome, payload },
      sessionId: input.sessionId ?? null,
      kind: input.kind,
      actorType: input.actor.type,
      actorId: input.actor.id ?? null,
      runId: input.runId ?? null,
      occurredAt: this.clamped(input.occurredAt ?? this.now),
      summary: input.summary ?? "",
    };
    this.events.push({ event, dedupeKey: input.dedupeKey ?? null, appendedAt: this.now, pruned: false });
    this.list(session);
    return event;
  }

  private clamped(time: Date): Date {
    const now = this.now.getTime();
    return new Date(Math.min(now, Math.max(now - 24 * hourMs, time.getTime())));
  }

  protected list(session: SessionIdentity): Listed {
    const known = this.sessions.find((one) => sameSession(one, session));
    if (known !== undefined) return known;
    const listed = { ...session, label: null, spawnedBy: null, createdAt: this.now };
    this.sessions.push(listed);
    return listed;
  }

  registerSession(input: SessionName & { label?: string | null; spawnedBy?: string | null }): ModelSession {
    if (input.spawnedBy === input.sessionKey) throw badInput("spawnedBy", "its own parent");
    const listed = this.list(identityOf(input));
    if (input.label !== undefined) listed.label = input.label;
    if (input.spawnedBy !== undefined) listed.spawnedBy = input.spawnedBy;
    return this.record(listed);
  }

  sessionsList(): ModelSession[] {
    return this.sessions.map((listed) => this.record(listed));
  }

  private record(listed: Listed): ModelSession {
    return { ...listed, upstream: null, stateVersion: this.version(listed) || null };
  }

  sessionStatus(name: SessionName, changesSince: number, first = 200): ModelStatus {
    const session = identityOf(name);
    if (changesSince > this.highestIssued)
      throw new Refusal("VERSION_AHEAD_OF_LOG", "above every number", { field: "changesSince" });
    const listed = this.sessions.find((one) => sameSession(one, session));
    const stateVersion = this.version(session);
    const later = this.visible(session).filter(({ event }) => event.sequence > changesSince);
    const events = later.slice(0, first).map(({ event }) => event);
    const truncated = later.length > first;
    const last = events.at(-1)?.sequence ?? changesSince;
    const nextChangesSince = truncated ? last : Math.max(changesSince, this.presentVersion(session));
    const historyGap = changesSince < this.watermark(session) || changesSince < this.line(session);
    const stateChanges = { events, historyGap, truncated, nextChangesSince };
    const prunedUpTo = this.watermark(session);
    return { ...session, session: listed ? this.record(listed) : null, stateVersion, prunedUpTo, stateChanges };
  }

  deleteSession(name: SessionName): { deleted: boolean } {
    const session = identityOf(name);
    const version = this.version(session);
    const isMine = (one: Cursor) => one.watcherSessionKey === session.sessionKey || sameSession(targetOf(one), session);
    const deleted = this.sessions.some((one) => sameSession(one, session)) || this.cursors.some(isMine);
    this.events = this.events.filter(({ event }) => !sameSession(event, session));
    this.cursors = this.cursors.filter((one) => !isMine(one));
    this.sessions = this.sessions.filter((one) => !sameSession(one, session));
    if (version > 0) {
      this.tombstones = this.tombstones.filter((one) => !sameSession(one, session));
      this.highestIssued += 1;
      this.tombstones.push({ ...session, line: this.highestIssued, deletedAt: this.now });
    }
    return { deleted };
  }

  /** One whole pass of retention: by age, by rows, watches, tombstones. */
  sweep(): void {
    const kept = this.events.filter((one) => !one.pruned);
    for (const one of kept) one.pruned = this.isOld(one.event.occurredAt);
    const young = kept.filter((one) => !one.pruned);
    for (const one of young.slice(0, Math.max(0, young.length - this.retentionRows))) one.pruned = true;
    this.cursors = this.cursors.filter((one) => this.hasMoved(one));
    this.tombstones = this.tombstones.filter((one) => !this.isOld(one.deletedAt));
  }

  private hasMoved(cursor: Cursor): boolean {
    const material = this.materialEvents(targetOf(cursor)).at(-1);
    return !this.isOld(cursor.updatedAt) || (material !== undefined && !this.isOld(material.appendedAt));
  }

  private isOld(time: Date): boolean {
    return time.getTime() < this.now.getTime() - thirtyDaysMs;
  }
}

export function isMaterial(kind: SessionEventKind): boolean {
  return materialKinds.includes(kind);
}
