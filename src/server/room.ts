import { setMaxListeners } from "node:events";
import type { IncomingMessage } from "node:http";
import type { Duplex } from "node:stream";
import type { Logger } from "pino";
import type { RunningAwareness } from "../awareness/createAwareness.js";
import type { Config, Maximums } from "../config.js";
import { type Access, createAccess } from "./access.js";
import { type Console, createConsole } from "./console.js";
import { createHosts } from "./hosts.js";
import { createInFlight, type InFlight } from "./inFlight.js";
import { serverLimits } from "./limits.js";
import type { Metrics } from "./metrics.js";
import { createSockets, type Place, type Sockets } from "./sockets.js";
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

/** All that a request may need. */
export type Room = Required<Pick<HttpServerOptions, "awareness" | "log" | "max" | "metrics" | "keepAliveMs">> & {
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
  /** Connections that are no longer HTTP and not yet, or never, WebSockets: nobody else closes them. */
  upgraded: Set<Duplex>;
  closing: boolean;
};

/** `port` is known once the server listens. */
export function createRoom(options: HttpServerOptions, port: () => number): Room {
  const { awareness, log, max, metrics, keepAliveMs = serverLimits.keepAliveMs } = options;
  const eventStreams: EventStreams = new WeakMap();
  const { auth, ...allowed } = options.access;
  const hosts = createHosts({ ...allowed, host: options.host, port });
  return {
    access: createAccess({ awareness, tokens: awareness.tokens, auth, hosts, log, metrics }),
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
