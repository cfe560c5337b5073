import { sleep } from "../clock.js";
import type { Listener, ListenOptions } from "./database.js";
import { type Statements, sql, toNumber } from "./sql.js";

/**
 * Notices commits of other processes by SQLite's change counter. Asked on the writing connection, the counter moves
 * only for others: a connection's own commits leave it as it is.
 */
export function watchDataVersion(writer: Statements, options: ListenOptions): Listener {
  const stopped = new AbortController();
  const running = poll();
  return {
    async stop() {
      stopped.abort();
      await running;
    },
  };

  async function poll(): Promise<void> {
    let seen: number | null = null;
    while (!stopped.signal.aborted) {
      await sleep(options.pollMs, stopped.signal);
      if (stopped.signal.aborted || !options.wanted()) continue;
      try {
        const now = await dataVersion(writer);
        options.well();
        // The first look hints too: something may have been committed between a subscriber's reading and it.
        if (now !== seen) {
          options.hint(null);
          options.changed(null);
        }
        seen = now;
      } catch (error) {
        options.trouble(error);
      }
    }
  }
}

async function dataVersion(writer: Statements): Promise<number> {
  const [row] = await writer.query<{ version: unknown }>(dataVersionNow);
  return toNumber(row?.version);
}

const dataVersionNow = sql`SELECT data_version AS version FROM pragma_data_version`;
