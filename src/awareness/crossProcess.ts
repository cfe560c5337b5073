import { sleep } from "../clock.js";
import type { Listener } from "../storage/database.js";
import { identityOf } from "../storage/newEvent.js";
import type { SessionIdentity } from "../storage/records.js";
import type { Changed } from "../storage/sessionChanges.js";
import { ChangedNames } from "./changedNames.js";
import { OneAtATime } from "./oneAtATime.js";
import type { Rooms } from "./rooms.js";
import { Trouble } from "./trouble.js";

/** More targets than this in one look are cheaper read as "everything". */
const targetsMax = 500;
/** More names of changed sessions than this are as good as "find out yourselves". */
const changedMax = 10_000;

/**
 * Notices opened or covered by another process on the same database (contract, section 7). Hints of foreign commits
 * gather while a look is under way; then one look serves them all.
 */
export class CrossProcess {
  readonly #rooms: Rooms;
  #listener: Listener | undefined;
  #everything = false;
  #targets = new Map<string, SessionIdentity>();
  /** Something about sessions in general. */
  readonly #changed = new ChangedNames(changedMax);
  readonly #looks = new OneAtATime(() => this.#look());
  readonly #trouble: Record<"listening" | "looking", Trouble>;
  readonly #stopped = new AbortController();

  constructor(rooms: Rooms) {
    this.#rooms = rooms;
    this.#trouble = {
      listening: new Trouble(rooms.log, "listen for other processes"),
      looking: new Trouble(rooms.log, "read what other processes have written"),
    };
  }

  start(): void {
    const { database, feed, sessionFeed, limits } = this.#rooms;
    const { listening } = this.#trouble;
    this.#listener = database.listen({
      hint: (targets) => this.#hint(targets),
      changed: (changed) => this.#hintOfSessions(changed),
      wanted: () => feed.size + sessionFeed.size > 0,
      trouble: (error) => listening.met(error),
      well: () => listening.over(),
      pollMs: limits.crossProcessPollMs,
      slowPollMs: limits.crossProcessSlowPollMs,
    });
  }

  async stop(): Promise<void> {
    this.#stopped.abort();
    await this.#listener?.stop();
    await this.#looks.settled();
  }

  #hint(targets: readonly SessionIdentity[] | null): void {
    if (targets === null) this.#everything = true;
    else for (const target of targets) this.#targets.set(identityOf(target), target);
    this.#looks.ask();
  }

  #hintOfSessions(changed: Changed | null): void {
    this.#changed.add(changed);
    this.#looks.ask();
  }

  /** At what has been hinted at until now. */
  async #look(): Promise<void> {
    const { feed, sessionFeed, limits } = this.#rooms;
    if (this.#stopped.signal.aborted) return;
    const targets = this.#everything || this.#targets.size > targetsMax ? null : [...this.#targets.values()];
    this.#everything = false;
    this.#targets = new Map();
    const changed = this.#changed.take();
    try {
      if (targets === null || targets.length > 0) await feed.resync(targets);
      if (changed === null) await sessionFeed.look();
      else sessionFeed.hear(changed);
      this.#trouble.looking.over();
    } catch (error) {
      this.#trouble.looking.met(error);
      this.#everything = true;
      this.#changed.add(null);
      await sleep(limits.crossProcessPollMs, this.#stopped.signal);
      this.#looks.ask();
    }
  }
}
