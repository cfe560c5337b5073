import { type Logger, pino } from "pino";
import { createAwareness, type RunningAwareness } from "./awareness/createAwareness.js";
import { type Clock, systemClock } from "./clock.js";
import { type Config, limits } from "./config.js";
import { type RunningServer, startHttpServer } from "./server/http.js";
import { StartError } from "./storage/errors.js";

export type Service = {
  /** Where GraphQL is, for people and clients: `http://127.0.0.1:4000/graphql`. */
  url: string;
  port: number;
  awareness: RunningAwareness;
  /** Closes in the contract's order (section 7) within `limits.stopGraceMs`, then the database. Safe to call twice. */
  stop(): Promise<void>;
};

export type ServiceOptions = {
  clock?: Clock;
  log?: Logger;
  /** Instead of the one on the configured database. */
  awareness?: RunningAwareness;
  /** Time between signs of life on open connections. */
  keepAliveMs?: number;
};

/** Builds the rooms and joins them. Tests start the product through it. Throws `StartError` when it cannot start. */
export async function startService(config: Config, options: ServiceOptions = {}): Promise<Service> {
  const { clock = systemClock, keepAliveMs } = options;
  const log = options.log ?? pino({ level: config.logLevel }, pino.destination({ dest: 2, sync: true }));
  const { database, retentionDays, retentionRows } = config;
  const awareness =
    options.awareness ?? (await createAwareness({ database, retentionDays, retentionRows, limits, clock, log }));
  const server = await openServer(config, { awareness, log, keepAliveMs });

  const stop = async () => {
    await server.close();
    await awareness.stop();
  };
  let stopped: Promise<void> | undefined;
  return {
    url: `http://${forUrl(config.host)}:${server.port}/graphql`,
    port: server.port,
    awareness,
    stop: () => {
      stopped ??= stop();
      return stopped;
    },
  };
}

async function openServer(
  { host, port }: Config,
  rooms: { awareness: RunningAwareness; log: Logger; keepAliveMs: number | undefined },
): Promise<RunningServer> {
  try {
    return await startHttpServer({ ...rooms, host, port, stopGraceMs: limits.stopGraceMs });
  } catch (error) {
    await rooms.awareness.stop();
    throw listenError(error, `${forUrl(host)}:${port}`);
  }
}

function listenError(error: unknown, where: string): unknown {
  const reasons: Record<string, string> = {
    EADDRINUSE: "the port is in use; set PORT to another, or to 0 for any free one",
    EACCES: "this user may not open that port; set PORT to one above 1023",
    EADDRNOTAVAIL: "this machine has no such address; set HOST to one it has",
    ENOTFOUND: "the host name is not known; set HOST to an address of this machine",
  };
  const code = error instanceof Error && "code" in error ? String(error.code) : "";
  const reason = reasons[code];
  return reason === undefined ? error : new StartError(`cannot listen on ${where}: ${reason}`, error);
}

/** IPv6 addresses stand in brackets in a URL. */
function forUrl(host: string): string {
  return host.includes(":") ? `[${host}]` : host;
}
