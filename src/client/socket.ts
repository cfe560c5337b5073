import { type Client, createClient } from "graphql-ws/client";
import { type ErrorCode, fromGraphQLErrors, HeadsupError, networkError, record } from "./errors.js";
import { authorization, type Token } from "./http.js";
import type { TypedDocument } from "./typedDocument.js";
import { chooseWebSocket, type WebSocketImpl } from "./webSocket.js";

const connectWithinMs = 15_000;
const pingEveryMs = 10_000;
const pongWithinMs = 5_000;

export type SocketOptions = {
  url: string;
  token?: Token;
  webSocketImpl?: WebSocketImpl;
  /** Each time a connection has been accepted by the server. */
  onConnected?: () => void;
};

/** How one subscription ended: why, and for how many milliseconds it had stood on an open connection. */
export type Ended = { error: HeadsupError; openForMs: number };

export type SharedSocket = {
  /**
   * Subscribes once and resolves when that subscription has ended, for whatever reason; never rejects. Trying again is
   * the caller's business. `signal` ends it.
   */
  subscribe<Result, Variables extends Record<string, unknown>>(
    document: TypedDocument<Result, Variables>,
    variables: Variables,
    onResult: (result: Result) => void,
    signal: AbortSignal,
  ): Promise<Ended>;
};

/** One connection, from the first attempt to its end. It is never revived: the next subscription makes a new one. */
type Connection = { client: Client; users: number; connectedAt: number | undefined; lost: HeadsupError | undefined };

/** One WebSocket for all subscriptions of a client: opened by the first, closed with the last. */
export function sharedSocket(options: SocketOptions): SharedSocket {
  let current: Connection | undefined;

  async function join(): Promise<Connection> {
    const implementation = await chooseWebSocket(options.webSocketImpl);
    if (current === undefined || current.lost) current = connect(options, implementation);
    current.users++;
    return current;
  }

  function leave(connection: Connection): void {
    if (--connection.users > 0) return;
    if (current === connection) current = undefined;
    // An open connection says goodbye with 1000; one still being made would go on for as long as that takes.
    if (connection.connectedAt === undefined) connection.client.terminate();
    else quietly(connection.client.dispose());
  }

  return {
    async subscribe(document, variables, onResult, signal) {
      const startedAt = performance.now();
      const connection = await join();
      const error = await runSubscription(connection, document, variables, onResult, signal);
      leave(connection);
      const { connectedAt } = connection;
      const openForMs = connectedAt === undefined ? 0 : performance.now() - Math.max(startedAt, connectedAt);
      return { error, openForMs };
    },
  };
}

/** graphql-ws's own retries are off: they give up on codes a restarting server sends, and never renew a completed subscription. */
function connect(options: SocketOptions, webSocketImpl: WebSocketImpl): Connection {
  const alarm = silenceAlarm(() => client.terminate());
  let subscriptions = 0;

  function lose(happened: unknown): void {
    alarm.clear();
    connection.lost ??= connectionError(happened);
    // Without this graphql-ws reconnects at once, and without end, to a server that closes with 1000.
    quietly(client.dispose());
  }

  const client = createClient({
    url: options.url,
    webSocketImpl,
    retryAttempts: 0,
    keepAlive: pingEveryMs,
    generateID: () => String(++subscriptions),
    connectionParams: async () => {
      const bearer = await authorization(options.token);
      return bearer === undefined ? undefined : { authorization: bearer };
    },
    on: {
      connecting: () => alarm.set(connectWithinMs),
      connected: () => {
        alarm.clear();
        connection.connectedAt = performance.now();
        options.onConnected?.();
      },
      // A server that vanished without a word is only noticed by a ping it does not answer.
      ping: (received) => {
        if (!received) alarm.set(pongWithinMs);
      },
      pong: (received) => {
        if (received) alarm.clear();
      },
      error: lose,
      closed: lose,
    },
  });
  const connection: Connection = { client, users: 0, connectedAt: undefined, lost: undefined };
  return connection;
}

/** One timer for whatever the server owes an answer to at the moment. */
function silenceAlarm(onSilence: () => void) {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const clear = () => clearTimeout(timer);
  return {
    clear,
    set(ms: number) {
      clear();
      timer = setTimeout(onSilence, ms);
    },
  };
}

function runSubscription<Result, Variables extends Record<string, unknown>>(
  connection: Connection,
  document: TypedDocument<Result, Variables>,
  variables: Variables,
  onResult: (result: Result) => void,
  signal: AbortSignal,
): Promise<HeadsupError> {
  return new Promise((resolve) => {
    const ended = new HeadsupError("NETWORK", "The server ended the subscription.");
    const finish = (error: HeadsupError) => {
      signal.removeEventListener("abort", onAbort);
      resolve(error);
    };
    const dispose = connection.client.subscribe<Result>(
      { query: document.toString(), variables },
      {
        next: ({ data, errors }) => {
          if (data && !errors) return onResult(data);
          // One result is missing. Subscribing anew brings it back, so this one ends here: not at once, for graphql-ws
          // counts a subscription twice as gone whose `complete` comes in the same breath, and then keeps the socket.
          queueMicrotask(dispose);
          finish(errors ? fromGraphQLErrors(errors, "INTERNAL_SERVER_ERROR") : ended);
        },
        // An `error` message without a code of the contract is a document the server cannot run.
        error: (error) =>
          finish(Array.isArray(error) ? fromGraphQLErrors(error, "BAD_USER_INPUT") : connectionError(error)),
        complete: () => finish(connection.lost ?? ended),
      },
    );
    const onAbort = () => {
      dispose();
      finish(ended);
    };
    if (signal.aborted) onAbort();
    else signal.addEventListener("abort", onAbort, { once: true });
  });
}

/** graphql-ws rejects a dispose when the connection it closes never came to be. */
function quietly(disposed: void | Promise<void>): void {
  Promise.resolve(disposed).catch(() => {});
}

/** What a close event, an error event or a thrown error says about the connection. */
function connectionError(happened: unknown): HeadsupError {
  const { code, reason, message } = record(happened);
  const codes: Record<string, ErrorCode> = { 4400: "BAD_USER_INPUT", 4401: "UNAUTHENTICATED", 4403: "FORBIDDEN" };
  if (typeof code === "number") {
    const said = typeof reason === "string" && reason ? ` (${reason})` : "";
    const advice = code === 4401 ? " Give createClient a token that the service knows." : "";
    const text = `The connection was closed with ${code}${said}.${advice}`;
    return new HeadsupError(codes[code] ?? "NETWORK", text);
  }
  // `ws` is the only implementation that tells how the upgrade was refused; in a browser it is a lost connection.
  const upgrade = /^Unexpected server response: (401|403)$/.exec(typeof message === "string" ? message : "");
  if (upgrade) return new HeadsupError(codes[`4${upgrade[1]}`] ?? "NETWORK", "The server refused the connection.");
  return networkError("The connection was lost", happened);
}
