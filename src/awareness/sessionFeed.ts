import { type Clock, sleep } from "../clock.js";
import type { Database } from "../storage/database.js";
import { identityOf } from "../storage/newEvent.js";
import { type PairIdentity, type SessionIdentity, targetOf } from "../storage/records.js";
import { sessionsByName, sessionsTouchedSince } from "../storage/sessionChanges.js";
import { countSessions } from "../storage/sessionCounts.js";
import type { Logger } from "./logger.js";
import { agentOf } from "./sessionKey.js";
import { type NamedChange, type SessionScope, SessionSubscriber } from "./sessionSubscriber.js";
import type { Agents } from "./viewer.js";
import type { Announcement } from "./writer.js";

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
  #outbox = new Map<string, SessionIdentity>();
  #outboxFull = false;
  #telling: Promise<void> | undefined;
  /** From when on writes of others have not been looked at, and what was seen of the time shortly before. */
  #lookFrom = new Date(0);
  #seen = new Map<string, string>();

  constructor(options: FeedOptions) {
    this.#options = options;
  }

  /** How many subscribers wait here. */
  get size(): number {
    return this.#subscribers.size;
  }

  /** The sessions that a committed write concerns: named ones, and both sides of each watch that was told or ended. */
  announce({ opened = [], closed = [], changed = [] }: Announcement): void {
    if (this.#subscribers.size === 0 && this.#options.database.kind === "sqlite") return;
    const sessions = new Map(changed.map((session) => [identityOf(session), session]));
    for (const pair of [...opened, ...closed]) for (const each of sidesOf(pair)) sessions.set(identityOf(each), each);
    if (sessions.size === 0) return;
    this.hear([...sessions.values()]);
    this.#tellOthers(sessions);
  }

  /** Another process has changed these. */
  hear(sessions: readonly SessionIdentity[]): void {
    for (const subscriber of this.#subscribers) subscriber.hear(sessions);
  }

  /** Another process may have changed something: finds out what. Rejects with `StorageError`; then the next look does. */
  async look(): Promise<void> {
    const { database, clock, limits } = this.#options;
    if (this.#subscribers.size === 0) return;
    const now = clock.now();
    // A write may become visible that long after the time that it carries.
    const overlapMs = limits.databaseBusyMs;
    const touched = await sessionsTouchedSince(database.read, new Date(this.#lookFrom.getTime() - overlapMs));
    const fresh = touched.filter((each) => this.#seen.get(markedName(each)) !== each.mark);
    this.#seen = new Map(touched.map((each) => [markedName(each), each.mark]));
    this.#lookFrom = now;
    this.hear(fresh.flatMap(({ sessionKey, agentId }) => named(sessionKey, agentId)));
  }

  /** Hears of every change from now on; its first word is that everything is to be read. */
  subscribe(scope: SessionScope): SessionSubscriber {
    const subscriber: SessionSubscriber = new SessionSubscriber(scope, {
      read: (sessions, agents) => this.#read(sessions, agents),
      pace: (lastReadAt, signal) => {
        const waitMs = lastReadAt + this.#options.limits.sessionFeedPaceMs - performance.now();
        return waitMs > 0 ? sleep(waitMs, signal) : Promise.resolve();
      },
      failed: (error, signal) => {
        this.#options.log.warn({ err: error }, "could not read changed sessions; trying again");
        return sleep(this.#options.limits.crossProcessPollMs, signal);
      },
      ended: (ended) => this.#subscribers.delete(ended),
    });
    if (this.#stopped.signal.aborted) void subscriber.return();
    else {
      if (this.#subscribers.size === 0) this.#lookFrom = this.#options.clock.now();
      this.#subscribers.add(subscriber);
    }
    return subscriber;
  }

  /** Ends every subscriber. */
  async close(): Promise<void> {
    this.#stopped.abort();
    for (const subscriber of [...this.#subscribers]) void subscriber.return();
    await this.#telling;
  }

  async #read(sessions: readonly SessionIdentity[], agents: Agents): Promise<NamedChange[]> {
    const { read } = this.#options.database;
    const [found, counts] = await Promise.all([sessionsByName(read, sessions), countSessions(read, sessions, agents)]);
    const byName = new Map(found.map((session) => [identityOf(session), session]));
    return sessions.map((name, index) => {
      const session = byName.get(identityOf(name));
      const { sessionKey, agentId } = name;
      if (session === undefined) return { kind: "DELETED", sessionKey, agentId, session: null };
      return { kind: "CHANGED", sessionKey, agentId, session: { ...session, counts: counts[index] } };
    });
  }

  /** After the commit, gathered and not oftener than the pace: a hint that is lost costs others one slow poll. */
  #tellOthers(sessions: ReadonlyMap<string, SessionIdentity>): void {
    if (this.#options.database.kind === "sqlite") return; // its change counter says that there is something to look at
    for (const [id, session] of sessions) {
      if (this.#outbox.size >= outboxMax) this.#outboxFull = true;
      else this.#outbox.set(id, session);
    }
    this.#telling ??= this.#tell().finally(() => {
      this.#telling = undefined;
    });
  }

  async #tell(): Promise<void> {
    const { database, limits, log } = this.#options;
    while (this.#outbox.size > 0 && !this.#stopped.signal.aborted) {
      const told = this.#outboxFull ? null : [...this.#outbox.values()];
      this.#outbox = new Map();
      this.#outboxFull = false;
      await database
        .tellChanged(told)
        .catch((error: unknown) => log.warn({ err: error }, "could not tell other processes of changed sessions"));
      await sleep(limits.sessionFeedPaceMs, this.#stopped.signal);
    }
  }
}

function sidesOf(pair: PairIdentity): SessionIdentity[] {
  return [targetOf(pair), ...named(pair.watcherSessionKey, null)];
}

/** A bare key without its agent names no session. */
function named(sessionKey: string, agentId: string | null): SessionIdentity[] {
  const agent = agentId ?? agentOf(sessionKey);
  return agent === null ? [] : [{ sessionKey, agentId: agent }];
}

function markedName({ sessionKey, agentId }: { sessionKey: string; agentId: string | null }): string {
  return `${agentId ?? ""}\n${sessionKey}`;
}
