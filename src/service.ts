import { type Logger, pino } from "pino";
import { createAwareness, type RunningAwareness } from "./awareness/createAwareness.js";
import { localNode } from "./awareness/upstreamSources.js";
import { type Clock, systemClock } from "./clock.js";
import { type Config, limits } from "./config.js";
import { baseUrl, forUrl } from "./server/baseUrl.js";
import { exposureWarnings } from "./server/exposure.js";
import { type FirstLogin, makeFirstLogin } from "./server/firstLogin.js";
import { type RunningServer, startHttpServer } from "./server/http.js";
import { createMetrics, type Metrics } from "./server/metrics.js";
import { StartError } from "./storage/errors.js";
import { Monitor } from "./upstream/monitor.js";
import { createSources, type LocalSources } from "./upstream/sources.js";

export type Service = {
  /** Where GraphQL is, for people and clients: `http://127.0.0.1:4000/graphql`. */
  url: string;
  port: number;
  awareness: RunningAwareness;
  /** At the first start only: how somebody comes in. */
  firstLogin: FirstLogin | null;
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
  const { database, retentionDays, retentionRows, adminToken } = config;
  const metrics = createMetrics();
  const observe = metrics.observer;
  const sources = createSources(config);
  const awareness =
    options.awareness ??
    (await createAwareness({
      database,
      retentionDays,
      retentionRows,
      limits,
      adminToken,
      clock,
      log,
      observe,
      sources,
    }));
  const server = await openServer(config, { awareness, log, metrics, keepAliveMs });

  const monitor = startMonitor(config, { awareness, sources, clock, log });

  const stop = async () => {
    awareness.endWaits();
    await Promise.all([monitor.stop(), server.close()]);
    await awareness.stop();
    metrics.stop();
  };
  for (const warning of exposureWarnings(config)) log.warn(warning);
  for (const name of config.unknownVariables) log.warn(`${name} is set, but there is no such variable: see the README`);
  const firstLogin = await openDoor(config, { awareness, server, stop });
  let stopped: Promise<void> | undefined;
  return {
    firstLogin,
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
  { host, port, max, auth, allowedHosts, allowedOrigins }: Config,
  rooms: { awareness: RunningAwareness; log: Logger; metrics: Metrics; keepAliveMs: number | undefined },
): Promise<RunningServer> {
  try {
    const access = { auth, allowedHosts, allowedOrigins };
    return await startHttpServer({ ...rooms, host, port, max, access, stopGraceMs: limits.stopGraceMs });
  } catch (error) {
    await rooms.awareness.stop();
    throw listenError(error, `${forUrl(host)}:${port}`);
  }
}

/** Looks after adopted sessions on this machine (contract, section 9). */
function startMonitor(
  { monitorIntervalMs: intervalMs, monitorFirstMs: firstMs }: Config,
  rooms: { awareness: RunningAwareness; sources: LocalSources; clock: Clock; log: Logger },
): Monitor {
  const { awareness, ...others } = rooms;
  const { monitoring: desk, onLinksChanged } = awareness;
  const monitor = new Monitor({ ...others, desk, onLinksChanged, nodeId: localNode, intervalMs, firstMs, limits });
  monitor.start();
  return monitor;
}

/** Sees to it that somebody can come in: nobody has a token at the first start. */
async function openDoor(
  { auth, adminToken, adminTokenFile, host }: Config,
  { awareness, server, stop }: { awareness: RunningAwareness; server: RunningServer; stop: () => Promise<void> },
): Promise<FirstLogin | null> {
  if (auth === "off" || adminToken !== null) return null;
  try {
    return await makeFirstLogin(awareness.tokens, adminTokenFile, baseUrl(host, server.port));
  } catch (error) {
    await stop();
    const reason = error instanceof Error ? error.message : String(error);
    throw new StartError(`cannot make the first admin token (${adminTokenFile}): ${reason}`, error);
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
