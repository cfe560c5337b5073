import { once } from "node:events";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import type { Duplex } from "node:stream";
import type { Logger } from "pino";
import type { WebSocketServer } from "ws";
import { Refusal } from "../awareness/refusals.js";
import { admit, admitUpgrade, mayRead } from "./accessHttp.js";
import { answerGraphQL } from "./answerGraphQL.js";
import { refuse, refuseUpgrade, sayLine } from "./answers.js";
import { clientKey } from "./clientKey.js";
import { closeInOrder } from "./closing.js";
import { isReady, showMetrics } from "./health.js";
import { serverLimits } from "./limits.js";
import { answerLogin } from "./login.js";
import { createRoom, type HttpServerOptions, type Room } from "./room.js";
import { createWebSocketServer } from "./webSocket.js";

export type RunningServer = {
  port: number;
  /** Contract, section 7. Resolves when every connection is closed, at the latest when the grace is over. */
  close(): Promise<void>;
};

/**
 * One port for everything: GraphQL over HTTP, server-sent events and WebSocket on `/graphql`, its explorer, the web
 * console and the two health checks. Rejects when the port cannot be had.
 */
export async function startHttpServer(options: HttpServerOptions): Promise<RunningServer> {
  const room = createRoom(options, () => portOf(server));
  const server = createServer(timeouts, (request, response) => {
    answer(room, request, response).catch((error: unknown) => fail(room.log, response, error));
  });
  server.setTimeout(serverLimits.stalledMs);
  server.maxConnections = options.max.sockets + serverLimits.plainConnections;
  const webSockets = createWebSocketServer({ ...room, isClosing: () => room.closing });
  server.on("upgrade", (request, socket, head) => {
    upgrade(room, webSockets, request, socket, head).catch((error: unknown) => {
      room.log.error({ err: error }, "unexpected error while answering an upgrade");
      socket.destroy();
    });
  });
  await listen(server, options);

  let closed: Promise<void> | undefined;
  const close = () => {
    room.closing = true;
    return closeInOrder({ ...room, server, webSockets, graceMs: options.stopGraceMs });
  };
  return {
    port: portOf(server),
    close: () => {
      closed ??= close();
      return closed;
    },
  };
}

const timeouts = {
  headersTimeout: serverLimits.headersTimeoutMs,
  requestTimeout: serverLimits.requestTimeoutMs,
  connectionsCheckingInterval: serverLimits.timeoutsCheckedEveryMs,
};

function portOf(server: Server): number {
  return (server.address() as AddressInfo).port; // a server that listens on TCP has one
}

async function listen(server: Server, { host, port }: HttpServerOptions): Promise<void> {
  server.listen({ host, port });
  await once(server, "listening"); // rejects with the server's error, if that comes first
}

function pathOf(request: IncomingMessage): string {
  return (request.url ?? "/").split("?", 1)[0] ?? "/";
}

async function answer(room: Room, request: IncomingMessage, response: ServerResponse): Promise<void> {
  // Connections that live on would keep the server from closing.
  if (room.closing) response.setHeader("connection", "close");
  const source = admit(room.access, request, response);
  if (source === null) return;
  switch (pathOf(request)) {
    case "/graphql":
      return room.closing ? refuse(response, 503, closingRefusal) : answerGraphQL(room, request, response, source);
    case "/login":
      return answerLogin(room.access, request, response);
    case "/healthz":
      return sayLine(response, 200, "ok");
    case "/readyz":
      return !room.closing && (await isReady(room.awareness))
        ? sayLine(response, 200, "ready")
        : sayLine(response, 503, "not ready");
    case "/metrics":
      return (await mayRead(room.access, request, response, source)) ? showMetrics(room, response) : undefined;
    default:
      return room.console.answer(request, response, pathOf(request));
  }
}

const closingRefusal = new Refusal("SERVICE_UNAVAILABLE", "The server is closing.");
const brokenRefusal = new Refusal("INTERNAL_SERVER_ERROR", "Something went wrong on the server.");

/** The last resort, for what GraphQL itself could not answer. */
function fail(log: Logger, response: ServerResponse, error: unknown): void {
  log.error({ err: error }, "unexpected error while answering a request");
  if (response.headersSent) response.destroy();
  else refuse(response, 500, brokenRefusal);
}

/** Not a closure in `upgrade`: a WebSocket keeps it as long as it is open, and would keep the request with it. */
function destroyed(this: Duplex): void {
  this.destroy();
}

async function upgrade(
  room: Room,
  webSockets: WebSocketServer,
  request: IncomingMessage,
  socket: Duplex,
  head: Buffer,
): Promise<void> {
  socket.on("error", destroyed);
  const forget = remember(room.upgraded, socket);
  const admitted = await admitUpgrade(room.access, request);
  if ("status" in admitted) return refuseUpgrade(socket, admitted.status);
  if (pathOf(request) !== "/graphql" || room.closing) return refuseUpgrade(socket, room.closing ? 503 : 404);
  if (socket.destroyed) return; // it went while its token was being looked up
  const { grant } = admitted;
  const giveWay = grant === null ? socket.destroy.bind(socket, undefined) : undefined;
  const place = room.sockets.take(clientKey(request, grant?.viewer), "websocket", giveWay);
  if (place instanceof Refusal) {
    room.metrics.refused(place.code);
    refuseUpgrade(socket, 429, place);
    return;
  }
  socket.once("close", place.leave);
  room.places.set(request, place);
  webSockets.handleUpgrade(request, socket, head, (ws) => {
    forget(); // from here on it is one of `webSockets.clients`
    webSockets.emit("connection", ws, request, grant);
  });
}

/**
 * Until it is closed, or forgotten. By itself, as a function made in `upgrade` would keep the request for as long as the
 * connection is open.
 */
function remember(sockets: Set<Duplex>, socket: Duplex): () => void {
  const forget = () => {
    sockets.delete(socket);
    socket.off("close", forget);
  };
  sockets.add(socket);
  socket.once("close", forget);
  return forget;
}
