import type * as generated from "./generated/graphql.js";

export type {
  AcknowledgeNoticesInput,
  AcknowledgeOutcome,
  ActorInput,
  ActorType,
  AppendInput,
  DrainNoticesInput,
  NoticeDelivery,
  NoticeLocale,
  NotRecordedReason,
  ReconcileInput,
  RegisterSessionInput,
  RunOutcome,
  SessionEventKind,
  SessionInput,
  WatchInput,
  WatchOrigin,
  WatchRefusal,
} from "./generated/graphql.js";

/** The contract's nouns as this client reads them. Times are ISO 8601 strings in UTC, versions are numbers. */
export type Session = generated.SessionFieldsFragment;
export type SessionStateEvent = generated.EventFieldsFragment;
export type Payload = NonNullable<SessionStateEvent["payload"]>;
export type StateChanges = generated.StateChangesFieldsFragment;
export type Watch = generated.WatchFieldsFragment;
export type StaleNotice = generated.NoticeFieldsFragment;

export type SessionStatusInput = generated.SessionStatusQueryVariables;
export type SessionsListInput = generated.SessionsListQueryVariables;
export type WatchesInput = generated.WatchesQueryVariables;
export type PendingNoticesInput = Pick<generated.PendingNoticesQueryVariables, "watcherSessionKey">;

export type SessionStatus = generated.SessionStatusQuery["sessionStatus"];
export type SessionsPage = generated.SessionsListQuery["sessionsList"];
export type WatchesPage = generated.WatchesQuery["watches"];

export type AppendPayload = generated.AppendFieldsFragment;
export type WatchPayload = generated.WatchMutation["watch"];
export type UnwatchPayload = generated.UnwatchMutation["unwatch"];
export type DrainNoticesPayload = generated.DrainNoticesMutation["drainNotices"];
export type AcknowledgeNoticesPayload = generated.AcknowledgeNoticesMutation["acknowledgeNotices"];
export type ReconcilePayload = generated.ReconcileMutation["reconcile"];
export type RegisterSessionPayload = generated.RegisterSessionMutation["registerSession"];
export type ResetSessionPayload = generated.ResetSessionMutation["resetSession"];
export type DeleteSessionPayload = generated.DeleteSessionMutation["deleteSession"];
