/**
 * What the tables hold, as the rooms above see it: plain records in the contract's words (section 1).
 * Sequences are integers from 0 to 2^53 - 1; times are `Date`s.
 */

export const eventKindNames = [
  "HUMAN_DIRECT_MESSAGE",
  "UPSTREAM_MISSING",
  "GOAL_CHANGED",
  "CHILD_SPAWNED",
  "RUN_COMPLETED",
  "RUN_FAILED",
  "COMPACTED",
  "ADOPTED",
] as const;
export type SessionEventKind = (typeof eventKindNames)[number];
export type ActorType = "HUMAN" | "AGENT" | "SYSTEM";
export type RunOutcome = "CANCELLED" | "TIMEOUT" | "ERROR";
export type WatchOrigin = "SPAWN" | "EXPLICIT";
export type UpstreamKind = "CLAUDE_CODE" | "CODEX";
export type PayloadValue = string | number | boolean | null;
export type Payload = Record<string, PayloadValue>;

/** Key and agent together are a session's identity everywhere. */
export type SessionIdentity = { readonly sessionKey: string; readonly agentId: string };

export type EventRecord = SessionIdentity & {
  sequence: number;
  sessionId: string | null;
  kind: SessionEventKind;
  actorType: ActorType;
  actorId: string | null;
  runId: string | null;
  outcome: RunOutcome | null;
  occurredAt: Date;
  summary: string;
  payload: Payload | null;
};

export type SessionRecord = SessionIdentity & {
  label: string | null;
  spawnedBy: string | null;
  /** Null until something has been logged. */
  stateVersion: number | null;
  createdAt: Date;
  updatedAt: Date;
  /** Its source in another tool; null when it was never adopted, or the source is gone. */
  upstream: UpstreamLinkRecord | null;
};

/** Names one thread of a known tool on one machine (`local` is this one). */
export type UpstreamSource = { readonly kind: UpstreamKind; readonly nodeId: string; readonly threadId: string };

/** A thread of another tool, as its file's name and times tell of it; never a line of its content. */
export type CatalogThread = UpstreamSource & { updatedAt: Date; workingDirectory: string | null };

/** What is shown of a link. */
export type UpstreamLinkRecord = UpstreamSource & {
  /** Checks in a row that did not find the source. */
  missedChecks: number;
  /** Checks in a row that could not read it. */
  failedChecks: number;
  /** Rows passed over because they could not be read as records. */
  skippedRows: number;
  /** Records of a kind that this version does not know; they count as not human. */
  unknownRows: number;
  /** Not checked before then, because checks keep failing. */
  nextCheckAt: Date | null;
  lastCheckedAt: Date | null;
  /** When its node counts as silent if nothing more is heard of it; null for a source on this machine. */
  nodeSilentFrom: Date | null;
};

/** A pair of watcher and target. */
export type PairIdentity = {
  readonly watcherSessionKey: string;
  readonly targetSessionKey: string;
  readonly targetAgentId: string;
};

export type WatchRecord = PairIdentity & {
  /** Names this watch for good; a watch dropped and made anew has another. */
  id: number;
  origin: WatchOrigin;
  lastSeen: number;
  notified: number;
  /** Last material event that the watcher did not cause itself, never below `notified`. */
  material: number;
  /** When the pending notice opened; null while nothing is pending. */
  openedAt: Date | null;
  updatedAt: Date;
};

/** The target of a pair, as the session it is. */
export function targetOf(pair: PairIdentity): SessionIdentity {
  return { sessionKey: pair.targetSessionKey, agentId: pair.targetAgentId };
}

/** A pending notice, derived from its cursor. */
export type NoticeRecord = PairIdentity & {
  watchId: number;
  /** The cursor's `lastSeen`: what the watcher has acknowledged. */
  changesSince: number;
  notified: number;
  openedAt: Date;
};
