import { once } from "node:events";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import type { Duplex } from "node:stream";
import type { Logger } from "pino";
import type { WebSocketServer } from "ws";
import type { Awareness } from "../awareness/awareness.js";
import { Refusal } from "../awareness/refusals.js";
import { closeInOrder } from "./closing.js";
import { writeEventStream } from "./eventStream.js";
import { createInFlight, type InFlight } from "./inFlight.js";
import { serverLimits } from "./limits.js";
import { createWebSocketServer } from "./webSocket.js";
import { createEngine, type EventStreams, type GraphQLEngine } from "./yoga.js";

export type HttpServerOptions = {
  awareness: Awareness;
  log: Logger;
  host: string;
  /** 0 takes any free port. */
  port: number;
  /** How long closing may take in all. */
  stopGraceMs: number;
  keepAliveMs?: number;
};

export type RunningServer = {
  port: number;
  /** Contract, section 7. Resolves when every connection is closed, at the latest when the grace is over. */
  close(): Promise<void>;
};

type Room = Required<Pick<HttpServerOptions, "awareness" | "log" | "keepAliveMs">> & {
  engine: GraphQLEngine;
  eventStreams: EventStreams;
  inFlight: InFlight;
  /** Aborts when streams are to end because the server is closing. */
  farewell: AbortController;
  closing: boolean;
};

/**
 * One port for everything: GraphQL over HTTP, server-sent events and WebSocket on `/graphql`, its explorer, and the
 * two health checks. Rejects when the port cannot be had.
 */
export async function startHttpServer(options: HttpServerOptions): Promise<RunningServer> {
  const room = createRoom(options);
  const server = createServer({ requestTimeout: serverLimits.requestTimeoutMs }, (request, response) => {
    answer(room, request, response).catch((error: unknown) => fail(room.log, response, error));
  });
  const webSockets = createWebSocketServer({ ...room, isClosing: () => room.closing });
  server.on("upgrade", (request, socket, head) => upgrade(room, webSockets, request, socket, head));
  await listen(server, options);

  let closed: Promise<void> | undefined;
  const close = () => {
    room.closing = true;
    const { inFlight, farewell } = room;
    return closeInOrder({ server, webSockets, inFlight, farewell, graceMs: options.stopGraceMs, log: room.log });
  };
  return {
    port: (server.address() as AddressInfo).port, // a server that listens on TCP has one
    close: () => {
      closed ??= close();
      return closed;
    },
  };
}

function createRoom({ awareness, log, keepAliveMs = serverLimits.keepAliveMs }: HttpServerOptions): Room {
  const eventStreams: EventStreams = new WeakMap();
  return {
    awareness,
    log,
    keepAliveMs,
    eventStreams,
    engine: createEngine(log, eventStreams),
    inFlight: createInFlight(),
    farewell: new AbortController(),
    closing: false,
  };
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
  switch (pathOf(request)) {
    case "/graphql":
      return room.closing ? refuse(response, 503, closingRefusal) : answerGraphQL(room, request, response);
    case "/healthz":
      return text(response, 200, "ok");
    case "/readyz":
      return (await isReady(room)) ? text(response, 200, "ready") : text(response, 503, "not ready");
    case "/":
      return void response.writeHead(302, { location: "/graphql" }).end();
    default:
      return text(response, 404, "not found");
  }
}

function text(response: ServerResponse, status: number, line: string): void {
  response.writeHead(status, { "content-type": "text/plain; charset=utf-8", "cache-control": "no-store" });
  response.end(`${line}\n`);
}

const closingRefusal = new Refusal("SERVICE_UNAVAILABLE", "The server is closing.");
const brokenRefusal = new Refusal("INTERNAL_SERVER_ERROR", "Something went wrong on the server.");

/** A GraphQL answer for when GraphQL cannot be asked. */
function refuse(response: ServerResponse, status: number, { code, message }: Refusal): void {
  response.writeHead(status, { "content-type": "application/json; charset=utf-8", "cache-control": "no-store" });
  response.end(JSON.stringify({ errors: [{ message, extensions: { code } }] }));
}

async function isReady({ awareness, closing }: Room): Promise<boolean> {
  if (closing) return false;
  let timer: NodeJS.Timeout | undefined;
  const tooLate = new Promise<boolean>((resolve) => {
    timer = setTimeout(resolve, serverLimits.readyWaitMs, false);
  });
  try {
    return await Promise.race([awareness.ready(), tooLate]);
  } catch {
    return false;
  } finally {
    clearTimeout(timer);
  }
}

async function answerGraphQL(room: Room, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const { awareness, engine, eventStreams, inFlight, farewell, keepAliveMs, log } = room;
  const done = inFlight.begin();
  const gone = new AbortController();
  const leave = () => gone.abort();
  response.once("close", leave);
  try {
    const result = await engine.handleNodeRequestAndResponse(request, response, { awareness, signal: gone.signal });
    const results = eventStreams.get(result);
    if (results === undefined) return await send(room, response, result);
    done(); // a stream ends by itself: nobody waits for it
    farewell.signal.addEventListener("abort", leave, { once: true });
    if (farewell.signal.aborted) leave();
    await writeEventStream(response, results, { signal: gone.signal, keepAliveMs, log });
  } finally {
    farewell.signal.removeEventListener("abort", leave);
    done();
  }
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

function upgrade(
  room: Room,
  webSockets: WebSocketServer,
  request: IncomingMessage,
  socket: Duplex,
  head: Buffer,
): void {
  if (pathOf(request) === "/graphql" && !room.closing) {
    webSockets.handleUpgrade(request, socket, head, (ws) => webSockets.emit("connection", ws, request));
    return;
  }
  socket.on("error", () => socket.destroy()); // nothing more is said to a client that is turned away
  const status = room.closing ? "503 Service Unavailable" : "404 Not Found";
  socket.end(`HTTP/1.1 ${status}\r\nConnection: close\r\nContent-Length: 0\r\n\r\n`);
}
