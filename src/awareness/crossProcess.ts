import { sleep } from "../clock.js";
import type { Rooms } from "./rooms.js";

/**
 * Notices opened or covered by another process on the same database (contract, section 7). Looks for a sign of foreign
 * commits while somebody is subscribed here, and lets the feed read the truth again when there is one.
 */
export class CrossProcess {
  readonly #rooms: Rooms;
  readonly #stopped = new AbortController();
  #loop: Promise<void> = Promise.resolve();

  constructor(rooms: Rooms) {
    this.#rooms = rooms;
  }

  start(): void {
    this.#loop = this.#watch();
  }

  async stop(): Promise<void> {
    this.#stopped.abort();
    await this.#loop;
  }

  async #watch(): Promise<void> {
    const { database, feed, limits, log } = this.#rooms;
    let seen: number | null = null;
    while (!this.#stopped.signal.aborted) {
      await sleep(limits.crossProcessPollMs, this.#stopped.signal);
      if (feed.size === 0 || this.#stopped.signal.aborted) continue;
      try {
        const now = await database.changesElsewhere();
        if (now === seen) continue;
        // A subscriber that came since the last look has read the truth itself; reading it again costs little.
        await feed.resync();
        seen = now;
      } catch (error) {
        log.warn({ err: error }, "could not look for notices of other processes; trying again");
      }
    }
  }
}
