import { dayMs, sleep } from "../clock.js";
import { expiredCursors, removeCursors } from "../storage/cursors.js";
import { endingsKeptMs, forgetEndings } from "../storage/endings.js";
import { identityOf } from "../storage/newEvent.js";
import { targetOf } from "../storage/records.js";
import { forgetDeleted } from "../storage/sessions.js";
import type { Transaction } from "../storage/sql.js";
import { rememberedSince } from "./deletedMemory.js";
import { LogPruning } from "./logPruning.js";
import type { Rooms } from "./rooms.js";
import { announceEnd, idsOf } from "./watches.js";

/**
 * What goes, and when (contract, section 8): old events, then rows beyond the cap, watches nobody moved, the memory of
 * deleted sessions. At start, then hourly, and whenever the cap is passed by some rows. Every batch is a short
 * transaction in the writer's queue, so appends go on between them.
 */
export class Retention {
  readonly #rooms: Rooms;
  readonly #keepDays: number;
  readonly #log: LogPruning;
  #sweeping: Promise<void> | null = null;
  #stopped = new AbortController();

  constructor(rooms: Rooms, keep: { days: number; rows: number }) {
    this.#rooms = rooms;
    this.#keepDays = keep.days;
    this.#log = new LogPruning(rooms, keep.rows, this.#stopped.signal);
  }

  /** Sweeps now and then every hour, until `stop`. */
  start(): void {
    void this.#repeat();
  }

  async stop(): Promise<void> {
    this.#stopped.abort();
    await this.#sweeping?.catch(() => undefined);
  }

  /** The log has grown to this sequence. Sweeps, and so counts rows, only when there can be too many of them. */
  appended(highest: number): void {
    this.#log.grown(highest);
    this.#lookAgain();
  }

  /**
   * One whole pass; one at a time, and another one when the cap was passed again meanwhile. While others write it takes
   * its time: see `LogPruning`. Rejects when the database does not answer: the next pass goes on from there.
   */
  sweep(): Promise<void> {
    this.#sweeping ??= this.#onePass();
    return this.#sweeping;
  }

  async #onePass(): Promise<void> {
    try {
      await this.#pass();
    } finally {
      this.#sweeping = null;
    }
    // Only now, and not after a failure, which would be tried again without end.
    this.#lookAgain();
  }

  #lookAgain(): void {
    if (this.#stopped.signal.aborted || this.#sweeping !== null) return;
    if (this.#log.mayBeTooLong) void this.#sweepAndLog();
  }

  async #repeat(): Promise<void> {
    const { retentionEveryMs, retentionRetryMs } = this.#rooms.limits;
    while (!this.#stopped.signal.aborted) {
      const finished = await this.#sweepAndLog();
      await sleep(finished ? retentionEveryMs : retentionRetryMs, this.#stopped.signal);
    }
  }

  /** Whether it finished. */
  async #sweepAndLog(): Promise<boolean> {
    try {
      await this.sweep();
      return true;
    } catch (error) {
      this.#rooms.log.warn({ err: error }, "retention did not finish");
      return false;
    }
  }

  async #pass(): Promise<void> {
    const { clock, log, limits } = this.#rooms;
    const daysAgo = (days: number) => new Date(clock.now().getTime() - days * dayMs);
    const { old, surplus } = await this.#log.prune(daysAgo(this.#keepDays));
    const watches = await this.#expireWatches(daysAgo(limits.watchExpiryDays));
    await this.#forget((tx, now, limit) => forgetDeleted(tx, rememberedSince(this.#rooms, now), limit));
    await this.#forget((tx, now, limit) => forgetEndings(tx, new Date(now.getTime() - endingsKeptMs), limit));
    if (old + surplus + watches > 0) log.info({ old, surplus, watches }, "retention");
  }

  /** Forgets in batches what no session is locked for. */
  async #forget(some: (tx: Transaction, now: Date, limit: number) => Promise<number>): Promise<void> {
    const limit = this.#rooms.limits.retentionBatchRows;
    let gone = limit;
    while (gone === limit && !this.#stopped.signal.aborted) {
      gone = await this.#rooms.writing(async (tx, now) => {
        await tx.lock([memory]);
        return { result: await some(tx, now, limit) };
      });
    }
  }

  async #expireWatches(before: Date): Promise<number> {
    const limit = this.#rooms.limits.watchBatchRows;
    let gone = 0;
    while (!this.#stopped.signal.aborted) {
      const { found, ended } = await this.#rooms.writing(async (tx, now) => {
        const old = await expiredCursors(tx, before, limit);
        await tx.lock(old.map(targetOf));
        // Somebody may have moved them before the lock; and only targets that are locked stay as they are.
        const held = new Set(old.map((watch) => identityOf(targetOf(watch))));
        const again = await expiredCursors(tx, before, limit);
        const expired = again.filter((watch) => held.has(identityOf(targetOf(watch))));
        await removeCursors(tx, idsOf(expired), now);
        return { result: { found: old.length, ended: expired.length }, ...announceEnd(expired) };
      });
      gone += ended;
      if (found < limit) return gone;
    }
    return gone;
  }
}

/** What processes that forget lock, so that they do so one after the other. */
const memory = { sessionKey: "deleted_sessions", agentId: "" };
