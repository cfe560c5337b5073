import * as documents from "./generated/graphql.js";
import type { CallOptions, Request } from "./http.js";
import type * as types from "./types.js";

type Call<Input, Payload> = (input: Input, options?: CallOptions) => Promise<Payload>;

/** One method for each query and mutation; every one rejects with a `HeadsupError`. The rules are the contract's. */
export type Operations = {
  /** Logs one event. Storage trouble is `recorded: false`, not an error: it never breaks the caller's turn. */
  append: Call<types.AppendInput, types.AppendPayload>;
  /** Logs 1 to 500 events in order; one bad item refuses all of them. */
  appendMany: Call<readonly types.AppendInput[], types.AppendPayload[]>;
  /** A session's version and, with `changesSince`, what was logged after it. Moves no cursor. */
  sessionStatus: Call<types.SessionStatusInput, types.SessionStatus>;
  /** A session's version and its last events, ascending: what a picture of it begins with. */
  latestEvents: Call<types.LatestEventsInput, types.LatestEvents>;
  /** Who this client is to the service, and what it may do. */
  viewer(options?: CallOptions): Promise<types.Viewer>;
  sessionsList(input?: types.SessionsListInput, options?: CallOptions): Promise<types.SessionsPage>;

  /** Watches a session from its present version on. */
  watch: Call<types.WatchInput, types.WatchPayload>;
  unwatch: Call<types.WatchInput, types.UnwatchPayload>;
  watches(input?: types.WatchesInput, options?: CallOptions): Promise<types.WatchesPage>;

  /** The watches with a notice pending, each with it in all four languages. */
  pendingWatches(input?: types.PendingWatchesInput, options?: CallOptions): Promise<types.PendingWatchesPage>;

  /** What the next drain would return. Changes nothing. */
  pendingNotices: Call<types.PendingNoticesInput, types.StaleNotice[]>;
  /** Takes the oldest notices and acknowledges exactly those. */
  drainNotices: Call<types.DrainNoticesInput, types.DrainNoticesPayload>;
  acknowledgeNotices: Call<types.AcknowledgeNoticesInput, types.AcknowledgeNoticesPayload>;
  /** Says how far the watcher has read; `watch` is null when the pair is not watched. */
  reconcile: Call<types.ReconcileInput, types.ReconcilePayload>;

  registerSession: Call<types.RegisterSessionInput, types.RegisterSessionPayload>;
  resetSession: Call<types.SessionInput, types.ResetSessionPayload>;
  deleteSession: Call<types.SessionInput, types.DeleteSessionPayload>;

  /** Threads of other tools that can be adopted, newest first. */
  upstreamCatalog(input?: types.UpstreamCatalogInput, options?: CallOptions): Promise<types.CatalogPage>;
  /** Adopts a thread or continues one; either way it is monitored from its present end. */
  adoptSession: Call<types.AdoptSessionInput, types.AdoptSessionPayload>;
  /** The next turn with this digest is the agent's own. */
  noteOwnPrompt: Call<types.NoteOwnPromptInput, types.NoteOwnPromptPayload>;

  /** For `headsup node`: the links of a node that are watched. */
  nodeWork: Call<types.NodeWorkInput, readonly types.NodeLink[]>;
  /** Adoptions that wait for a node. */
  nodeStarts: Call<types.NodeName, readonly types.NodeStart[]>;
  /** How far a node's link is read; null when it is gone. */
  nodeLink: Call<types.NodeLinkInput, types.NodeLinkState>;
  reportNode: Call<types.ReportNodeInput, types.ReportNodePayload>;
  reportCheck: Call<types.ReportCheckInput, types.ReportCheckPayload>;
  reportStart: Call<types.ReportStartInput, types.ReportStartPayload>;
};

/** Joins the generated documents to `request`; `locale` is the language of the notices' text. */
export function operations(request: Request, locale: types.NoticeLocale | undefined): Operations {
  return {
    ...logOperations(request),
    ...sessionOperations(request),
    ...upstreamOperations(request),
    ...nodeOperations(request),
    ...watchOperations(request, locale),
  };
}

function logOperations(request: Request) {
  return {
    append: async (input: types.AppendInput, options?: CallOptions) =>
      (await request(documents.AppendDocument, { input }, options)).append,
    appendMany: async (inputs: readonly types.AppendInput[], options?: CallOptions) =>
      (await request(documents.AppendManyDocument, { inputs: [...inputs] }, options)).appendMany,
    sessionStatus: async (input: types.SessionStatusInput, options?: CallOptions) =>
      (await request(documents.SessionStatusDocument, input, options)).sessionStatus,
    latestEvents: async (input: types.LatestEventsInput, options?: CallOptions) =>
      (await request(documents.LatestEventsDocument, input, options)).sessionStatus,
    viewer: async (options?: CallOptions) => (await request(documents.ViewerDocument, {}, options)).viewer,
    sessionsList: async (input: types.SessionsListInput = {}, options?: CallOptions) =>
      (await request(documents.SessionsListDocument, input, options)).sessionsList,
  };
}

function sessionOperations(request: Request) {
  return {
    registerSession: async (input: types.RegisterSessionInput, options?: CallOptions) =>
      (await request(documents.RegisterSessionDocument, { input }, options)).registerSession,
    resetSession: async (input: types.SessionInput, options?: CallOptions) =>
      (await request(documents.ResetSessionDocument, { input }, options)).resetSession,
    deleteSession: async (input: types.SessionInput, options?: CallOptions) =>
      (await request(documents.DeleteSessionDocument, { input }, options)).deleteSession,
  };
}

function upstreamOperations(request: Request) {
  return {
    upstreamCatalog: async (input: types.UpstreamCatalogInput = {}, options?: CallOptions) =>
      (await request(documents.UpstreamCatalogDocument, input, options)).upstreamCatalog,
    adoptSession: async (input: types.AdoptSessionInput, options?: CallOptions) =>
      (await request(documents.AdoptSessionDocument, { input }, options)).adoptSession,
    noteOwnPrompt: async (input: types.NoteOwnPromptInput, options?: CallOptions) =>
      (await request(documents.NoteOwnPromptDocument, { input }, options)).noteOwnPrompt,
  };
}

function nodeOperations(request: Request) {
  return {
    nodeWork: async (input: types.NodeWorkInput, options?: CallOptions) =>
      (await request(documents.NodeWorkDocument, input, options)).nodeWork.links,
    nodeStarts: async (input: types.NodeName, options?: CallOptions) =>
      (await request(documents.NodeStartsDocument, input, options)).nodeWork.starts,
    nodeLink: async (input: types.NodeLinkInput, options?: CallOptions) =>
      (await request(documents.NodeLinkDocument, input, options)).nodeWork.link,
    reportNode: async (input: types.ReportNodeInput, options?: CallOptions) =>
      (await request(documents.ReportNodeDocument, { input }, options)).reportNode,
    reportCheck: async (input: types.ReportCheckInput, options?: CallOptions) =>
      (await request(documents.ReportCheckDocument, { input }, options)).reportCheck,
    reportStart: async (input: types.ReportStartInput, options?: CallOptions) =>
      (await request(documents.ReportStartDocument, { input }, options)).reportStart,
  };
}

function watchOperations(request: Request, locale: types.NoticeLocale | undefined) {
  return {
    watch: async (input: types.WatchInput, options?: CallOptions) =>
      (await request(documents.WatchDocument, { input }, options)).watch,
    unwatch: async (input: types.WatchInput, options?: CallOptions) =>
      (await request(documents.UnwatchDocument, { input }, options)).unwatch,
    watches: async (input: types.WatchesInput = {}, options?: CallOptions) =>
      (await request(documents.WatchesDocument, input, options)).watches,
    pendingWatches: async (input: types.PendingWatchesInput = {}, options?: CallOptions) =>
      (await request(documents.PendingWatchesDocument, input, options)).watches,
    pendingNotices: async (input: types.PendingNoticesInput, options?: CallOptions) =>
      (await request(documents.PendingNoticesDocument, { ...input, locale }, options)).pendingNotices,
    drainNotices: async (input: types.DrainNoticesInput, options?: CallOptions) =>
      (await request(documents.DrainNoticesDocument, { input, locale }, options)).drainNotices,
    acknowledgeNotices: async (input: types.AcknowledgeNoticesInput, options?: CallOptions) =>
      (await request(documents.AcknowledgeNoticesDocument, { input, locale }, options)).acknowledgeNotices,
    reconcile: async (input: types.ReconcileInput, options?: CallOptions) =>
      (await request(documents.ReconcileDocument, { input }, options)).reconcile,
  };
}
