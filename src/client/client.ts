import { type CatchUpInput, type CaughtUp, type ChangesInput, type ChangesPage, catchUp, changes } from "./changes.js";
import { HeadsupError } from "./errors.js";
import { type CallOptions, httpRequest, type Request, type Token } from "./http.js";
import { type Operations, operations } from "./operations.js";
import { type SessionChanges, type SessionChangesOptions, sessionChanges } from "./sessionChanges.js";
import { sharedSocket } from "./socket.js";
import { type StaleNotices, type StaleNoticesOptions, staleNotices } from "./staleNotices.js";
import type { NoticeLocale } from "./types.js";
import { type WebSocketImpl, webSocketUrl } from "./webSocket.js";

export type ConnectionState = "connected" | "reconnecting";

export type ClientOptions = {
  /** The GraphQL address, e.g. `http://127.0.0.1:4000/graphql`; in a browser it may be relative to the page. */
  url: string;
  /** Sent as a bearer token with each request and each connection. A function is asked anew every time. */
  token?: Token | undefined;
  /** The language of the notices' text; English when absent. */
  locale?: NoticeLocale | undefined;
  /** How long a call waits for its answer, in milliseconds, unless the call says otherwise. Default 30,000. */
  timeoutMs?: number | undefined;
  fetch?: typeof fetch | undefined;
  webSocketImpl?: WebSocketImpl | undefined;
  /** Told when the subscriptions' connection is made, and when it is lost (with the reason) and being made anew. */
  onConnection?: ((state: ConnectionState, reason?: HeadsupError) => void) | undefined;
};

export type HeadsupClient = Operations & {
  /** Sends any typed document and resolves to its data. */
  request: Request;
  /** Notices as they open, for ever: see `staleNotices`. */
  staleNotices(options?: StaleNoticesOptions): StaleNotices;
  /** Sessions as they change, for ever: see `sessionChanges`. */
  sessionChanges(options?: SessionChangesOptions): SessionChanges;
  /** Everything logged for a session after a version, page by page: see `changes`. */
  changes(input: ChangesInput, options?: CallOptions): AsyncGenerator<ChangesPage, void, undefined>;
  /** Reads and reconciles all that is pending for a watcher: see `catchUp`. */
  catchUp(input: CatchUpInput, options?: CallOptions): AsyncGenerator<CaughtUp, void, undefined>;
  /** Ends every subscription of this client for good, and with them its connection. Calls are not affected. */
  close(): void;
};

/**
 * Makes a client for agents and pages. It connects to nothing until it is used, and keeps a connection open only while
 * somebody reads `staleNotices` or `sessionChanges`.
 */
export function createClient(options: ClientOptions): HeadsupClient {
  const { url, token, locale, timeoutMs = 30_000, webSocketImpl } = options;
  const report = connectionReporter(options.onConnection);
  const request = httpRequest({ url, token, timeoutMs, fetch: options.fetch });
  const calls = operations(request, locale);
  const socket = sharedSocket({
    url: checkedWebSocketUrl(url),
    token,
    webSocketImpl,
    onConnected: () => report("connected"),
  });
  const closing = new AbortController();
  return {
    ...calls,
    request,
    staleNotices({ watcherSessionKey, signal } = {}) {
      const feed = { socket, variables: { watcherSessionKey, locale }, onLost: lost };
      return staleNotices(feed, signal ? [closing.signal, signal] : [closing.signal]);
    },
    sessionChanges({ agentId, signal } = {}) {
      const feed = { socket, variables: { agentId }, onLost: lost };
      return sessionChanges(feed, signal ? [closing.signal, signal] : [closing.signal]);
    },
    changes: (input, call) => changes(calls, input, call),
    catchUp: (input, call) => catchUp(calls, input, call),
    close: () => closing.abort(),
  };

  function lost(reason: HeadsupError): void {
    report("reconnecting", reason);
  }
}

function checkedWebSocketUrl(url: string): string {
  try {
    return webSocketUrl(url);
  } catch (cause) {
    throw new HeadsupError("BAD_USER_INPUT", "The address is not a URL.", { field: "url", cause });
  }
}

/** Tells changes of state only: each of many subscriptions notices the same loss. */
function connectionReporter(listener: ClientOptions["onConnection"]) {
  let last: ConnectionState | undefined;
  return (state: ConnectionState, reason?: HeadsupError): void => {
    if (state === last) return;
    last = state;
    // In its own task, so that a listener that throws is the application's uncaught error and not a broken connection.
    if (listener) queueMicrotask(() => listener(state, reason));
  };
}
