/* eslint-disable */
/** Internal type. DO NOT USE DIRECTLY. */
type Exact<T extends { [key: string]: unknown }> = { [K in keyof T]: T[K] };
/** Internal type. DO NOT USE DIRECTLY. */
export type Incremental<T> = T | { [P in keyof T]?: P extends ' $fragmentName' | '__typename' ? T[P] : never };
import type { TypedDocument } from "../typedDocument.js";
/** Which notices have been dealt with. */
export type AcknowledgeNoticesInput = {
  /** The notices, by id. */
  noticeIds: Array<string>;
  /** The watcher. */
  watcherSessionKey: string;
};

/** What an acknowledgement met. */
export type AcknowledgeOutcome =
  /** The notice was pending and is acknowledged now. */
  | 'ACKNOWLEDGED'
  /** It had been acknowledged before. */
  | 'ALREADY_ACKNOWLEDGED'
  /** No notice of this watcher has this id, or the watch it belonged to is gone. */
  | 'UNKNOWN';

/** Who did it. */
export type ActorInput = {
  /** Which one. A watcher is never told of what has its own key here. */
  id?: string | null | undefined;
  /** What kind of actor. */
  type: ActorType;
};

/** Who did it. */
export type ActorType =
  /** An agent; `id` is usually its session key. */
  | 'AGENT'
  /** A person. */
  | 'HUMAN'
  /** Neither: a scheduler, a monitor, this service. */
  | 'SYSTEM';

/** A thread, and whose session it becomes. */
export type AdoptSessionInput = {
  /** The agent whose session it becomes. */
  agentId: string;
  /** A name for people. */
  label?: string | null | undefined;
  /** The thread. */
  source: UpstreamSourceInput;
};

/** One event to log. */
export type AppendInput = {
  /** Who did it. */
  actor: ActorInput;
  /** Needed beside a bare key; must not contradict a key that names its agent. */
  agentId?: string | null | undefined;
  /** Makes sending again safe: within one session, the same key is the same event. */
  dedupeKey?: string | null | undefined;
  /** What happened. */
  kind: SessionEventKind;
  /** When it happened, within the last 24 hours. Absent: now. */
  occurredAt?: string | null | undefined;
  /** Required for RUN_FAILED. */
  outcome?: RunOutcome | null | undefined;
  /** A flat object of at most 16 scalars. */
  payload?: Record<string, string | number | boolean | null> | null | undefined;
  /** The run it belongs to. */
  runId?: string | null | undefined;
  /** The incarnation of the session, if you keep one. */
  sessionId?: string | null | undefined;
  /** The session it happened to. */
  sessionKey: string;
  /** One line for people. It is cleaned and cut; absent, the kind's default is used. */
  summary?: string | null | undefined;
};

/** Whose notices to take, and how many. */
export type DrainNoticesInput = {
  /** At most this many, oldest first. Default 50. */
  limit?: number | null | undefined;
  /** The watcher. */
  watcherSessionKey: string;
};

/** What one check of a source found. */
export type NodeOutcome =
  /** It is certainly not there. */
  | 'GONE'
  /** It was read up to a new position. */
  | 'READ'
  /** There is nothing to read. */
  | 'UNCHANGED'
  /** It is there, or perhaps there, but cannot be read now. */
  | 'UNREADABLE';

/** How far a source has been read: as in `NodeLinkState`. */
export type NodeSourceInput = {
  /** Device and inode of the file. */
  fileIdentity: string;
  /** SHA-256 of the first bytes. */
  headDigest: string;
  /** Short digests of the turns that are known, as JSON. */
  knownTurns: string;
  /** Bytes read. */
  position: number;
  /** Numbers, digests and yes or no, as JSON. */
  readerState: string;
  /** SHA-256 of the last bytes before the position. */
  tailDigest: string;
};

/** Why a thread cannot be adopted. */
export type NodeStartFailure =
  /** It is not a plain file below the tool's folder. */
  | 'NOT_A_PLAIN_FILE'
  /** There is no such thread. */
  | 'UNKNOWN_THREAD'
  /** It cannot be read now. */
  | 'UNREADABLE';

/** A thread in a node's catalog. */
export type NodeThreadInput = {
  /** The tool. */
  kind: UpstreamKind;
  /** The tool's name for it. */
  threadId: string;
  /** When its file was last written. */
  updatedAt: string;
};

/** Names a thread of a node. */
export type NodeThreadNameInput = {
  /** The tool. */
  kind: UpstreamKind;
  /** The tool's name for it. */
  threadId: string;
};

/** Something a person typed. Its text is never sent. */
export type NodeTurnInput = {
  /** When, as its record says. */
  at?: string | null | undefined;
  /** SHA-256 of the normalised text, as for `noteOwnPrompt`. */
  digest: string;
};

/** Why nothing was logged. */
export type NotRecordedReason =
  /** Nobody watches the session, so a human's message to it is nobody's news. */
  | 'NOT_WATCHED'
  /** Storage failed. The caller's turn goes on; the event is lost unless it is sent again. */
  | 'STORAGE_UNAVAILABLE';

/** A prompt that the agent itself sent, so that it is not taken for a person's. Its text is never sent. */
export type NoteOwnPromptInput = {
  /** Its agent; needed beside a bare key. */
  agentId?: string | null | undefined;
  /** The adopted session. */
  sessionKey: string;
  /** Lower-case hex SHA-256 of the prompt in NFC, runs of white space as one space, trimmed. It swallows one turn. */
  textDigest: string;
};

/** When a notice should reach its watcher. */
export type NoticeDelivery =
  /** Wakes the watcher now (main sessions). */
  | 'IMMEDIATE'
  /** Waits for the watcher's next turn (nested sub-agents). */
  | 'NEXT_TURN';

/** The language of a notice. */
export type NoticeLocale =
  /** English. */
  | 'EN'
  /** Spanish. */
  | 'ES'
  /** Brazilian Portuguese. */
  | 'PT_BR'
  /** Russian. */
  | 'RU';

/** How far a watcher has read by itself. */
export type ReconcileInput = {
  /** The target's agent; needed beside a bare key. */
  targetAgentId?: string | null | undefined;
  /** The target. */
  targetSessionKey: string;
  /** The last version the watcher has seen. */
  upTo: number;
  /** The watcher. */
  watcherSessionKey: string;
};

/** Names a session and says more about it. */
export type RegisterSessionInput = {
  /** Its agent; needed beside a bare key. */
  agentId?: string | null | undefined;
  /** A name for people. */
  label?: string | null | undefined;
  /** Its key. */
  sessionKey: string;
  /** The key of the session that spawned it. */
  spawnedBy?: string | null | undefined;
};

/** What one check of a source found. */
export type ReportCheckInput = {
  /** The link. */
  linkId: string;
  /** As in the node's last report. */
  machineDigest: string;
  /** There was not time enough for all there is to read. */
  more?: boolean | null | undefined;
  /** The node. */
  nodeId: string;
  /** What was found. */
  outcome: NodeOutcome;
  /** How long the link rests; with UNREADABLE. */
  retryAfterMs?: number | null | undefined;
  /** Of the state that the check started from. */
  revision: number;
  /** The node's own time when it sent this. */
  sentAt: string;
  /** Rows passed over because they could not be read. */
  skippedRows?: number | null | undefined;
  /** How far it is read now; with READ. */
  source?: NodeSourceInput | null | undefined;
  /** The person's turns that are news. */
  turns?: Array<NodeTurnInput> | null | undefined;
  /** Records of a kind that the node does not know. */
  unknownRows?: number | null | undefined;
};

/** A sign of life, and what has changed in the node's catalog. Each list holds at most 500. */
export type ReportNodeInput = {
  /** How often it reports; silent for three of these is silent. */
  cadenceMs: number;
  /** Names a whole listing of its catalog: 64 hex digits. */
  catalogId: string;
  /** The last part of a whole listing: nothing else is there. */
  complete: boolean;
  /** Threads that are gone. */
  goneThreads: Array<NodeThreadNameInput>;
  /** SHA-256 that tells machines apart. */
  machineDigest: string;
  /** The node's name: letters, digits, _ and -. */
  nodeId: string;
  /** Links whose check was good and found nothing new. */
  quietLinkIds: Array<string>;
  /** Threads that are new or were written. */
  threads: Array<NodeThreadInput>;
};

/** Where a thread ends now, or why it cannot be adopted: one of the two. */
export type ReportStartInput = {
  /** Why not. */
  because?: NodeStartFailure | null | undefined;
  /** As in the node's last report. */
  machineDigest: string;
  /** The node. */
  nodeId: string;
  /** The present end. */
  source?: NodeSourceInput | null | undefined;
  /** The adoption that waits. */
  startId: string;
};

/** How a failed run ended. */
export type RunOutcome =
  /** Somebody stopped it. */
  | 'CANCELLED'
  /** It broke. */
  | 'ERROR'
  /** It took too long. */
  | 'TIMEOUT';

/** What became of a check. */
export type SavedCheck =
  /** The source was gone for the third time in a row: the link is removed. */
  | 'LINK_REMOVED'
  /** Position and event are saved. */
  | 'SAVED'
  /** Somebody else saved a check of the link meanwhile, or it is gone: nothing was changed. */
  | 'STALE';

/** What a token lets its bearer do. */
export type Scope =
  /** Both for all agents, adopting and deleting. */
  | 'ADMIN'
  /** Reading, and being told. */
  | 'READ'
  /** Logging events and registering sessions; with `READ`, watching and taking notices too. */
  | 'WRITE';

/** What a follower of sessions is told. */
export type SessionChangeKind =
  /** The session, or a count of it, changed. */
  | 'CHANGED'
  /** The session is no longer listed. */
  | 'DELETED'
  /** Read the list now; nothing that happens from here on is missed. Comes first, and whenever more has changed than can be named. */
  | 'READ_AGAIN';

/** What happened to a session. */
export type SessionEventKind =
  /** The session was adopted from another tool. Notifies nobody. */
  | 'ADOPTED'
  /** The session was spawned by the actor's session, which watches it from here on. Notifies nobody. */
  | 'CHILD_SPAWNED'
  /** The session's own context was compacted. Notifies nobody. */
  | 'COMPACTED'
  /** The goal was created, updated or cleared. Notifies watchers. */
  | 'GOAL_CHANGED'
  /** A human wrote to the session directly. Notifies watchers; logged only while somebody watches. */
  | 'HUMAN_DIRECT_MESSAGE'
  /** A run ended well. Notifies nobody. */
  | 'RUN_COMPLETED'
  /** A run did not end well; `outcome` says how. Notifies nobody. */
  | 'RUN_FAILED'
  /** The native thread behind the session can no longer be found. Notifies watchers. */
  | 'UPSTREAM_MISSING';

/** Names a session. */
export type SessionInput = {
  /** Its agent; needed beside a bare key. */
  agentId?: string | null | undefined;
  /** Its key. */
  sessionKey: string;
};

/** In which order sessions are listed. */
export type SessionOrder =
  /** By key and agent. No change disturbs this order, so paging misses nobody. */
  | 'KEY'
  /** The last changed first. A session that changes while somebody pages moves to the front, where `sessionChanged` tells of it. */
  | 'LAST_CHANGE';

/** A tool whose threads can be adopted. */
export type UpstreamKind =
  /** Claude Code, by its transcripts. */
  | 'CLAUDE_CODE'
  /** Codex, by its rollouts. */
  | 'CODEX';

/** Names one native thread of a known tool. */
export type UpstreamSourceInput = {
  /** The tool. */
  kind: UpstreamKind;
  /** The machine; `local` is this server's own. */
  nodeId?: string | null | undefined;
  /** The tool's name for the thread, as the catalog shows it. */
  threadId: string;
};

/** Names a pair of watcher and target. */
export type WatchInput = {
  /** The target's agent; needed beside a bare key. */
  targetAgentId?: string | null | undefined;
  /** The session to watch. */
  targetSessionKey: string;
  /** The session that watches. */
  watcherSessionKey: string;
};

/** How a watch came to be. */
export type WatchOrigin =
  /** Somebody asked for it. */
  | 'EXPLICIT'
  /** The watcher spawned the target. */
  | 'SPAWN';

/** Why a watch was not started. */
export type WatchRefusal =
  /** A session does not watch itself. */
  | 'SELF'
  /** Only a session with a key of the form `agent:<agentId>:<rest>` can watch. */
  | 'WATCHER_NOT_AGENT_QUALIFIED';

export type SessionFieldsFragment = { sessionKey: string, agentId: string, label: string | null, spawnedBy: string | null, stateVersion: number | null, createdAt: string, updatedAt: string, upstream: { kind: UpstreamKind, nodeId: string, threadId: string, missedChecks: number, failedChecks: number, skippedRows: number, unknownRows: number, silent: boolean, lastCheckedAt: string | null, nextCheckAt: string | null } | null };

export type UpstreamLinkFieldsFragment = { kind: UpstreamKind, nodeId: string, threadId: string, missedChecks: number, failedChecks: number, skippedRows: number, unknownRows: number, silent: boolean, lastCheckedAt: string | null, nextCheckAt: string | null };

export type ListedSessionFieldsFragment = { watcherCount: number, pendingWatcherCount: number, pendingCount: number, sessionKey: string, agentId: string, label: string | null, spawnedBy: string | null, stateVersion: number | null, createdAt: string, updatedAt: string, upstream: { kind: UpstreamKind, nodeId: string, threadId: string, missedChecks: number, failedChecks: number, skippedRows: number, unknownRows: number, silent: boolean, lastCheckedAt: string | null, nextCheckAt: string | null } | null };

export type EventFieldsFragment = { sequence: number, sessionKey: string, agentId: string, sessionId: string | null, kind: SessionEventKind, actorType: ActorType, actorId: string | null, runId: string | null, outcome: RunOutcome | null, occurredAt: string, summary: string, payload: Record<string, string | number | boolean | null> | null };

export type StateChangesFieldsFragment = { historyGap: boolean, truncated: boolean, nextChangesSince: number, events: Array<{ sequence: number, sessionKey: string, agentId: string, sessionId: string | null, kind: SessionEventKind, actorType: ActorType, actorId: string | null, runId: string | null, outcome: RunOutcome | null, occurredAt: string, summary: string, payload: Record<string, string | number | boolean | null> | null }> };

export type AppendFieldsFragment = { recorded: boolean, duplicate: boolean, reason: NotRecordedReason | null, event: { sequence: number, sessionKey: string, agentId: string, sessionId: string | null, kind: SessionEventKind, actorType: ActorType, actorId: string | null, runId: string | null, outcome: RunOutcome | null, occurredAt: string, summary: string, payload: Record<string, string | number | boolean | null> | null } | null };

export type WatchFieldsFragment = { watcherSessionKey: string, targetSessionKey: string, targetAgentId: string, origin: WatchOrigin, lastSeen: number, notified: number, material: number, pending: boolean, updatedAt: string };

export type NoticeFieldsFragment = { id: string, watcherSessionKey: string, targetSessionKey: string, targetAgentId: string, changesSince: number, notified: number, delivery: NoticeDelivery, openedAt: string, text: string };

export type PageInfoFieldsFragment = { hasNextPage: boolean, hasPreviousPage: boolean, startCursor: string | null, endCursor: string | null };

export type SessionStatusQueryVariables = Exact<{
  sessionKey: string;
  agentId?: string | null | undefined;
  changesSince?: number | null | undefined;
  first?: number | null | undefined;
}>;


export type SessionStatusQuery = { sessionStatus: { sessionKey: string, agentId: string, stateVersion: number, session: { sessionKey: string, agentId: string, label: string | null, spawnedBy: string | null, stateVersion: number | null, createdAt: string, updatedAt: string, upstream: { kind: UpstreamKind, nodeId: string, threadId: string, missedChecks: number, failedChecks: number, skippedRows: number, unknownRows: number, silent: boolean, lastCheckedAt: string | null, nextCheckAt: string | null } | null } | null, stateChanges: { historyGap: boolean, truncated: boolean, nextChangesSince: number, events: Array<{ sequence: number, sessionKey: string, agentId: string, sessionId: string | null, kind: SessionEventKind, actorType: ActorType, actorId: string | null, runId: string | null, outcome: RunOutcome | null, occurredAt: string, summary: string, payload: Record<string, string | number | boolean | null> | null }> } | null } };

export type LatestEventsQueryVariables = Exact<{
  sessionKey: string;
  agentId?: string | null | undefined;
  limit?: number | null | undefined;
}>;


export type LatestEventsQuery = { sessionStatus: { sessionKey: string, agentId: string, stateVersion: number, prunedUpTo: number, session: { sessionKey: string, agentId: string, label: string | null, spawnedBy: string | null, stateVersion: number | null, createdAt: string, updatedAt: string, upstream: { kind: UpstreamKind, nodeId: string, threadId: string, missedChecks: number, failedChecks: number, skippedRows: number, unknownRows: number, silent: boolean, lastCheckedAt: string | null, nextCheckAt: string | null } | null } | null, latestEvents: Array<{ sequence: number, sessionKey: string, agentId: string, sessionId: string | null, kind: SessionEventKind, actorType: ActorType, actorId: string | null, runId: string | null, outcome: RunOutcome | null, occurredAt: string, summary: string, payload: Record<string, string | number | boolean | null> | null }> } };

export type ViewerQueryVariables = Exact<{ [key: string]: never; }>;


export type ViewerQuery = { viewer: { name: string, scopes: Array<Scope>, agents: Array<string> | null } };

export type SessionsListQueryVariables = Exact<{
  agentId?: string | null | undefined;
  search?: string | null | undefined;
  orderBy?: SessionOrder | null | undefined;
  first?: number | null | undefined;
  after?: string | null | undefined;
}>;


export type SessionsListQuery = { sessionsList: { nodes: Array<{ watcherCount: number, pendingWatcherCount: number, pendingCount: number, sessionKey: string, agentId: string, label: string | null, spawnedBy: string | null, stateVersion: number | null, createdAt: string, updatedAt: string, upstream: { kind: UpstreamKind, nodeId: string, threadId: string, missedChecks: number, failedChecks: number, skippedRows: number, unknownRows: number, silent: boolean, lastCheckedAt: string | null, nextCheckAt: string | null } | null }>, pageInfo: { hasNextPage: boolean, hasPreviousPage: boolean, startCursor: string | null, endCursor: string | null } } };

export type WatchesQueryVariables = Exact<{
  watcherSessionKey?: string | null | undefined;
  targetSessionKey?: string | null | undefined;
  targetAgentId?: string | null | undefined;
  first?: number | null | undefined;
  after?: string | null | undefined;
}>;


export type WatchesQuery = { watches: { nodes: Array<{ watcherSessionKey: string, targetSessionKey: string, targetAgentId: string, origin: WatchOrigin, lastSeen: number, notified: number, material: number, pending: boolean, updatedAt: string }>, pageInfo: { hasNextPage: boolean, hasPreviousPage: boolean, startCursor: string | null, endCursor: string | null } } };

export type PendingWatchesQueryVariables = Exact<{
  watcherSessionKey?: string | null | undefined;
  first?: number | null | undefined;
  after?: string | null | undefined;
}>;


export type PendingWatchesQuery = { watches: { nodes: Array<{ watcherSessionKey: string, targetSessionKey: string, targetAgentId: string, origin: WatchOrigin, lastSeen: number, notified: number, material: number, pending: boolean, updatedAt: string, notice: { id: string, changesSince: number, delivery: NoticeDelivery, openedAt: string, textEn: string, textEs: string, textPtBr: string, textRu: string } | null }>, pageInfo: { hasNextPage: boolean, hasPreviousPage: boolean, startCursor: string | null, endCursor: string | null } } };

export type UpstreamCatalogQueryVariables = Exact<{
  kind?: UpstreamKind | null | undefined;
  first?: number | null | undefined;
  after?: string | null | undefined;
}>;


export type UpstreamCatalogQuery = { upstreamCatalog: { nodes: Array<{ kind: UpstreamKind, nodeId: string, threadId: string, workingDirectory: string | null, updatedAt: string, adoptedBy: Array<{ sessionKey: string, agentId: string, label: string | null, spawnedBy: string | null, stateVersion: number | null, createdAt: string, updatedAt: string, upstream: { kind: UpstreamKind, nodeId: string, threadId: string, missedChecks: number, failedChecks: number, skippedRows: number, unknownRows: number, silent: boolean, lastCheckedAt: string | null, nextCheckAt: string | null } | null }> }>, pageInfo: { hasNextPage: boolean, hasPreviousPage: boolean, startCursor: string | null, endCursor: string | null } } };

export type PendingNoticesQueryVariables = Exact<{
  watcherSessionKey: string;
  locale?: NoticeLocale | null | undefined;
}>;


export type PendingNoticesQuery = { pendingNotices: Array<{ id: string, watcherSessionKey: string, targetSessionKey: string, targetAgentId: string, changesSince: number, notified: number, delivery: NoticeDelivery, openedAt: string, text: string }> };

export type AppendMutationVariables = Exact<{
  input: AppendInput;
}>;


export type AppendMutation = { append: { recorded: boolean, duplicate: boolean, reason: NotRecordedReason | null, event: { sequence: number, sessionKey: string, agentId: string, sessionId: string | null, kind: SessionEventKind, actorType: ActorType, actorId: string | null, runId: string | null, outcome: RunOutcome | null, occurredAt: string, summary: string, payload: Record<string, string | number | boolean | null> | null } | null } };

export type AppendManyMutationVariables = Exact<{
  inputs: Array<AppendInput>;
}>;


export type AppendManyMutation = { appendMany: Array<{ recorded: boolean, duplicate: boolean, reason: NotRecordedReason | null, event: { sequence: number, sessionKey: string, agentId: string, sessionId: string | null, kind: SessionEventKind, actorType: ActorType, actorId: string | null, runId: string | null, outcome: RunOutcome | null, occurredAt: string, summary: string, payload: Record<string, string | number | boolean | null> | null } | null }> };

export type WatchMutationVariables = Exact<{
  input: WatchInput;
}>;


export type WatchMutation = { watch: { watched: boolean, reason: WatchRefusal | null, watch: { watcherSessionKey: string, targetSessionKey: string, targetAgentId: string, origin: WatchOrigin, lastSeen: number, notified: number, material: number, pending: boolean, updatedAt: string } | null } };

export type UnwatchMutationVariables = Exact<{
  input: WatchInput;
}>;


export type UnwatchMutation = { unwatch: { removed: boolean } };

export type DrainNoticesMutationVariables = Exact<{
  input: DrainNoticesInput;
  locale?: NoticeLocale | null | undefined;
}>;


export type DrainNoticesMutation = { drainNotices: { remaining: number, notices: Array<{ id: string, watcherSessionKey: string, targetSessionKey: string, targetAgentId: string, changesSince: number, notified: number, delivery: NoticeDelivery, openedAt: string, text: string }> } };

export type AcknowledgeNoticesMutationVariables = Exact<{
  input: AcknowledgeNoticesInput;
  locale?: NoticeLocale | null | undefined;
}>;


export type AcknowledgeNoticesMutation = { acknowledgeNotices: { results: Array<{ noticeId: string, outcome: AcknowledgeOutcome, reopened: { id: string, watcherSessionKey: string, targetSessionKey: string, targetAgentId: string, changesSince: number, notified: number, delivery: NoticeDelivery, openedAt: string, text: string } | null }> } };

export type ReconcileMutationVariables = Exact<{
  input: ReconcileInput;
}>;


export type ReconcileMutation = { reconcile: { watch: { watcherSessionKey: string, targetSessionKey: string, targetAgentId: string, origin: WatchOrigin, lastSeen: number, notified: number, material: number, pending: boolean, updatedAt: string } | null } };

export type RegisterSessionMutationVariables = Exact<{
  input: RegisterSessionInput;
}>;


export type RegisterSessionMutation = { registerSession: { session: { sessionKey: string, agentId: string, label: string | null, spawnedBy: string | null, stateVersion: number | null, createdAt: string, updatedAt: string, upstream: { kind: UpstreamKind, nodeId: string, threadId: string, missedChecks: number, failedChecks: number, skippedRows: number, unknownRows: number, silent: boolean, lastCheckedAt: string | null, nextCheckAt: string | null } | null } } };

export type ResetSessionMutationVariables = Exact<{
  input: SessionInput;
}>;


export type ResetSessionMutation = { resetSession: { watchesRemoved: number } };

export type AdoptSessionMutationVariables = Exact<{
  input: AdoptSessionInput;
}>;


export type AdoptSessionMutation = { adoptSession: { created: boolean, session: { sessionKey: string, agentId: string, label: string | null, spawnedBy: string | null, stateVersion: number | null, createdAt: string, updatedAt: string, upstream: { kind: UpstreamKind, nodeId: string, threadId: string, missedChecks: number, failedChecks: number, skippedRows: number, unknownRows: number, silent: boolean, lastCheckedAt: string | null, nextCheckAt: string | null } | null } } };

export type NoteOwnPromptMutationVariables = Exact<{
  input: NoteOwnPromptInput;
}>;


export type NoteOwnPromptMutation = { noteOwnPrompt: { noted: boolean } };

export type DeleteSessionMutationVariables = Exact<{
  input: SessionInput;
}>;


export type DeleteSessionMutation = { deleteSession: { deleted: boolean } };

export type StaleNoticeSubscriptionVariables = Exact<{
  watcherSessionKey?: string | null | undefined;
  locale?: NoticeLocale | null | undefined;
}>;


export type StaleNoticeSubscription = { staleNotice: { id: string, watcherSessionKey: string, targetSessionKey: string, targetAgentId: string, changesSince: number, notified: number, delivery: NoticeDelivery, openedAt: string, text: string } };

export type SessionChangedSubscriptionVariables = Exact<{
  agentId?: string | null | undefined;
}>;


export type SessionChangedSubscription = { sessionChanged: { kind: SessionChangeKind, sessionKey: string | null, agentId: string | null, session: { watcherCount: number, pendingWatcherCount: number, pendingCount: number, sessionKey: string, agentId: string, label: string | null, spawnedBy: string | null, stateVersion: number | null, createdAt: string, updatedAt: string, upstream: { kind: UpstreamKind, nodeId: string, threadId: string, missedChecks: number, failedChecks: number, skippedRows: number, unknownRows: number, silent: boolean, lastCheckedAt: string | null, nextCheckAt: string | null } | null } | null } };

export type NodeSourceFieldsFragment = { position: number, fileIdentity: string, headDigest: string, tailDigest: string, knownTurns: string, readerState: string };

export type NodeStartsQueryVariables = Exact<{
  nodeId: string;
}>;


export type NodeStartsQuery = { nodeWork: { starts: Array<{ id: string, kind: UpstreamKind, threadId: string }> } };

export type NodeWorkQueryVariables = Exact<{
  nodeId: string;
  first?: number | null | undefined;
  after?: string | null | undefined;
}>;


export type NodeWorkQuery = { nodeWork: { links: Array<{ id: string, revision: number, kind: UpstreamKind, threadId: string, checkedMsAgo: number | null, restMs: number | null }> } };

export type NodeLinkQueryVariables = Exact<{
  nodeId: string;
  id: string;
}>;


export type NodeLinkQuery = { nodeWork: { link: { id: string, revision: number, kind: UpstreamKind, threadId: string, missedChecks: number, failedChecks: number, settledMsAgo: number, position: number, fileIdentity: string, headDigest: string, tailDigest: string, knownTurns: string, readerState: string } | null } };

export type ReportNodeMutationVariables = Exact<{
  input: ReportNodeInput;
}>;


export type ReportNodeMutation = { reportNode: { catalogKnown: boolean } };

export type ReportCheckMutationVariables = Exact<{
  input: ReportCheckInput;
}>;


export type ReportCheckMutation = { reportCheck: { saved: SavedCheck } };

export type ReportStartMutationVariables = Exact<{
  input: ReportStartInput;
}>;


export type ReportStartMutation = { reportStart: { taken: boolean } };

export const SessionStatusDocument: TypedDocument<SessionStatusQuery, SessionStatusQueryVariables> = `fragment SessionFields on Session {
  sessionKey
  agentId
  label
  spawnedBy
  stateVersion
  upstream {
    ...UpstreamLinkFields
  }
  createdAt
  updatedAt
}

fragment UpstreamLinkFields on UpstreamLink {
  kind
  nodeId
  threadId
  missedChecks
  failedChecks
  skippedRows
  unknownRows
  silent
  lastCheckedAt
  nextCheckAt
}

fragment EventFields on SessionStateEvent {
  sequence
  sessionKey
  agentId
  sessionId
  kind
  actorType
  actorId
  runId
  outcome
  occurredAt
  summary
  payload
}

fragment StateChangesFields on StateChanges {
  events {
    ...EventFields
  }
  historyGap
  truncated
  nextChangesSince
}

query SessionStatus($sessionKey: ID!, $agentId: ID, $changesSince: StateVersion, $first: Int) {
  sessionStatus(
    sessionKey: $sessionKey
    agentId: $agentId
    changesSince: $changesSince
    first: $first
  ) {
    sessionKey
    agentId
    session {
      ...SessionFields
    }
    stateVersion
    stateChanges {
      ...StateChangesFields
    }
  }
}`;

export const LatestEventsDocument: TypedDocument<LatestEventsQuery, LatestEventsQueryVariables> = `fragment SessionFields on Session {
  sessionKey
  agentId
  label
  spawnedBy
  stateVersion
  upstream {
    ...UpstreamLinkFields
  }
  createdAt
  updatedAt
}

fragment UpstreamLinkFields on UpstreamLink {
  kind
  nodeId
  threadId
  missedChecks
  failedChecks
  skippedRows
  unknownRows
  silent
  lastCheckedAt
  nextCheckAt
}

fragment EventFields on SessionStateEvent {
  sequence
  sessionKey
  agentId
  sessionId
  kind
  actorType
  actorId
  runId
  outcome
  occurredAt
  summary
  payload
}

query LatestEvents($sessionKey: ID!, $agentId: ID, $limit: Int = 50) {
  sessionStatus(sessionKey: $sessionKey, agentId: $agentId, first: 1) {
    sessionKey
    agentId
    session {
      ...SessionFields
    }
    stateVersion
    prunedUpTo
    latestEvents(limit: $limit) {
      ...EventFields
    }
  }
}`;

export const ViewerDocument: TypedDocument<ViewerQuery, ViewerQueryVariables> = `query Viewer {
  viewer {
    name
    scopes
    agents
  }
}`;

export const SessionsListDocument: TypedDocument<SessionsListQuery, SessionsListQueryVariables> = `fragment SessionFields on Session {
  sessionKey
  agentId
  label
  spawnedBy
  stateVersion
  upstream {
    ...UpstreamLinkFields
  }
  createdAt
  updatedAt
}

fragment UpstreamLinkFields on UpstreamLink {
  kind
  nodeId
  threadId
  missedChecks
  failedChecks
  skippedRows
  unknownRows
  silent
  lastCheckedAt
  nextCheckAt
}

fragment ListedSessionFields on Session {
  ...SessionFields
  watcherCount
  pendingWatcherCount
  pendingCount
}

fragment PageInfoFields on PageInfo {
  hasNextPage
  hasPreviousPage
  startCursor
  endCursor
}

query SessionsList($agentId: ID, $search: String, $orderBy: SessionOrder = KEY, $first: Int, $after: String) {
  sessionsList(
    agentId: $agentId
    search: $search
    orderBy: $orderBy
    first: $first
    after: $after
  ) {
    nodes {
      ...ListedSessionFields
    }
    pageInfo {
      ...PageInfoFields
    }
  }
}`;

export const WatchesDocument: TypedDocument<WatchesQuery, WatchesQueryVariables> = `fragment WatchFields on Watch {
  watcherSessionKey
  targetSessionKey
  targetAgentId
  origin
  lastSeen
  notified
  material
  pending
  updatedAt
}

fragment PageInfoFields on PageInfo {
  hasNextPage
  hasPreviousPage
  startCursor
  endCursor
}

query Watches($watcherSessionKey: ID, $targetSessionKey: ID, $targetAgentId: ID, $first: Int, $after: String) {
  watches(
    watcherSessionKey: $watcherSessionKey
    targetSessionKey: $targetSessionKey
    targetAgentId: $targetAgentId
    first: $first
    after: $after
  ) {
    nodes {
      ...WatchFields
    }
    pageInfo {
      ...PageInfoFields
    }
  }
}`;

export const PendingWatchesDocument: TypedDocument<PendingWatchesQuery, PendingWatchesQueryVariables> = `fragment WatchFields on Watch {
  watcherSessionKey
  targetSessionKey
  targetAgentId
  origin
  lastSeen
  notified
  material
  pending
  updatedAt
}

fragment PageInfoFields on PageInfo {
  hasNextPage
  hasPreviousPage
  startCursor
  endCursor
}

query PendingWatches($watcherSessionKey: ID, $first: Int, $after: String) {
  watches(
    watcherSessionKey: $watcherSessionKey
    pending: true
    first: $first
    after: $after
  ) {
    nodes {
      ...WatchFields
      notice {
        id
        changesSince
        delivery
        openedAt
        textEn: text(locale: EN)
        textEs: text(locale: ES)
        textPtBr: text(locale: PT_BR)
        textRu: text(locale: RU)
      }
    }
    pageInfo {
      ...PageInfoFields
    }
  }
}`;

export const UpstreamCatalogDocument: TypedDocument<UpstreamCatalogQuery, UpstreamCatalogQueryVariables> = `fragment SessionFields on Session {
  sessionKey
  agentId
  label
  spawnedBy
  stateVersion
  upstream {
    ...UpstreamLinkFields
  }
  createdAt
  updatedAt
}

fragment UpstreamLinkFields on UpstreamLink {
  kind
  nodeId
  threadId
  missedChecks
  failedChecks
  skippedRows
  unknownRows
  silent
  lastCheckedAt
  nextCheckAt
}

fragment PageInfoFields on PageInfo {
  hasNextPage
  hasPreviousPage
  startCursor
  endCursor
}

query UpstreamCatalog($kind: UpstreamKind, $first: Int, $after: String) {
  upstreamCatalog(kind: $kind, first: $first, after: $after) {
    nodes {
      kind
      nodeId
      threadId
      workingDirectory
      updatedAt
      adoptedBy {
        ...SessionFields
      }
    }
    pageInfo {
      ...PageInfoFields
    }
  }
}`;

export const PendingNoticesDocument: TypedDocument<PendingNoticesQuery, PendingNoticesQueryVariables> = `fragment NoticeFields on StaleNotice {
  id
  watcherSessionKey
  targetSessionKey
  targetAgentId
  changesSince
  notified
  delivery
  openedAt
  text(locale: $locale)
}

query PendingNotices($watcherSessionKey: ID!, $locale: NoticeLocale = EN) {
  pendingNotices(watcherSessionKey: $watcherSessionKey) {
    ...NoticeFields
  }
}`;

export const AppendDocument: TypedDocument<AppendMutation, AppendMutationVariables> = `fragment EventFields on SessionStateEvent {
  sequence
  sessionKey
  agentId
  sessionId
  kind
  actorType
  actorId
  runId
  outcome
  occurredAt
  summary
  payload
}

fragment AppendFields on AppendPayload {
  recorded
  duplicate
  reason
  event {
    ...EventFields
  }
}

mutation Append($input: AppendInput!) {
  append(input: $input) {
    ...AppendFields
  }
}`;

export const AppendManyDocument: TypedDocument<AppendManyMutation, AppendManyMutationVariables> = `fragment EventFields on SessionStateEvent {
  sequence
  sessionKey
  agentId
  sessionId
  kind
  actorType
  actorId
  runId
  outcome
  occurredAt
  summary
  payload
}

fragment AppendFields on AppendPayload {
  recorded
  duplicate
  reason
  event {
    ...EventFields
  }
}

mutation AppendMany($inputs: [AppendInput!]!) {
  appendMany(inputs: $inputs) {
    ...AppendFields
  }
}`;

export const WatchDocument: TypedDocument<WatchMutation, WatchMutationVariables> = `fragment WatchFields on Watch {
  watcherSessionKey
  targetSessionKey
  targetAgentId
  origin
  lastSeen
  notified
  material
  pending
  updatedAt
}

mutation Watch($input: WatchInput!) {
  watch(input: $input) {
    watched
    reason
    watch {
      ...WatchFields
    }
  }
}`;

export const UnwatchDocument: TypedDocument<UnwatchMutation, UnwatchMutationVariables> = `mutation Unwatch($input: WatchInput!) {
  unwatch(input: $input) {
    removed
  }
}`;

export const DrainNoticesDocument: TypedDocument<DrainNoticesMutation, DrainNoticesMutationVariables> = `fragment NoticeFields on StaleNotice {
  id
  watcherSessionKey
  targetSessionKey
  targetAgentId
  changesSince
  notified
  delivery
  openedAt
  text(locale: $locale)
}

mutation DrainNotices($input: DrainNoticesInput!, $locale: NoticeLocale = EN) {
  drainNotices(input: $input) {
    notices {
      ...NoticeFields
    }
    remaining
  }
}`;

export const AcknowledgeNoticesDocument: TypedDocument<AcknowledgeNoticesMutation, AcknowledgeNoticesMutationVariables> = `fragment NoticeFields on StaleNotice {
  id
  watcherSessionKey
  targetSessionKey
  targetAgentId
  changesSince
  notified
  delivery
  openedAt
  text(locale: $locale)
}

mutation AcknowledgeNotices($input: AcknowledgeNoticesInput!, $locale: NoticeLocale = EN) {
  acknowledgeNotices(input: $input) {
    results {
      noticeId
      outcome
      reopened {
        ...NoticeFields
      }
    }
  }
}`;

export const ReconcileDocument: TypedDocument<ReconcileMutation, ReconcileMutationVariables> = `fragment WatchFields on Watch {
  watcherSessionKey
  targetSessionKey
  targetAgentId
  origin
  lastSeen
  notified
  material
  pending
  updatedAt
}

mutation Reconcile($input: ReconcileInput!) {
  reconcile(input: $input) {
    watch {
      ...WatchFields
    }
  }
}`;

export const RegisterSessionDocument: TypedDocument<RegisterSessionMutation, RegisterSessionMutationVariables> = `fragment SessionFields on Session {
  sessionKey
  agentId
  label
  spawnedBy
  stateVersion
  upstream {
    ...UpstreamLinkFields
  }
  createdAt
  updatedAt
}

fragment UpstreamLinkFields on UpstreamLink {
  kind
  nodeId
  threadId
  missedChecks
  failedChecks
  skippedRows
  unknownRows
  silent
  lastCheckedAt
  nextCheckAt
}

mutation RegisterSession($input: RegisterSessionInput!) {
  registerSession(input: $input) {
    session {
      ...SessionFields
    }
  }
}`;

export const ResetSessionDocument: TypedDocument<ResetSessionMutation, ResetSessionMutationVariables> = `mutation ResetSession($input: SessionInput!) {
  resetSession(input: $input) {
    watchesRemoved
  }
}`;

export const AdoptSessionDocument: TypedDocument<AdoptSessionMutation, AdoptSessionMutationVariables> = `fragment SessionFields on Session {
  sessionKey
  agentId
  label
  spawnedBy
  stateVersion
  upstream {
    ...UpstreamLinkFields
  }
  createdAt
  updatedAt
}

fragment UpstreamLinkFields on UpstreamLink {
  kind
  nodeId
  threadId
  missedChecks
  failedChecks
  skippedRows
  unknownRows
  silent
  lastCheckedAt
  nextCheckAt
}

mutation AdoptSession($input: AdoptSessionInput!) {
  adoptSession(input: $input) {
    session {
      ...SessionFields
    }
    created
  }
}`;

export const NoteOwnPromptDocument: TypedDocument<NoteOwnPromptMutation, NoteOwnPromptMutationVariables> = `mutation NoteOwnPrompt($input: NoteOwnPromptInput!) {
  noteOwnPrompt(input: $input) {
    noted
  }
}`;

export const DeleteSessionDocument: TypedDocument<DeleteSessionMutation, DeleteSessionMutationVariables> = `mutation DeleteSession($input: SessionInput!) {
  deleteSession(input: $input) {
    deleted
  }
}`;

export const StaleNoticeDocument: TypedDocument<StaleNoticeSubscription, StaleNoticeSubscriptionVariables> = `fragment NoticeFields on StaleNotice {
  id
  watcherSessionKey
  targetSessionKey
  targetAgentId
  changesSince
  notified
  delivery
  openedAt
  text(locale: $locale)
}

subscription StaleNotice($watcherSessionKey: ID, $locale: NoticeLocale = EN) {
  staleNotice(watcherSessionKey: $watcherSessionKey) {
    ...NoticeFields
  }
}`;

export const SessionChangedDocument: TypedDocument<SessionChangedSubscription, SessionChangedSubscriptionVariables> = `fragment SessionFields on Session {
  sessionKey
  agentId
  label
  spawnedBy
  stateVersion
  upstream {
    ...UpstreamLinkFields
  }
  createdAt
  updatedAt
}

fragment UpstreamLinkFields on UpstreamLink {
  kind
  nodeId
  threadId
  missedChecks
  failedChecks
  skippedRows
  unknownRows
  silent
  lastCheckedAt
  nextCheckAt
}

fragment ListedSessionFields on Session {
  ...SessionFields
  watcherCount
  pendingWatcherCount
  pendingCount
}

subscription SessionChanged($agentId: ID) {
  sessionChanged(agentId: $agentId) {
    kind
    sessionKey
    agentId
    session {
      ...ListedSessionFields
    }
  }
}`;

export const NodeStartsDocument: TypedDocument<NodeStartsQuery, NodeStartsQueryVariables> = `query NodeStarts($nodeId: ID!) {
  nodeWork(nodeId: $nodeId) {
    starts {
      id
      kind
      threadId
    }
  }
}`;

export const NodeWorkDocument: TypedDocument<NodeWorkQuery, NodeWorkQueryVariables> = `query NodeWork($nodeId: ID!, $first: Int, $after: ID) {
  nodeWork(nodeId: $nodeId) {
    links(first: $first, after: $after) {
      id
      revision
      kind
      threadId
      checkedMsAgo
      restMs
    }
  }
}`;

export const NodeLinkDocument: TypedDocument<NodeLinkQuery, NodeLinkQueryVariables> = `fragment NodeSourceFields on NodeLinkState {
  position
  fileIdentity
  headDigest
  tailDigest
  knownTurns
  readerState
}

query NodeLink($nodeId: ID!, $id: ID!) {
  nodeWork(nodeId: $nodeId) {
    link(id: $id) {
      id
      revision
      kind
      threadId
      ...NodeSourceFields
      missedChecks
      failedChecks
      settledMsAgo
    }
  }
}`;

export const ReportNodeDocument: TypedDocument<ReportNodeMutation, ReportNodeMutationVariables> = `mutation ReportNode($input: ReportNodeInput!) {
  reportNode(input: $input) {
    catalogKnown
  }
}`;

export const ReportCheckDocument: TypedDocument<ReportCheckMutation, ReportCheckMutationVariables> = `mutation ReportCheck($input: ReportCheckInput!) {
  reportCheck(input: $input) {
    saved
  }
}`;

export const ReportStartDocument: TypedDocument<ReportStartMutation, ReportStartMutationVariables> = `mutation ReportStart($input: ReportStartInput!) {
  reportStart(input: $input) {
    taken
  }
}`;
