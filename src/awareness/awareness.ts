import type {
  ActorType,
  CatalogThread,
  EventRecord,
  NoticeRecord,
  RunOutcome,
  SessionEventKind,
  SessionIdentity,
  SessionRecord,
  UpstreamKind,
  WatchRecord,
} from "../storage/records.js";
import type { SessionCounts } from "../storage/sessionCounts.js";
import type { NodeDesk } from "./nodeDesk.js";
import type { Agents } from "./viewer.js";

export type {
  ActorType,
  CatalogThread,
  EventRecord,
  NoticeRecord,
  Payload,
  PayloadValue,
  RunOutcome,
  SessionEventKind,
  SessionIdentity,
  SessionRecord,
  UpstreamKind,
  UpstreamLinkRecord,
  UpstreamSource,
  WatchOrigin,
  WatchRecord,
} from "../storage/records.js";
export type { SessionCounts } from "../storage/sessionCounts.js";

/** A session, with its counts where they were read along. */
export type CountedSession = SessionRecord & { counts?: SessionCounts };
export type SessionOrder = "KEY" | "LAST_CHANGE";

/**
 * What a follower of sessions is told. `READ_AGAIN` comes first, and again whenever more has changed than can be named:
 * whoever reads everything after it misses nothing.
 */
export type SessionChange =
  | { kind: "READ_AGAIN"; sessionKey: null; agentId: null; session: null }
  | (SessionIdentity & { kind: "CHANGED"; session: CountedSession })
  | (SessionIdentity & { kind: "DELETED"; session: null });

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
  /** The highest version whose event was pruned; 0 when none was. */
  prunedUpTo: number;
  stateChanges: StateChanges | null;
};

export type CatalogEntry = CatalogThread & { adoptedBy: SessionRecord[] };
export type AdoptInput = {
  source: { kind: UpstreamKind; nodeId?: string | null; threadId: string };
  agentId: string;
  label?: string | null;
};

/** One page of a list; `cursor` is opaque and names the node's place for `after`. */
export type Page<T> = { edges: { cursor: string; node: T }[]; hasNextPage: boolean };
export type PageRequest = { first?: number | null; after?: string | null };
/** Absent or null: everything. Else only what concerns sessions of these agents, as if there were no others. */
export type Reach = { agents?: Agents };

/**
 * The domain as the rooms above see it (contract, sections 2 to 9). Every method refuses bad input with a `Refusal`
 * before anything is written; `append` and `appendMany` never throw for storage, the others refuse with
 * `SERVICE_UNAVAILABLE`.
 */
export type Awareness = NodeDesk & {
  append(input: AppendInput): Promise<AppendResult>;
  appendMany(inputs: readonly AppendInput[]): Promise<AppendResult[]>;

  watch(input: WatchName): Promise<WatchResult>;
  unwatch(input: WatchName): Promise<{ removed: boolean }>;
  watches(
    filter: PageRequest &
      Reach & {
        watcherSessionKey?: string | null;
        targetSessionKey?: string | null;
        targetAgentId?: string | null;
        pending?: boolean | null;
      },
  ): Promise<Page<WatchRecord>>;

  pendingNotices(input: Reach & { watcherSessionKey: string; limit?: number | null }): Promise<StaleNotice[]>;
  drainNotices(
    input: Reach & {
      watcherSessionKey: string;
      limit?: number | null;
    },
  ): Promise<{ notices: StaleNotice[]; remaining: number }>;
  acknowledgeNotices(
    input: Reach & {
      watcherSessionKey: string;
      noticeIds: readonly string[];
    },
  ): Promise<{ results: AcknowledgeResult[] }>;
  /**
   * `watch` is null when the pair is not watched. `upTo` reaches as far as the target does: to its state version, and
   * where a session of its name was deleted at least to the `nextChangesSince` of a read after that.
   */
  reconcile(input: WatchName & { upTo: number }): Promise<{ watch: WatchRecord | null }>;
  /**
   * Pending notices of one watcher (null: of all), oldest first, then every notice as it opens (section 7). The
   * subscriber is registered before this resolves; `return()` on the iterator ends it at once, also while it waits.
   */
  subscribe(watcherSessionKey: string | null, agents?: Agents): Promise<AsyncIterableIterator<StaleNotice>>;

  sessionStatus(input: SessionName & { changesSince?: number | null; first?: number | null }): Promise<SessionStatus>;
  /** The last events of a session up to a version, ascending. */
  latestEvents(session: SessionIdentity, range: { upTo: number; limit?: number | null }): Promise<EventRecord[]>;
  sessionsList(
    filter: PageRequest & Reach & { agentId?: string | null; search?: string | null; orderBy?: SessionOrder | null },
  ): Promise<Page<SessionRecord>>;
  /** The counts of these sessions, in their order, in one statement. */
  sessionCounts(sessions: readonly SessionIdentity[], reach?: Reach): Promise<SessionCounts[]>;
  /**
   * Sessions as they change, of one agent or (null) of all: at most one undelivered change per session, told with how
   * the session is then. Ends as `subscribe` does.
   */
  sessionChanges(filter?: Reach & { agentId?: string | null }): Promise<AsyncIterableIterator<SessionChange>>;
  registerSession(input: SessionName & { label?: string | null; spawnedBy?: string | null }): Promise<SessionRecord>;
  resetSession(input: SessionName): Promise<{ watchesRemoved: number }>;
  deleteSession(input: SessionName): Promise<{ deleted: boolean }>;

  /** Threads that can be adopted, newest first, each with the sessions that have adopted it (section 9). */
  upstreamCatalog(request: PageRequest & { kind?: UpstreamKind | null }): Promise<Page<CatalogEntry>>;
  /** Adopts a thread or continues one: it is monitored from its present end. What is unread by then is read first. */
  adoptSession(input: AdoptInput): Promise<{ session: SessionRecord; created: boolean }>;
  /** The next turn with this digest is the agent's own. `noted` is false where nothing is monitored. */
  noteOwnPrompt(input: SessionName & { textDigest: string }): Promise<{ noted: boolean }>;

  /** True when the database answers a small read. */
  ready(): Promise<boolean>;
  /** Ends subscriptions, commits what is queued, closes the database. Safe to call twice. */
  stop(): Promise<void>;
};
