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

/** Why nothing was logged. */
export type NotRecordedReason =
  /** Nobody watches the session, so a human's message to it is nobody's news. */
  | 'NOT_WATCHED'
  /** Storage failed. The caller's turn goes on; the event is lost unless it is sent again. */
  | 'STORAGE_UNAVAILABLE';

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

/** How a failed run ended. */
export type RunOutcome =
  /** Somebody stopped it. */
  | 'CANCELLED'
  /** It broke. */
  | 'ERROR'
  /** It took too long. */
  | 'TIMEOUT';

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

export type SessionFieldsFragment = { sessionKey: string, agentId: string, label: string | null, spawnedBy: string | null, stateVersion: number | null, createdAt: string, updatedAt: string };

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


export type SessionStatusQuery = { sessionStatus: { sessionKey: string, agentId: string, stateVersion: number, session: { sessionKey: string, agentId: string, label: string | null, spawnedBy: string | null, stateVersion: number | null, createdAt: string, updatedAt: string } | null, stateChanges: { historyGap: boolean, truncated: boolean, nextChangesSince: number, events: Array<{ sequence: number, sessionKey: string, agentId: string, sessionId: string | null, kind: SessionEventKind, actorType: ActorType, actorId: string | null, runId: string | null, outcome: RunOutcome | null, occurredAt: string, summary: string, payload: Record<string, string | number | boolean | null> | null }> } | null } };

export type SessionsListQueryVariables = Exact<{
  agentId?: string | null | undefined;
  search?: string | null | undefined;
  first?: number | null | undefined;
  after?: string | null | undefined;
}>;


export type SessionsListQuery = { sessionsList: { nodes: Array<{ sessionKey: string, agentId: string, label: string | null, spawnedBy: string | null, stateVersion: number | null, createdAt: string, updatedAt: string }>, pageInfo: { hasNextPage: boolean, hasPreviousPage: boolean, startCursor: string | null, endCursor: string | null } } };

export type WatchesQueryVariables = Exact<{
  watcherSessionKey?: string | null | undefined;
  targetSessionKey?: string | null | undefined;
  targetAgentId?: string | null | undefined;
  first?: number | null | undefined;
  after?: string | null | undefined;
}>;


export type WatchesQuery = { watches: { nodes: Array<{ watcherSessionKey: string, targetSessionKey: string, targetAgentId: string, origin: WatchOrigin, lastSeen: number, notified: number, material: number, pending: boolean, updatedAt: string }>, pageInfo: { hasNextPage: boolean, hasPreviousPage: boolean, startCursor: string | null, endCursor: string | null } } };

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


export type RegisterSessionMutation = { registerSession: { session: { sessionKey: string, agentId: string, label: string | null, spawnedBy: string | null, stateVersion: number | null, createdAt: string, updatedAt: string } } };

export type ResetSessionMutationVariables = Exact<{
  input: SessionInput;
}>;


export type ResetSessionMutation = { resetSession: { watchesRemoved: number } };

export type DeleteSessionMutationVariables = Exact<{
  input: SessionInput;
}>;


export type DeleteSessionMutation = { deleteSession: { deleted: boolean } };

export type StaleNoticeSubscriptionVariables = Exact<{
  watcherSessionKey?: string | null | undefined;
  locale?: NoticeLocale | null | undefined;
}>;


export type StaleNoticeSubscription = { staleNotice: { id: string, watcherSessionKey: string, targetSessionKey: string, targetAgentId: string, changesSince: number, notified: number, delivery: NoticeDelivery, openedAt: string, text: string } };

export const SessionStatusDocument: TypedDocument<SessionStatusQuery, SessionStatusQueryVariables> = `fragment SessionFields on Session {
  sessionKey
  agentId
  label
  spawnedBy
  stateVersion
  createdAt
  updatedAt
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

export const SessionsListDocument: TypedDocument<SessionsListQuery, SessionsListQueryVariables> = `fragment SessionFields on Session {
  sessionKey
  agentId
  label
  spawnedBy
  stateVersion
  createdAt
  updatedAt
}

fragment PageInfoFields on PageInfo {
  hasNextPage
  hasPreviousPage
  startCursor
  endCursor
}

query SessionsList($agentId: ID, $search: String, $first: Int, $after: String) {
  sessionsList(agentId: $agentId, search: $search, first: $first, after: $after) {
    nodes {
      ...SessionFields
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
  createdAt
  updatedAt
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
