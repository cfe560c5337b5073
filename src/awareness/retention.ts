import { dayMs, sleep } from "../clock.js";
import { expiredCursors, removeCursors } from "../storage/cursors.js";
import { endingsKeptMs, forgetEndings } from "../storage/endings.js";
import { countEvents, type OldEvents, pruneOldest } from "../storage/events.js";
import { identityOf } from "../storage/newEvent.js";
import { targetOf } from "../storage/records.js";
import { forgetDeleted } from "../storage/sessions.js";
import { rememberedSince } from "./deletedMemory.js";
import type { Rooms } from "./rooms.js";
import { announceEnd, idsOf } from "./watches.js";

/**
 * What goes, and when (contract, section 8): old events, then rows beyond the cap, watches nobody moved, the memory of
 * deleted sessions. At start, then hourly, and whenever the cap is passed by some rows. Every batch is a short
 * transaction in the writer's queue, so appends go on between them.
 */
export class Retention {
  readonly #rooms: Rooms;
  readonly #keep: { days: number; rows: number };
  /** Rows at the last count, and the highest sequence then: together an upper bound for the rows now. */
  #counted: { rows: number; highest: number } | null = null;
  #highest = 0;
  #sweeping: Promise<void> | null = null;
  #stopped = new AbortController();

  constructor(rooms: Rooms, keep: { days: number; rows: number }) {
    this.#rooms = rooms;
    this.#keep = keep;
  }

  /** Sweeps now and then every hour, until `stop`. */
  start(): void {
    void this.#repeat();
  }

  async stop(): Promise<void> {
    this.#stopped.abort();
    await this.#sweeping?.catch(() => undefined);
  }

  /** The log has grown to this sequence. Counts rows only when there can be too many of them. */
  appended(highest: number): void {
    this.#highest = Math.max(this.#highest, highest);
    const counted = this.#counted;
    if (counted === null || this.#sweeping !== null) return;
    const atMost = counted.rows + this.#highest - counted.highest;
    if (atMost > this.#keep.rows + this.#rooms.limits.retentionSlackRows) void this.#sweepAndLog();
  }

  /** One whole pass; one at a time. Rejects when the database does not answer: the next pass goes on from there. */
  sweep(): Promise<void> {
    this.#sweeping ??= this.#pass().finally(() => {
      this.#sweeping = null;
    });
    return this.#sweeping;
  }

  async #repeat(): Promise<void> {
    while (!this.#stopped.signal.aborted) {
      await this.#sweepAndLog();
      await sleep(this.#rooms.limits.retentionEveryMs, this.#stopped.signal);
    }
  }

  async #sweepAndLog(): Promise<void> {
    await this.sweep().catch((error) => this.#rooms.log.warn({ err: error }, "retention did not finish"));
  }

  async #pass(): Promise<void> {
    const { clock, log } = this.#rooms;
    const cutoff = new Date(clock.now().getTime() - this.#keep.days * dayMs);
    const old = await this.#prune({ before: cutoff });
    const upTo = await this.#count();
    const surplus = upTo === null ? 0 : await this.#prune({ upTo });
    if (surplus > 0) await this.#count();
    const watches = await this.#expireWatches(cutoff);
    const memory = rememberedSince(this.#rooms, clock.now());
    await this.#rooms.writing(async (tx, now) => {
      await tx.lock([memoryOfDeleted]);
      await forgetEndings(tx, new Date(now.getTime() - endingsKeptMs));
      return { result: await forgetDeleted(tx, memory) };
    });
    if (old + surplus + watches > 0) log.info({ old, surplus, watches }, "retention");
  }

  /** Prunes in batches until none is left to go. Returns how many this process removed: others may sweep too. */
  async #prune(which: OldEvents): Promise<number> {
    const limit = this.#rooms.limits.retentionBatchRows;
    let total = 0;
    while (!this.#stopped.signal.aborted) {
      const { found, gone } = await this.#rooms.writing(async (tx) => ({
        result: await pruneOldest(tx, which, limit),
      }));
      if (found === 0) break;
      this.#rooms.observe.pruned(gone);
      total += gone;
    }
    return total;
  }

  /** Counts, and returns the sequence up to which there are too many rows; null when there are not. */
  async #count(): Promise<number | null> {
    const highest = this.#highest;
    const { rows, surplusUpTo } = await this.#rooms.reading(countEvents(this.#rooms.database.read, this.#keep.rows));
    this.#counted = { rows, highest };
    return surplusUpTo;
  }

  async #expireWatches(before: Date): Promise<number> {
    const limit = this.#rooms.limits.retentionBatchRows;
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

/** What processes that forget deleted sessions lock, so that they do so one after the other. */
const memoryOfDeleted = { sessionKey: "deleted_sessions", agentId: "" };
