import type {
  ActorType,
  EventRecord,
  NoticeRecord,
  RunOutcome,
  SessionEventKind,
  SessionIdentity,
  SessionRecord,
  WatchRecord,
} from "../storage/records.js";

export type {
  ActorType,
  EventRecord,
  NoticeRecord,
  Payload,
  PayloadValue,
  RunOutcome,
  SessionEventKind,
  SessionIdentity,
  SessionRecord,
  WatchOrigin,
  WatchRecord,
} from "../storage/records.js";

/** Names a session as a caller does: a bare key needs `agentId` beside it (contract, section 2). */
export type SessionName = { sessionKey: string; agentId?: string | null };

export type AppendInput = SessionName & {
  sessionId?: string | null;
  kind: SessionEventKind;
  actor: { type: ActorType; id?: string | null };
  runId?: string | null;
  outcome?: RunOutcome | null;
  summary?: string | null;
  /** Checked and cleaned here: the caller may hand over any parsed JSON. */
  payload?: unknown;
  dedupeKey?: string | null;
  /** An invalid date counts as absent. */
  occurredAt?: Date | null;
};

export type NotRecordedReason = "NOT_WATCHED" | "STORAGE_UNAVAILABLE";
export type AppendResult =
  | { recorded: true; duplicate: boolean; reason: null; event: EventRecord }
  | { recorded: false; duplicate: false; reason: NotRecordedReason; event: null };

export type WatchName = { watcherSessionKey: string; targetSessionKey: string; targetAgentId?: string | null };
export type WatchRefusal = "SELF" | "WATCHER_NOT_AGENT_QUALIFIED";
export type WatchResult =
  | { watched: true; reason: null; watch: WatchRecord }
  | { watched: false; reason: WatchRefusal; watch: null };

export type NoticeDelivery = "IMMEDIATE" | "NEXT_TURN";
export type StaleNotice = NoticeRecord & { id: string; delivery: NoticeDelivery };

export type AcknowledgeOutcome = "ACKNOWLEDGED" | "ALREADY_ACKNOWLEDGED" | "UNKNOWN";
export type AcknowledgeResult = { noticeId: string; outcome: AcknowledgeOutcome; reopened: StaleNotice | null };

export type StateChanges = {
  events: EventRecord[];
  historyGap: boolean;
  truncated: boolean;
  nextChangesSince: number;
};
export type SessionStatus = SessionIdentity & {
  session: SessionRecord | null;
  stateVersion: number;
  stateChanges: StateChanges | null;
};

/** One page of a list; `cursor` is opaque and names the node's place for `after`. */
export type Page<T> = { edges: { cursor: string; node: T }[]; hasNextPage: boolean };
export type PageRequest = { first?: number | null; after?: string | null };

/**
 * The domain as the rooms above see it (contract, sections 2 to 8). Every method refuses bad input with a `Refusal`
 * before anything is written; `append` and `appendMany` never throw for storage, the others refuse with
 * `SERVICE_UNAVAILABLE`.
 */
export type Awareness = {
  append(input: AppendInput): Promise<AppendResult>;
  appendMany(inputs: readonly AppendInput[]): Promise<AppendResult[]>;

  watch(input: WatchName): Promise<WatchResult>;
  unwatch(input: WatchName): Promise<{ removed: boolean }>;
  watches(
    filter: PageRequest & {
      watcherSessionKey?: string | null;
      targetSessionKey?: string | null;
      targetAgentId?: string | null;
    },
  ): Promise<Page<WatchRecord>>;

  pendingNotices(input: { watcherSessionKey: string; limit?: number | null }): Promise<StaleNotice[]>;
  drainNotices(input: {
    watcherSessionKey: string;
    limit?: number | null;
  }): Promise<{ notices: StaleNotice[]; remaining: number }>;
  acknowledgeNotices(input: {
    watcherSessionKey: string;
    noticeIds: readonly string[];
  }): Promise<{ results: AcknowledgeResult[] }>;
  /** `watch` is null when the pair is not watched. */
  reconcile(input: WatchName & { upTo: number }): Promise<{ watch: WatchRecord | null }>;
  /**
   * Pending notices of one watcher (null: of all), oldest first, then every notice as it opens (section 7). The
   * subscriber is registered before this resolves; `return()` on the iterator ends it at once, also while it waits.
   */
  subscribe(watcherSessionKey: string | null): Promise<AsyncIterableIterator<StaleNotice>>;

  sessionStatus(input: SessionName & { changesSince?: number | null; first?: number | null }): Promise<SessionStatus>;
  sessionsList(filter: PageRequest & { agentId?: string | null; search?: string | null }): Promise<Page<SessionRecord>>;
  registerSession(input: SessionName & { label?: string | null; spawnedBy?: string | null }): Promise<SessionRecord>;
  resetSession(input: SessionName): Promise<{ watchesRemoved: number }>;
  deleteSession(input: SessionName): Promise<{ deleted: boolean }>;

  /** True when the database answers a small read. */
  ready(): Promise<boolean>;
  /** Ends subscriptions, commits what is queued, closes the database. Safe to call twice. */
  stop(): Promise<void>;
};
