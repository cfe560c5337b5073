import { setMaxListeners } from "node:events";
import type { IncomingMessage } from "node:http";
import { CloseCode, handleProtocols } from "graphql-ws";
import { type WebSocket, WebSocketServer } from "ws";
import type { Grant } from "../awareness/grants.js";
import { ClientGone, createFlow, type Unread } from "./flow.js";
import { isTooDeep, tooDeep } from "./jsonDepth.js";
import { serverLimits } from "./limits.js";
import { createProtocol, type Surroundings } from "./socketProtocol.js";
import { SubscriptionCount } from "./subscriptionCount.js";

/**
 * graphql-transport-ws on `ws` (contract, section 7). The adapter that comes with graphql-ws would do but for three
 * things: it writes to the console, it lets a second error on one socket end the process, and it goes on pulling
 * results for a socket that is closing.
 */
export function createWebSocketServer(surroundings: Surroundings): WebSocketServer {
  const protocol = createProtocol(surroundings);
  const unread: Unread = { bytes: 0 };
  const server = new WebSocketServer({
    noServer: true,
    handleProtocols,
    maxPayload: surroundings.max.requestBytes,
    perMessageDeflate: false,
    autoPong: false, // see createFlow
  });
  server.on("connection", (socket: WebSocket, request: IncomingMessage, grant: Grant | null) =>
    connect(socket, protocol, { ...surroundings, request, grant, unread }),
  );
  return server;
}

function connect(
  socket: WebSocket,
  protocol: ReturnType<typeof createProtocol>,
  {
    keepAliveMs,
    log,
    max,
    metrics,
    request,
    grant,
    unread,
  }: Surroundings & { request: IncomingMessage; grant: Grant | null; unread: Unread },
) {
  const gone = new AbortController();
  setMaxListeners(0, gone.signal); // every subscription listens for it: that many are no leak
  const flow = createFlow(socket, unread);
  const stopPinging = keepAlive(socket, keepAliveMs);
  // ws closes the socket by itself, with the code that fits: 1009 for a message too big, 1002 for a broken frame.
  socket.on("error", (error) => log.debug({ err: error }, "a WebSocket client broke the connection"));

  const closed = protocol.opened(
    {
      protocol: socket.protocol,
      // Resolves when the frame has been handed to the network: until then graphql-ws asks for no further result.
      send: flow.send,
      close: (code, reason) => socket.close(code, reason),
      onMessage: (handle) =>
        socket.on("message", (data) => {
          if (socket.readyState !== socket.OPEN) return; // a client that goes on talking after the close is not heard
          const text = String(data);
          if (isTooDeep(text)) return socket.close(CloseCode.BadRequest, tooDeep.message);
          handle(text).catch((error: unknown) => {
            if (error instanceof ClientGone || socket.readyState !== socket.OPEN) return; // the answer had nowhere to go
            const mistake = mistakeOf(error);
            if (mistake !== null) return socket.close(CloseCode.BadRequest, mistake);
            log.error({ err: error }, "unexpected error while handling a WebSocket message");
            socket.close(CloseCode.InternalServerError, "Internal server error");
          });
        }),
    },
    {
      opening: { request, grant },
      context: null,
      signal: gone.signal,
      flow,
      subscriptions: new SubscriptionCount(max.subscriptionsPerSocket),
      close: (code, reason) => socket.close(code, reason),
      shutOut() {
        socket.close(CloseCode.Forbidden, "Forbidden");
        gone.abort();
        setTimeout(() => socket.terminate(), serverLimits.goodbyeMs).unref(); // a client need not answer
      },
    },
  );
  socket.once("close", (code, reason) => {
    metrics.closed(code);
    stopPinging();
    gone.abort();
    closed(code, String(reason)).catch((error: unknown) => log.error({ err: error }, "closing a subscription failed"));
  });
}

/** What the client did wrong where graphql-ws takes it for a mistake of its own; null where it is none of the client's. */
function mistakeOf(error: unknown): string | null {
  if (error instanceof Error && error.message.startsWith("Unexpected message of type ")) {
    return "Only a server sends such messages";
  }
  return error instanceof RangeError ? tooDeep.message : null; // a ping's payload goes into the pong, level by level
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
