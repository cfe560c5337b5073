import type { ExecutionArgs, ExecutionResult, GraphQLError } from "graphql";
import { CloseCode, handleProtocols, makeServer, type SubscribePayload } from "graphql-ws";
import type { Logger } from "pino";
import { type WebSocket, WebSocketServer } from "ws";
import type { Awareness } from "../awareness/awareness.js";
import { Refusal } from "../awareness/refusals.js";
import { toClientError, withoutInternals } from "../graphql/errors.js";
import type { InFlight } from "./inFlight.js";
import { serverLimits } from "./limits.js";
import type { GraphQLEngine } from "./yoga.js";

type Surroundings = {
  engine: GraphQLEngine;
  awareness: Awareness;
  inFlight: InFlight;
  keepAliveMs: number;
  log: Logger;
  isClosing: () => boolean;
};
/** What graphql-ws keeps for us beside each connection. */
type Connection = { signal: AbortSignal };
/** What Yoga prepares for one operation. */
type Prepared = ReturnType<GraphQLEngine["getEnveloped"]>;

/**
 * graphql-transport-ws on `ws` (contract, section 7). The adapter that comes with graphql-ws would do but for three
 * things: it writes to the console, it lets a second error on one socket end the process, and it goes on pulling
 * results for a socket that is closing.
 */
export function createWebSocketServer(surroundings: Surroundings): WebSocketServer {
  const protocol = createProtocol(surroundings);
  const server = new WebSocketServer({
    noServer: true,
    handleProtocols,
    maxPayload: serverLimits.requestMaxBytes,
    perMessageDeflate: false,
  });
  server.on("connection", (socket: WebSocket) => connect(socket, protocol, surroundings));
  return server;
}

function connect(socket: WebSocket, protocol: ReturnType<typeof createProtocol>, { keepAliveMs, log }: Surroundings) {
  const gone = new AbortController();
  const stopPinging = keepAlive(socket, keepAliveMs);
  // ws closes the socket by itself, with the code that fits: 1009 for a message too big, 1002 for a broken frame.
  socket.on("error", (error) => log.debug({ err: error }, "a WebSocket client broke the connection"));

  const closed = protocol.opened(
    {
      protocol: socket.protocol,
      // Resolves when the frame has been handed to the network: until then graphql-ws asks for no further result.
      send: (data) =>
        new Promise((resolve, reject) => {
          if (socket.readyState !== socket.OPEN) reject(new Error("The WebSocket is closed."));
          else socket.send(data, (error) => (error ? reject(error) : resolve()));
        }),
      close: (code, reason) => socket.close(code, reason),
      onMessage: (handle) =>
        socket.on("message", (data) => {
          handle(String(data)).catch((error: unknown) => {
            if (socket.readyState !== socket.OPEN) return; // the answer had nowhere to go
            log.error({ err: error }, "unexpected error while handling a WebSocket message");
            socket.close(CloseCode.InternalServerError, "Internal server error");
          });
        }),
    },
    { signal: gone.signal },
  );
  socket.once("close", (code, reason) => {
    stopPinging();
    gone.abort();
    closed(code, String(reason)).catch((error: unknown) => log.error({ err: error }, "closing a subscription failed"));
  });
}

/** A client that has not answered one ping by the time of the next is gone. Returns how to stop. */
function keepAlive(socket: WebSocket, everyMs: number): () => void {
  let answered = true;
  socket.on("pong", () => {
    answered = true;
  });
  const timer = setInterval(() => {
    if (!answered) return socket.terminate();
    answered = false;
    if (socket.readyState === socket.OPEN) socket.ping();
  }, everyMs);
  return () => clearInterval(timer);
}

function createProtocol({ engine, awareness, inFlight, log, isClosing }: Surroundings) {
  const visible = (errors: readonly unknown[]) => errors.map((error) => withoutInternals(toClientError(error, log)));

  return makeServer<Record<string, unknown>, Connection>({
    onSubscribe: async ({ extra: { signal } }, _id, payload) => {
      if (isClosing()) return visible([new Refusal("SERVICE_UNAVAILABLE", "The server is closing.")]);
      try {
        return await prepare(engine, { awareness, signal }, payload);
      } catch (error) {
        // Thrown, it would close the socket and so end every other subscription on it.
        return visible(Array.isArray(error) ? error : [error]);
      }
    },
    execute: async (args) => {
      const done = inFlight.begin();
      try {
        return await answered(args, "execute", visible);
      } finally {
        // By then graphql-ws, which goes on with microtasks only, has given the answer to the socket.
        setImmediate(done);
      }
    },
    subscribe: (args) => answered(args, "subscribe", visible),
    onNext: (_ctx, _id, _payload, _args, result) =>
      result.errors === undefined ? undefined : { ...result, errors: visible(result.errors) },
    onError: (_ctx, _id, _payload, errors) => visible(errors).map((error) => error.toJSON()),
  });
}

/** The arguments for one operation; throws what is wrong with it, a list of errors when validation found them. */
async function prepare(
  engine: GraphQLEngine,
  context: { awareness: Awareness; signal: AbortSignal },
  payload: SubscribePayload,
): Promise<ExecutionArgs> {
  const params = {
    query: payload.query,
    operationName: payload.operationName ?? undefined,
    variables: payload.variables ?? undefined,
  };
  const enveloped: Prepared = engine.getEnveloped({ ...context, params });
  const document = enveloped.parse(payload.query);
  const errors: readonly GraphQLError[] = enveloped.validate(enveloped.schema, document);
  if (errors.length > 0) throw errors;
  return {
    schema: enveloped.schema,
    operationName: payload.operationName,
    document,
    variableValues: payload.variables,
    contextValue: await enveloped.contextFactory(),
    rootValue: enveloped,
  };
}

/** Runs an operation as Yoga would; what it throws becomes its answer, for the same reason as above. */
async function answered(
  args: ExecutionArgs,
  how: "execute" | "subscribe",
  visible: (errors: readonly unknown[]) => GraphQLError[],
): Promise<ExecutionResult | AsyncIterable<ExecutionResult>> {
  const { [how]: run } = args.rootValue as Prepared; // put there by prepare
  try {
    return await run(args);
  } catch (error) {
    return { errors: visible([error]) };
  }
}
