import { sleep } from "../clock.js";
import { countEvents, type OldEvents, pruneOldest } from "../storage/pruning.js";
import type { Rooms } from "./rooms.js";

/**
 * Keeps the log to its age and its cap (contract, section 8), in short transactions of the writer's queue.
 *
 * While others write, a batch is small and followed by a rest: few of them meet a batch, and each of those a short one.
 * That can be slower than the log grows. So from far beyond the cap until it is near again, batches are large, without
 * rest, and have a place between any two commits. Only writes of this process count as others.
 */
export class LogPruning {
  readonly #rooms: Rooms;
  readonly #keepRows: number;
  readonly #stopped: AbortSignal;
  /** Rows at the last count, less what was pruned since, and the highest sequence then: see `#atMostRows`. */
  #counted: { rows: number; highest: number } | null = null;
  #highest = 0;
  #hurrying = false;

  constructor(rooms: Rooms, keepRows: number, stopped: AbortSignal) {
    this.#rooms = rooms;
    this.#keepRows = keepRows;
    this.#stopped = stopped;
  }

  /** The log has grown to this sequence. */
  grown(highest: number): void {
    this.#highest = Math.max(this.#highest, highest);
  }

  /** Whether the cap may be passed by so much that somebody has to look. False until the first pass has counted. */
  get mayBeTooLong(): boolean {
    return this.#counted !== null && this.#atMostRows > this.#keepRows + this.#rooms.limits.retentionSlackRows;
  }

  /**
   * Prunes what happened before `cutoff`, then what is beyond the cap. What came meanwhile is for the next pass, unless
   * it is in a hurry. Says how many rows this process removed: others may prune too.
   */
  async prune(cutoff: Date): Promise<{ old: number; surplus: number }> {
    if (this.#counted === null) await this.#count();
    const old = await this.#pruneAll({ before: cutoff });
    let surplus = 0;
    do {
      const upTo = await this.#count();
      if (upTo === null) break;
      surplus += await this.#pruneAll({ upTo });
    } while (this.#hurrying && !this.#stopped.aborted);
    return { old, surplus };
  }

  async #pruneAll(which: OldEvents): Promise<number> {
    const { writer, observe, limits } = this.#rooms;
    let total = 0;
    let busy = true; // nobody knows before the first batch
    while (!this.#stopped.aborted) {
      const hurry = this.#mustHurry();
      const limit = busy && !hurry ? this.#gentleRows : limits.retentionBatchRows;
      const taken = writer.taken;
      const { found, gone, ms } = await this.#pruneBatch(which, limit, hurry);
      if (gone > 0) observe.pruned(gone);
      total += gone;
      if (found < limit) break;
      if (hurry) continue;
      await sleep(0, this.#stopped); // a turn, in which those who wait in sockets are heard
      busy = writer.taken > taken + 1;
      if (busy) await sleep(Math.min(ms * limits.retentionRestTimes, limits.retentionRestMaxMs), this.#stopped);
    }
    return total;
  }

  /** One batch, and how long it took without the wait for its turn. */
  async #pruneBatch(which: OldEvents, limit: number, hurry: boolean) {
    let begun = 0;
    const batch = await this.#rooms.writing(
      async (tx) => {
        begun = performance.now();
        return { result: await pruneOldest(tx, which, limit) };
      },
      hurry ? "between" : "last",
    );
    if (this.#counted !== null) this.#counted.rows -= batch.gone;
    return { ...batch, ms: performance.now() - begun };
  }

  /** Counts, and returns the sequence up to which there are too many rows; null when there are not. */
  async #count(): Promise<number | null> {
    const before = this.#highest;
    const found = await this.#rooms.reading(countEvents(this.#rooms.database.read, this.#keepRows));
    // What was appended before may have been deleted with its session.
    const highest = Math.max(before, found.highest);
    this.grown(highest);
    this.#counted = { rows: found.rows, highest };
    return found.surplusUpTo;
  }

  /** An upper bound for the rows there are: other processes may have pruned, and some sequences may be unused. */
  get #atMostRows(): number {
    return this.#counted === null ? 0 : this.#counted.rows + this.#highest - this.#counted.highest;
  }

  /** It begins beyond the slack, below which nobody prunes, and ends there. */
  #mustHurry(): boolean {
    const { retentionSlackRows: slack, retentionHurryShare: share } = this.#rooms.limits;
    const far = this.#hurrying ? 0 : this.#keepRows * share;
    this.#hurrying = this.#atMostRows > this.#keepRows + slack + far;
    return this.#hurrying;
  }

  get #gentleRows(): number {
    return Math.min(this.#rooms.limits.retentionGentleBatchRows, this.#rooms.limits.retentionBatchRows);
  }
}
