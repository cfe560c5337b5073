import { sleep } from "../clock.js";
import { driverMessage } from "./errors.js";

const retryMs = 5;

/**
 * Tries again while another process holds SQLite's lock, until `deadline` (in `performance.now()` milliseconds); at least
 * once. The driver's own waiting blocks the whole process, so it is done here, between other work.
 */
export async function whileBusy<Result>(deadline: number, work: () => Promise<Result>): Promise<Result> {
  for (;;) {
    try {
      return await work();
    } catch (error) {
      if (!/database is locked|SQLITE_BUSY/.test(driverMessage(error)) || performance.now() >= deadline) throw error;
      await sleep(retryMs);
    }
  }
}
