import type { Clock } from "../clock.js";
import { systemClock } from "../clock.js";
import type { DatabaseLocation } from "../storage/database.js";
import { openDatabase } from "../storage/openDatabase.js";
import { countPending } from "../storage/pending.js";
import { sql } from "../storage/sql.js";
import type { AppendInput, Awareness } from "./awareness.js";
import { changes } from "./changes.js";
import { CrossProcess } from "./crossProcess.js";
import type { Logger } from "./logger.js";
import { nodes } from "./nodes.js";
import { NoticeFeed } from "./noticeFeed.js";
import { notices } from "./notices.js";
import { nobody, type Observer } from "./observer.js";
import { badInput } from "./refusals.js";
import { Retention } from "./retention.js";
import { type DomainLimits, orUnavailable, type Rooms } from "./rooms.js";
import { SessionFeed } from "./sessionFeed.js";
import { checkAgentId, checkKey } from "./sessionKey.js";
import { sessions } from "./sessions.js";
import { append } from "./signalLog.js";
import { createTokens, type Tokens } from "./tokens.js";
import { type MonitorDesk, monitorDesk, upstream } from "./upstream.js";
import { noSources, type UpstreamSources } from "./upstreamSources.js";
import { watches } from "./watches.js";
import { Writer } from "./writer.js";

export type AwarenessOptions = {
  database: DatabaseLocation;
  retentionDays: number;
  retentionRows: number;
  limits: DomainLimits & { databaseBusyMs: number; databaseStatementMs?: number; tokenPollMs: number };
  /** Let in as an admin beside the stored tokens. */
  adminToken?: string | null;
  clock?: Clock;
  log: Logger;
  observe?: Observer;
  /** Other tools' threads; without them there is nothing to adopt. */
  sources?: UpstreamSources;
};

/** The domain, and what only its owner calls. */
export type RunningAwareness = Awareness & {
  /** Who may come in. */
  tokens: Tokens;
  /** One whole retention pass, now. */
  sweep(): Promise<void>;
  /** How many subscribers wait in this process. */
  subscriberCount(): number;
  /** What waits for its commit in this process. */
  queued(): { events: number; jobs: number };
  /** How many notices are pending, of all watchers. Refuses with `SERVICE_UNAVAILABLE`. */
  openNotices(): Promise<number>;
  /** Before `stop`, while calls are still answered: those that wait for another machine are refused now. */
  endWaits(): void;
  /** For the monitor of this process. */
  monitoring: MonitorDesk;
  /** Calls back when there may be another link to check, until the function that comes back is called. */
  onLinksChanged(listener: () => void): () => void;
};

/** Opens the database, starts retention and joins the parts. Rejects with `StartError`. */
export async function createAwareness(options: AwarenessOptions): Promise<RunningAwareness> {
  const { limits, log, clock = systemClock, sources = noSources, observe = nobody } = options;
  const { databaseBusyMs: busyMs, databaseStatementMs: statementMs } = limits;
  const database = await openDatabase(options.database, { busyMs, statementMs });
  const feed = new NoticeFeed(database, () => observe.delivered());
  const sessionFeed = new SessionFeed({ database, clock, log, limits });
  const writer = new Writer({
    database,
    clock,
    limits,
    announce(announcement) {
      feed.announce(announcement);
      sessionFeed.announce(announcement);
    },
    committed: (events, ms) => observe.committed(events, ms),
    appended: (highest) => retention.appended(highest),
  });
  const ending = new AbortController();
  const rooms: Rooms = {
    database,
    writer,
    feed,
    sessionFeed,
    clock,
    log,
    limits,
    observe,
    stopping: ending.signal,
    reading: (read) => orUnavailable(log, read),
    writing: (work, turn) => orUnavailable(log, writer.write(work, turn)),
  };
  const retention = new Retention(rooms, { days: options.retentionDays, rows: options.retentionRows });
  const crossProcess = new CrossProcess(rooms);
  const { tokenPollMs: pollMs } = limits;
  const tokens = createTokens({ database, clock, log, pollMs, adminSecret: options.adminToken ?? null });
  retention.start();
  crossProcess.start();
  tokens.start();

  const linkListeners = new Set<() => void>();
  const linksChanged = <Result>(result: Result): Result => {
    for (const listener of linkListeners) listener();
    return result;
  };
  const watching = watches(rooms);
  const adopting = upstream(rooms, sources);

  let stopping: Promise<void> | undefined;
  async function stop(): Promise<void> {
    ending.abort();
    feed.close();
    await Promise.all([sessionFeed.close(), retention.stop(), crossProcess.stop(), tokens.stop()]);
    await writer.stop();
    await database.close();
  }

  return {
    tokens,
    async append(input) {
      const [result] = await append(rooms, [input], () => "");
      if (result === undefined) throw new Error("one append has one answer");
      return result;
    },
    async appendMany(inputs: readonly AppendInput[]) {
      if (inputs.length < 1 || inputs.length > limits.appendManyMax) {
        throw badInput("inputs", `appendMany takes 1 to ${limits.appendManyMax} inputs, not ${inputs.length}.`);
      }
      return append(rooms, inputs, (index) => `inputs[${index}].`);
    },
    ...watching,
    watch: (input) => watching.watch(input).then(linksChanged),
    ...adopting,
    adoptSession: (input) => adopting.adoptSession(input).then(linksChanged),
    ...notices(rooms),
    ...changes(rooms),
    ...sessions(rooms),
    ...nodes(rooms),
    async subscribe(watcherSessionKey, agents = null) {
      const watcher = watcherSessionKey === null ? null : checkKey(watcherSessionKey, "watcherSessionKey");
      return rooms.reading(feed.subscribe(watcher, agents));
    },
    async sessionChanges({ agentId, agents = null } = {}) {
      return sessionFeed.subscribe({ agentId: agentId == null ? null : checkAgentId(agentId, "agentId"), agents });
    },
    ready: () =>
      database.read.query(sql`SELECT 1 AS one`).then(
        () => true,
        () => false,
      ),
    sweep: () => retention.sweep(),
    subscriberCount: () => feed.size + sessionFeed.size,
    queued: () => writer.queued,
    openNotices: () => rooms.reading(countPending(database.read, null)),
    monitoring: monitorDesk(rooms),
    onLinksChanged(listener) {
      linkListeners.add(listener);
      return () => linkListeners.delete(listener);
    },
    endWaits: () => ending.abort(),
    stop: () => {
      stopping ??= stop();
      return stopping;
    },
  };
}
