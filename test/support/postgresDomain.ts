import { pino } from "pino";
import { createAwareness, type RunningAwareness } from "../../src/awareness/createAwareness.js";
import { systemClock } from "../../src/clock.js";
import { limits, loadConfig } from "../../src/config.js";
import type { DomainOptions, TestDomain } from "./domain.js";
import type { TestPostgres } from "./postgres.js";

/** The domain on this PostgreSQL database, configured as the server would be. */
export function startOnPostgres(url: string, options: DomainOptions = {}): Promise<RunningAwareness> {
  const config = loadConfig({ DATABASE_URL: url });
  return createAwareness({
    database: config.database,
    retentionDays: config.retentionDays,
    retentionRows: options.retentionRows ?? config.retentionRows,
    limits: { ...limits, databaseBusyMs: options.busyMs ?? limits.databaseBusyMs, ...options.limits },
    clock: options.clock ?? systemClock,
    log: options.log ?? pino({ level: "silent" }),
    observe: options.observe,
  });
}

/** Opens the domain on new databases of one server. */
export function postgresDomains(server: () => TestPostgres) {
  return async (options: DomainOptions = {}): Promise<TestDomain> => {
    const url = await server().createDatabase();
    const start = async () => {
      const started = await startOnPostgres(url, options);
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
      dispose: () => awareness.stop(),
    };
  };
}
