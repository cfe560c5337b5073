import { type Clock, sleep } from "../clock.js";
import type { Database } from "../storage/database.js";
import { identityOf } from "../storage/newEvent.js";
import type { SessionIdentity } from "../storage/records.js";
import { type Changed, sessionsByName } from "../storage/sessionChanges.js";
import { countSessions } from "../storage/sessionCounts.js";
import { ChangedNames, changedBy } from "./changedNames.js";
import type { Logger } from "./logger.js";
import { OneAtATime } from "./oneAtATime.js";
import { type NamedChange, type SessionScope, SessionSubscriber } from "./sessionSubscriber.js";
import { Trouble } from "./trouble.js";
import type { Agents } from "./viewer.js";
import type { Announcement } from "./writer.js";
import { WritesElsewhere } from "./writesElsewhere.js";

type FeedOptions = {
  database: Database;
  clock: Clock;
  log: Logger;
  limits: { sessionFeedPaceMs: number; crossProcessPollMs: number; databaseBusyMs: number };
};

/** So many names at most wait to be told to other processes; more are told as "look yourselves". */
const outboxMax = 500;

/**
 * Who wants to know of changed sessions in this process. Fed from the announcements after each commit, like the notice
 * feed, and by other processes. Here too announcements are hints: what a subscriber is told is read when it is told.
 */
export class SessionFeed {
  readonly #options: FeedOptions;
  readonly #subscribers = new Set<SessionSubscriber>();
  readonly #stopped = new AbortController();
  readonly #outbox = new ChangedNames(outboxMax);
  readonly #telling = new OneAtATime(() => this.#tell());
  readonly #elsewhere: WritesElsewhere;
  readonly #trouble: Record<"reading" | "telling", Trouble>;
  #beginning: Promise<void> = Promise.resolve();

  constructor(options: FeedOptions) {
    this.#options = options;
    const { database, clock, log, limits } = options;
    this.#elsewhere = new WritesElsewhere({ database, clock, overlapMs: limits.databaseBusyMs });
    this.#trouble = {
      reading: new Trouble(log, "read changed sessions"),
      telling: new Trouble(log, "tell other processes of changed sessions"),
    };
  }

  /** How many subscribers wait here. */
  get size(): number {
    return this.#subscribers.size;
  }

  /** A write that is committed. */
  announce(announcement: Announcement): void {
    const othersFindOut = this.#options.database.kind === "sqlite"; // its change counter says that there is something
    if (this.#subscribers.size === 0 && othersFindOut) return;
    const changed = changedBy(announcement);
    if (changed.sessions.length + changed.pairs.length === 0) return;
    this.hear(changed);
    if (othersFindOut) return;
    this.#outbox.add(changed);
    this.#telling.ask();
  }

  /** Another process has changed these; null is more than can be named. */
  hear(changed: Changed | null): void {
    for (const subscriber of this.#subscribers) {
      if (changed === null) subscriber.hearOfTooMany();
      else subscriber.hear(changed);
    }
  }

  /** Another process may have changed something: finds out what. Rejects with `StorageError`; then the next look does. */
  async look(): Promise<void> {
    if (this.#subscribers.size === 0) return;
    await this.#beginning;
    this.hear(await this.#elsewhere.look());
  }

  /** Hears of every change from then on; its first word is that everything is to be read. */
  async subscribe(scope: SessionScope): Promise<SessionSubscriber> {
    const subscriber: SessionSubscriber = new SessionSubscriber(scope, {
      read: (sessions, agents) => this.#read(sessions, agents),
      pace: (lastReadAt, signal) => {
        const waitMs = lastReadAt + this.#options.limits.sessionFeedPaceMs - performance.now();
        return waitMs > 0 ? sleep(waitMs, signal) : Promise.resolve();
      },
      failed: (error, signal) => {
        this.#trouble.reading.met(error);
        return sleep(this.#options.limits.crossProcessPollMs, signal);
      },
      ended: (ended) => this.#subscribers.delete(ended),
    });
    if (this.#subscribers.size === 0) this.#beginning = this.#begin();
    this.#subscribers.add(subscriber);
    // Whoever is told to read everything is told of all that is written after.
    await this.#beginning;
    if (this.#stopped.signal.aborted) await subscriber.return();
    return subscriber;
  }

  /** Where this fails, the first look says so. */
  #begin(): Promise<void> {
    return this.#elsewhere.begin().catch(() => undefined);
  }

  /** Ends every subscriber. */
  async close(): Promise<void> {
    this.#stopped.abort();
    for (const subscriber of [...this.#subscribers]) void subscriber.return();
    await this.#telling.settled();
  }

  async #read(sessions: readonly SessionIdentity[], agents: Agents): Promise<NamedChange[]> {
    const { read } = this.#options.database;
    const [found, counts] = await Promise.all([sessionsByName(read, sessions), countSessions(read, sessions, agents)]);
    this.#trouble.reading.over();
    const byName = new Map(found.map((session) => [identityOf(session), session]));
    return sessions.map((name, index) => {
      const session = byName.get(identityOf(name));
      const { sessionKey, agentId } = name;
      if (session === undefined) return { kind: "DELETED", sessionKey, agentId, session: null };
      return { kind: "CHANGED", sessionKey, agentId, session: { ...session, counts: counts[index] } };
    });
  }

  /** What has gathered, and not oftener than the pace: a hint that is lost costs others one slow poll. */
  async #tell(): Promise<void> {
    const { database, limits } = this.#options;
    if (this.#stopped.signal.aborted) return;
    await database.tellChanged(this.#outbox.take()).then(
      () => this.#trouble.telling.over(),
      (error: unknown) => this.#trouble.telling.met(error),
    );
    await sleep(limits.sessionFeedPaceMs, this.#stopped.signal);
  }
}
