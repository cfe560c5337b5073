import type { Clock } from "../clock.js";
import { systemClock } from "../clock.js";
import type { DatabaseLocation } from "../storage/database.js";
import { openDatabase } from "../storage/openDatabase.js";
import { sql } from "../storage/sql.js";
import type { AppendInput, Awareness } from "./awareness.js";
import { changes } from "./changes.js";
import { CrossProcess } from "./crossProcess.js";
import type { Logger } from "./logger.js";
import { NoticeFeed } from "./noticeFeed.js";
import { notices } from "./notices.js";
import { badInput } from "./refusals.js";
import { Retention } from "./retention.js";
import { type DomainLimits, orUnavailable, type Rooms } from "./rooms.js";
import { checkKey } from "./sessionKey.js";
import { sessions } from "./sessions.js";
import { append } from "./signalLog.js";
import { watches } from "./watches.js";
import { Writer } from "./writer.js";

export type AwarenessOptions = {
  database: DatabaseLocation;
  retentionDays: number;
  retentionRows: number;
  limits: DomainLimits & { databaseBusyMs: number };
  clock?: Clock;
  log: Logger;
};

/** The domain, and what only its owner calls. */
export type RunningAwareness = Awareness & {
  /** One whole retention pass, now. */
  sweep(): Promise<void>;
  /** How many subscribers wait in this process. */
  subscriberCount(): number;
};

/** Opens the database, starts retention and joins the parts. Rejects with `StartError`. */
export async function createAwareness(options: AwarenessOptions): Promise<RunningAwareness> {
  const { limits, log, clock = systemClock } = options;
  const database = await openDatabase(options.database, { busyMs: limits.databaseBusyMs });
  const feed = new NoticeFeed(database);
  const writer = new Writer({
    database,
    clock,
    limits,
    announce: (announcement) => feed.announce(announcement),
    appended: (highest) => retention.appended(highest),
  });
  const rooms: Rooms = {
    database,
    writer,
    feed,
    clock,
    log,
    limits,
    reading: (read) => orUnavailable(log, read),
    writing: (work) => orUnavailable(log, writer.write(work)),
  };
  const retention = new Retention(rooms, { days: options.retentionDays, rows: options.retentionRows });
  const crossProcess = new CrossProcess(rooms);
  retention.start();
  crossProcess.start();

  let stopping: Promise<void> | undefined;
  async function stop(): Promise<void> {
    feed.close();
    await Promise.all([retention.stop(), crossProcess.stop()]);
    await writer.stop();
    await database.close();
  }

  return {
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
    ...watches(rooms),
    ...notices(rooms),
    ...changes(rooms),
    ...sessions(rooms),
    async subscribe(watcherSessionKey) {
      const watcher = watcherSessionKey === null ? null : checkKey(watcherSessionKey, "watcherSessionKey");
      return rooms.reading(feed.subscribe(watcher));
    },
    ready: () =>
      database.read.query(sql`SELECT 1 AS one`).then(
        () => true,
        () => false,
      ),
    sweep: () => retention.sweep(),
    subscriberCount: () => feed.size,
    stop: () => {
      stopping ??= stop();
      return stopping;
    },
  };
}
