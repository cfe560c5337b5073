import type * as generated from "./generated/graphql.js";

export type {
  AcknowledgeNoticesInput,
  AcknowledgeOutcome,
  ActorInput,
  ActorType,
  AdoptSessionInput,
  AppendInput,
  DrainNoticesInput,
  NoteOwnPromptInput,
  NoticeDelivery,
  NoticeLocale,
  NotRecordedReason,
  ReconcileInput,
  RegisterSessionInput,
  ReportCheckInput,
  ReportNodeInput,
  ReportStartInput,
  RunOutcome,
  Scope,
  SessionEventKind,
  SessionInput,
  SessionOrder,
  UpstreamKind,
  WatchInput,
  WatchOrigin,
  WatchRefusal,
} from "./generated/graphql.js";

/** The contract's nouns as this client reads them. Times are ISO 8601 strings in UTC, versions are numbers. */
export type Session = generated.SessionFieldsFragment;
/** A session as lists show it: with what is counted of it. */
export type ListedSession = generated.ListedSessionFieldsFragment;
export type SessionChange = generated.SessionChangedSubscription["sessionChanged"];
export type UpstreamLink = generated.UpstreamLinkFieldsFragment;
export type Viewer = generated.ViewerQuery["viewer"];
export type SessionStateEvent = generated.EventFieldsFragment;
export type Payload = NonNullable<SessionStateEvent["payload"]>;
export type StateChanges = generated.StateChangesFieldsFragment;
export type Watch = generated.WatchFieldsFragment;
export type StaleNotice = generated.NoticeFieldsFragment;

export type SessionStatusInput = generated.SessionStatusQueryVariables;
export type SessionsListInput = generated.SessionsListQueryVariables;
export type WatchesInput = generated.WatchesQueryVariables;
export type LatestEventsInput = generated.LatestEventsQueryVariables;
export type PendingWatchesInput = generated.PendingWatchesQueryVariables;
export type UpstreamCatalogInput = generated.UpstreamCatalogQueryVariables;
export type PendingNoticesInput = Pick<generated.PendingNoticesQueryVariables, "watcherSessionKey">;

export type SessionStatus = generated.SessionStatusQuery["sessionStatus"];
export type SessionsPage = generated.SessionsListQuery["sessionsList"];
export type WatchesPage = generated.WatchesQuery["watches"];

export type LatestEvents = generated.LatestEventsQuery["sessionStatus"];
export type PendingWatchesPage = generated.PendingWatchesQuery["watches"];
export type PendingWatch = PendingWatchesPage["nodes"][number];
export type CatalogPage = generated.UpstreamCatalogQuery["upstreamCatalog"];
export type CatalogEntry = CatalogPage["nodes"][number];

export type NodeName = generated.NodeStartsQueryVariables;
export type NodeWorkInput = generated.NodeWorkQueryVariables;
export type NodeLinkInput = generated.NodeLinkQueryVariables;
export type NodeStart = generated.NodeStartsQuery["nodeWork"]["starts"][number];
export type NodeLink = generated.NodeWorkQuery["nodeWork"]["links"][number];
export type NodeLinkState = generated.NodeLinkQuery["nodeWork"]["link"];
export type ReportNodePayload = generated.ReportNodeMutation["reportNode"];
export type ReportCheckPayload = generated.ReportCheckMutation["reportCheck"];
export type ReportStartPayload = generated.ReportStartMutation["reportStart"];

export type AdoptSessionPayload = generated.AdoptSessionMutation["adoptSession"];
export type NoteOwnPromptPayload = generated.NoteOwnPromptMutation["noteOwnPrompt"];
export type AppendPayload = generated.AppendFieldsFragment;
export type WatchPayload = generated.WatchMutation["watch"];
export type UnwatchPayload = generated.UnwatchMutation["unwatch"];
export type DrainNoticesPayload = generated.DrainNoticesMutation["drainNotices"];
export type AcknowledgeNoticesPayload = generated.AcknowledgeNoticesMutation["acknowledgeNotices"];
export type ReconcilePayload = generated.ReconcileMutation["reconcile"];
export type RegisterSessionPayload = generated.RegisterSessionMutation["registerSession"];
export type ResetSessionPayload = generated.ResetSessionMutation["resetSession"];
export type DeleteSessionPayload = generated.DeleteSessionMutation["deleteSession"];
