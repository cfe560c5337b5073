import type { Clock } from "../clock.js";
import type { Database } from "../storage/database.js";
import { StorageError } from "../storage/errors.js";
import type { Transaction } from "../storage/sql.js";
import type { Logger } from "./logger.js";
import type { NoticeFeed } from "./noticeFeed.js";
import type { Observer } from "./observer.js";
import { Refusal } from "./refusals.js";
import type { SessionFeed } from "./sessionFeed.js";
import { type Announcement, QueueFull, type Writer, type WriteTurn } from "./writer.js";

/** Bounds the domain keeps; their values and defaults stand in the configuration. */
export type DomainLimits = {
  readonly appendManyMax: number;
  readonly statusFirstMax: number;
  readonly listFirstMax: number;
  readonly listFirstDefault: number;
  readonly drainLimitMax: number;
  readonly drainLimitDefault: number;
  readonly acknowledgeMax: number;
  readonly queueMaxEvents: number;
  readonly queueMaxJobs: number;
  readonly batchMaxEvents: number;
  readonly deletedMemoryDays: number;
  readonly retentionBatchRows: number;
  readonly retentionGentleBatchRows: number;
  readonly retentionRestTimes: number;
  readonly retentionRestMaxMs: number;
  readonly retentionHurryShare: number;
  readonly retentionEveryMs: number;
  readonly retentionRetryMs: number;
  readonly watchExpiryDays: number;
  readonly watchBatchRows: number;
  readonly retentionSlackRows: number;
  readonly crossProcessPollMs: number;
  readonly crossProcessSlowPollMs: number;
  readonly sessionFeedPaceMs: number;
  readonly searchMaxChars: number;
  readonly labelMaxChars: number;
  readonly upstreamMissedMax: number;
  readonly ownPromptsMax: number;
  readonly upstreamCheckMs: number;
  readonly upstreamBackoffMaxMs: number;
};

/** What every part of the domain works with. */
export type Rooms = {
  readonly database: Database;
  readonly writer: Writer;
  readonly feed: NoticeFeed;
  readonly sessionFeed: SessionFeed;
  readonly clock: Clock;
  readonly log: Logger;
  readonly limits: DomainLimits;
  readonly observe: Observer;
  /** Aborts when nobody shall wait for another machine any more. */
  readonly stopping: AbortSignal;
  /** A read whose failure is the caller's to know: `SERVICE_UNAVAILABLE`. */
  reading<Result>(read: Promise<Result>): Promise<Result>;
  /** A write in its turn; the same on failure, and then nothing was written. */
  writing<Result>(
    work: (tx: Transaction, now: Date) => Promise<{ result: Result } & Announcement>,
    turn?: WriteTurn,
  ): Promise<Result>;
};

/** Turns a failing or overloaded database into a refusal that says what to do; everything else passes. */
export async function orUnavailable<Result>(log: Logger, work: Promise<Result>): Promise<Result> {
  try {
    return await work;
  } catch (error) {
    if (!(error instanceof StorageError || error instanceof QueueFull)) throw error;
    log.error({ err: error }, "storage unavailable");
    throw new Refusal(
      "SERVICE_UNAVAILABLE",
      "The database does not answer right now; nothing was changed. Try again.",
      {
        cause: error,
      },
    );
  }
}
