import type { WatchName } from "../../src/awareness/awareness.js";
import type { EventRecord, PairIdentity, SessionIdentity, WatchOrigin } from "../../src/storage/records.js";

/** An event of the model's log. It stays in the array when it is pruned: a watermark and `material` outlive the row. */
export type LoggedEvent = { event: EventRecord; dedupeKey: string | null; appendedAt: Date; pruned: boolean };

/** `serial` is the model's own name of a watch; a test binds it to the product's id and checks that both stay so. */
export type Cursor = PairIdentity & {
  serial: string;
  origin: WatchOrigin;
  lastSeen: number;
  notified: number;
  openedAt: Date | null;
  updatedAt: Date;
};

export type Listed = SessionIdentity & { label: string | null; spawnedBy: string | null; createdAt: Date };
/** What stays of a deleted session: a number that no event has, between its versions and those of a later session. */
export type Tombstone = SessionIdentity & { line: number; deletedAt: Date };

export type ModelNotice = PairIdentity & {
  serial: string;
  changesSince: number;
  notified: number;
  openedAt: Date;
  delivery: "IMMEDIATE" | "NEXT_TURN";
};

export type ModelWatch = Cursor & { material: number };

/** A notice id as the model knows it: a watch and what it showed; null for an id that is never given out. */
export type NoticeName = { serial: string; notified: number } | null;

export function agentInKey(key: string): string | null {
  return key.startsWith("agent:") ? (key.split(":")[1] ?? null) : null;
}

export function identityOf(name: { sessionKey: string; agentId?: string | null }): SessionIdentity {
  return { sessionKey: name.sessionKey, agentId: agentInKey(name.sessionKey) ?? name.agentId ?? "" };
}

export function sameSession(a: SessionIdentity, b: SessionIdentity): boolean {
  return a.sessionKey === b.sessionKey && a.agentId === b.agentId;
}

export function targetOf(pair: PairIdentity): SessionIdentity {
  return { sessionKey: pair.targetSessionKey, agentId: pair.targetAgentId };
}

export function pairOf(input: WatchName): PairIdentity {
  const target = identityOf({ sessionKey: input.targetSessionKey, agentId: input.targetAgentId });
  const { sessionKey: targetSessionKey, agentId: targetAgentId } = target;
  return { watcherSessionKey: input.watcherSessionKey, targetSessionKey, targetAgentId };
}

export function isPending(cursor: Cursor): boolean {
  return cursor.notified > cursor.lastSeen;
}

export function noticeOf(cursor: Cursor): ModelNotice {
  const { watcherSessionKey, targetSessionKey, targetAgentId, lastSeen, notified, openedAt } = cursor;
  return {
    ...{ watcherSessionKey, targetSessionKey, targetAgentId, notified },
    serial: cursor.serial,
    changesSince: lastSeen,
    openedAt: openedAt ?? new Date(Number.NaN),
    delivery: watcherSessionKey.includes(":subagent:") ? "NEXT_TURN" : "IMMEDIATE",
  };
}
