import { sleep } from "../clock.js";
import type { Listener } from "../storage/database.js";
import { identityOf } from "../storage/newEvent.js";
import type { SessionIdentity } from "../storage/records.js";
import type { Rooms } from "./rooms.js";

/** More targets than this in one look are cheaper read as "everything". */
const targetsMax = 500;

/**
 * Notices opened or covered by another process on the same database (contract, section 7). Hints of foreign commits
 * gather while a look is under way; then one look serves them all.
 */
export class CrossProcess {
  readonly #rooms: Rooms;
  #listener: Listener | undefined;
  #everything = false;
  #targets = new Map<string, SessionIdentity>();
  /** Something about sessions in general: null is "find out yourselves". */
  #changed: SessionIdentity[] | null = [];
  #looking: Promise<void> | undefined;
  readonly #stopped = new AbortController();

  constructor(rooms: Rooms) {
    this.#rooms = rooms;
  }

  start(): void {
    const { database, feed, sessionFeed, limits, log } = this.#rooms;
    this.#listener = database.listen({
      hint: (targets) => this.#hint(targets),
      changed: (sessions) => this.#hintOfSessions(sessions),
      wanted: () => feed.size + sessionFeed.size > 0,
      trouble: (error) => log.warn({ err: error }, "listening for other processes failed; trying again"),
      pollMs: limits.crossProcessPollMs,
      slowPollMs: limits.crossProcessSlowPollMs,
    });
  }

  async stop(): Promise<void> {
    this.#stopped.abort();
    await this.#listener?.stop();
    await this.#looking;
  }

  #hint(targets: readonly SessionIdentity[] | null): void {
    if (targets === null) this.#everything = true;
    else for (const target of targets) this.#targets.set(identityOf(target), target);
    this.#lookSoon();
  }

  #hintOfSessions(sessions: readonly SessionIdentity[] | null): void {
    if (sessions === null) this.#changed = null;
    else if (this.#changed !== null) this.#changed.push(...sessions);
    this.#lookSoon();
  }

  #lookSoon(): void {
    this.#looking ??= this.#look().finally(() => {
      this.#looking = undefined;
    });
  }

  async #look(): Promise<void> {
    while (
      !this.#stopped.signal.aborted &&
      (this.#everything || this.#targets.size > 0 || this.#changed?.length !== 0)
    ) {
      const changed = this.#changed;
      this.#changed = [];
      const targets = this.#everything || this.#targets.size > targetsMax ? null : [...this.#targets.values()];
      this.#everything = false;
      this.#targets = new Map();
      try {
        if (targets === null || targets.length > 0) await this.#rooms.feed.resync(targets);
        if (changed === null) await this.#rooms.sessionFeed.look();
        else this.#rooms.sessionFeed.hear(changed);
      } catch (error) {
        this.#rooms.log.warn({ err: error }, "could not read the notices of other processes; trying again");
        this.#everything = true;
        this.#changed = null;
        await sleep(this.#rooms.limits.crossProcessPollMs, this.#stopped.signal);
      }
    }
  }
}
