import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import pino from "pino";
import { createAwareness, type RunningAwareness } from "../../src/awareness/createAwareness.js";
import type { Observer } from "../../src/awareness/observer.js";
import type { DomainLimits } from "../../src/awareness/rooms.js";
import { type Clock, systemClock } from "../../src/clock.js";
import { limits, loadConfig } from "../../src/config.js";

/** The domain on a database of its own. */
export type TestDomain = {
  /** The running domain: another one after `restart`. */
  readonly awareness: RunningAwareness;
  /** Stops the domain and starts a new one on the same database. */
  restart(): Promise<void>;
  /** Stops the domain and removes the database. */
  dispose(): Promise<void>;
};

export type DomainOptions = {
  clock?: Clock;
  retentionDays?: number;
  retentionRows?: number;
  /** How long a write waits for another process's lock. */
  busyMs?: number;
  /** Instead of the configured ones. */
  limits?: Partial<DomainLimits>;
  observe?: Observer;
  log?: pino.Logger;
};

/** The domain on this SQLite file. */
export function startOnFile(file: string, options: DomainOptions = {}): Promise<RunningAwareness> {
  return startOn(`file:${file}`, options);
}

/** The domain on the database with this URL, configured as the server would be. */
export function startOn(databaseUrl: string, options: DomainOptions = {}): Promise<RunningAwareness> {
  const config = loadConfig({ DATABASE_URL: databaseUrl });
  return createAwareness({
    database: config.database,
    retentionDays: options.retentionDays ?? config.retentionDays,
    retentionRows: options.retentionRows ?? config.retentionRows,
    limits: { ...limits, databaseBusyMs: options.busyMs ?? limits.databaseBusyMs, ...options.limits },
    clock: options.clock ?? systemClock,
    log: options.log ?? pino({ level: "silent" }),
    observe: options.observe,
  });
}

/** The domain on a new SQLite file in a folder of its own. */
export async function openSqliteDomain(options: DomainOptions = {}): Promise<TestDomain> {
  const folder = await mkdtemp(join(tmpdir(), "headsup-"));
  return openDomain(`file:${join(folder, "test.db")}`, options, () => rm(folder, { recursive: true, force: true }));
}

/** The domain on a new database, which `remove` takes away at the end. Its first retention pass is over. */
export async function openDomain(
  databaseUrl: string,
  options: DomainOptions,
  remove: () => Promise<void> = async () => {},
): Promise<TestDomain> {
  const start = async () => {
    const started = await startOn(databaseUrl, options);
    await started.sweep();
    return started;
  };
  let awareness = await start();
  return {
    get awareness() {
      return awareness;
    },
    async restart() {
      await awareness.stop();
      awareness = await start();
    },
    async dispose() {
      await awareness.stop();
      await remove();
    },
  };
}
