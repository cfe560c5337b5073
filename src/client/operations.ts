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
  sessionsList(input?: types.SessionsListInput, options?: CallOptions): Promise<types.SessionsPage>;

  /** Watches a session from its present version on. */
  watch: Call<types.WatchInput, types.WatchPayload>;
  unwatch: Call<types.WatchInput, types.UnwatchPayload>;
  watches(input?: types.WatchesInput, options?: CallOptions): Promise<types.WatchesPage>;

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
};

/** Joins the generated documents to `request`; `locale` is the language of the notices' text. */
export function operations(request: Request, locale: types.NoticeLocale | undefined): Operations {
  return { ...logOperations(request), ...sessionOperations(request), ...watchOperations(request, locale) };
}

function logOperations(request: Request) {
  return {
    append: async (input: types.AppendInput, options?: CallOptions) =>
      (await request(documents.AppendDocument, { input }, options)).append,
    appendMany: async (inputs: readonly types.AppendInput[], options?: CallOptions) =>
      (await request(documents.AppendManyDocument, { inputs: [...inputs] }, options)).appendMany,
    sessionStatus: async (input: types.SessionStatusInput, options?: CallOptions) =>
      (await request(documents.SessionStatusDocument, input, options)).sessionStatus,
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

function watchOperations(request: Request, locale: types.NoticeLocale | undefined) {
  return {
    watch: async (input: types.WatchInput, options?: CallOptions) =>
      (await request(documents.WatchDocument, { input }, options)).watch,
    unwatch: async (input: types.WatchInput, options?: CallOptions) =>
      (await request(documents.UnwatchDocument, { input }, options)).unwatch,
    watches: async (input: types.WatchesInput = {}, options?: CallOptions) =>
      (await request(documents.WatchesDocument, input, options)).watches,
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
