import { once, setMaxListeners } from "node:events";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import type { Duplex } from "node:stream";
import type { Logger } from "pino";
import type { WebSocketServer } from "ws";
import type { RunningAwareness } from "../awareness/createAwareness.js";
import { Refusal } from "../awareness/refusals.js";
import type { Config, Maximums } from "../config.js";
import { type Access, createAccess } from "./access.js";
import { admit, admitUpgrade, letIn, mayRead } from "./accessHttp.js";
import { refuse, refuseUpgrade, sayLine } from "./answers.js";
import { clientKey } from "./clientKey.js";
import { closeInOrder } from "./closing.js";
import { type Console, createConsole } from "./console.js";
import { writeEventStream } from "./eventStream.js";
import { isReady, showMetrics } from "./health.js";
import { createHosts, type Source } from "./hosts.js";
import { createInFlight, type InFlight } from "./inFlight.js";
import { serverLimits } from "./limits.js";
import { answerLogin } from "./login.js";
import type { Metrics } from "./metrics.js";
import { createSockets, type Place, type Sockets } from "./sockets.js";
import { createWebSocketServer } from "./webSocket.js";
import { createEngine, type EventStreams, type GraphQLEngine } from "./yoga.js";

export type HttpServerOptions = {
  awareness: RunningAwareness;
  log: Logger;
  max: Maximums;
  metrics: Metrics;
  host: string;
  /** 0 takes any free port. */
  port: number;
  access: Pick<Config, "auth" | "allowedHosts" | "allowedOrigins">;
  /** How long closing may take in all. */
  stopGraceMs: number;
  keepAliveMs?: number;
};

export type RunningServer = {
  port: number;
  /** Contract, section 7. Resolves when every connection is closed, at the latest when the grace is over. */
  close(): Promise<void>;
};

type Room = Required<Pick<HttpServerOptions, "awareness" | "log" | "max" | "metrics" | "keepAliveMs">> & {
  access: Access;
  console: Console;
  engine: GraphQLEngine;
  eventStreams: EventStreams;
  inFlight: InFlight;
  sockets: Sockets;
  /** The places of WebSockets, by the request that opens them. */
  places: WeakMap<IncomingMessage, Place>;
  /** Aborts when streams are to end because the server is closing. */
  farewell: AbortController;
  /** Connections that are no longer HTTP, or never will be: Node's server does not close them. */
  upgraded: Set<Duplex>;
  closing: boolean;
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

function createRoom(options: HttpServerOptions, port: () => number): Room {
  const { awareness, log, max, metrics, keepAliveMs = serverLimits.keepAliveMs } = options;
  const eventStreams: EventStreams = new WeakMap();
  const { auth, ...allowed } = options.access;
  const hosts = createHosts({ ...allowed, host: options.host, port });
  return {
    access: createAccess({ awareness, tokens: awareness.tokens, auth, hosts, port, log, metrics }),
    awareness,
    console: createConsole(),
    log,
    max,
    metrics,
    keepAliveMs,
    eventStreams,
    engine: createEngine({ log, eventStreams, max, metrics }),
    inFlight: createInFlight(),
    sockets: createSockets(max),
    places: new WeakMap(),
    farewell: farewellToMany(),
    upgraded: new Set(),
    closing: false,
  };
}

/** Every open stream listens for it: that many are no leak. */
function farewellToMany(): AbortController {
  const farewell = new AbortController();
  setMaxListeners(0, farewell.signal);
  return farewell;
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

async function answerGraphQL(
  room: Room,
  request: IncomingMessage,
  response: ServerResponse,
  source: Source,
): Promise<void> {
  const { access, engine, eventStreams, inFlight, farewell, keepAliveMs, log, metrics } = room;
  const grant = await letIn(access, request, response, source);
  if (grant === null) return;
  const client = clientKey(request, grant.viewer);
  const done = inFlight.begin();
  const gone = new AbortController();
  const leave = () => gone.abort(over);
  response.once("close", leave);
  if (response.closed) leave(); // it went while its token was being looked up
  const forget = grant.onOver(leave);
  try {
    const context = { ...access.context(grant), client, signal: gone.signal };
    const result = await engine.handleNodeRequestAndResponse(request, response, context);
    const results = eventStreams.get(result);
    if (results === undefined) return await send(room, response, result);
    done(); // a stream ends by itself: nobody waits for it
    const place = room.sockets.take(client, "event_stream");
    if (place instanceof Refusal) return await turnAway(room, response, results, place);
    farewell.signal.addEventListener("abort", leave, { once: true });
    if (farewell.signal.aborted) leave();
    await writeEventStream(response, results, { signal: gone.signal, keepAliveMs, log, metrics }).finally(place.leave);
  } finally {
    farewell.signal.removeEventListener("abort", leave);
    forget();
    done();
  }
}

/** Made once: every request ends with it, and an error of its own for each, with its stack, would cost more than most. */
const over = new Error("the request is over");

/** One stream too many: what was begun for it ends. */
async function turnAway(
  { metrics }: Room,
  response: ServerResponse,
  results: AsyncIterable<unknown>,
  refusal: Refusal,
): Promise<void> {
  metrics.refused(refusal.code);
  refuse(response, 429, refusal);
  await results[Symbol.asyncIterator]().return?.();
}

/** Yoga's answer as Node sends it: all that is left here is one text. */
async function send(room: Room, response: ServerResponse, result: Response): Promise<void> {
  const body = Buffer.from(await result.text());
  response.setHeaders(result.headers);
  response.setHeader("content-length", body.byteLength);
  if (room.closing) response.setHeader("connection", "close");
  response.writeHead(result.status);
  await new Promise<void>((resolve) => response.end(body, resolve).once("close", resolve));
}

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
  room.upgraded.add(socket);
  socket.once("close", () => room.upgraded.delete(socket));
  const admitted = await admitUpgrade(room.access, request);
  if ("status" in admitted) return refuseUpgrade(socket, admitted.status);
  if (pathOf(request) !== "/graphql" || room.closing) return refuseUpgrade(socket, room.closing ? 503 : 404);
  if (socket.destroyed) return; // it went while its token was being looked up
  const { grant } = admitted;
  const giveWay = grant === null ? () => socket.destroy() : undefined;
  const place = room.sockets.take(clientKey(request, grant?.viewer), "websocket", giveWay);
  if (place instanceof Refusal) {
    room.metrics.refused(place.code);
    refuseUpgrade(socket, 429, place);
    return;
  }
  socket.once("close", place.leave);
  room.places.set(request, place);
  webSockets.handleUpgrade(request, socket, head, (ws) => webSockets.emit("connection", ws, request, grant));
}
