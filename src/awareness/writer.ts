import type { Clock } from "../clock.js";
import { type AppendOutcome, commitBatch } from "../storage/batches.js";
import type { Database } from "../storage/database.js";
import { identityOf, type NewEvent } from "../storage/newEvent.js";
import { type NoticeRecord, type PairIdentity, type SessionIdentity, targetOf } from "../storage/records.js";
import type { Transaction } from "../storage/sql.js";
import { type AppendJob, nextTurn, runWrite, type WriteJob } from "./writerJobs.js";

/** The queue is full, or the writer has stopped: nothing was taken. */
export class QueueFull extends Error {}

/** What a committed write means for those who wait for notices. */
export type Announcement = {
  readonly opened?: readonly NoticeRecord[];
  /** Notices of these watches up to `upTo` are no longer pending. */
  readonly closed?: readonly (PairIdentity & { watchId: number; upTo: number })[];
  /** Watches that began or moved, with no notice opened or covered. */
  readonly moved?: readonly PairIdentity[];
  /** Sessions that changed in any other way, for those who follow sessions. */
  readonly changed?: readonly SessionIdentity[];
};

/**
 * `between` is right after the next job, however many wait: between any two of them there is at most one such write.
 * For one who has a single one under way, so the queue's bound does not count it.
 */
export type WriteTurn = "last" | "between";

type WriterOptions = {
  database: Database;
  clock: Clock;
  /** Called right after a commit, before the caller hears of it and before the next commit begins. */
  announce(announcement: Announcement): void;
  /** Called after each batch: how many events, and how long it took. */
  committed(events: number, ms: number): void;
  /** Called after a batch with the highest sequence it gave out. */
  appended(highest: number): void;
  limits: { queueMaxEvents: number; queueMaxJobs: number; batchMaxEvents: number };
};

/**
 * The one writer of this process. While a commit runs, appends queue; then all of them become one transaction. A lone
 * append is committed at once: there is no timer. Jobs keep their order, but for those that ask to go between them.
 */
export class Writer {
  readonly #options: WriterOptions;
  #queue: (AppendJob | WriteJob)[] = [];
  #between: WriteJob[] = [];
  #queuedEvents = 0;
  #taken = 0;
  #stopped = false;
  #loop: Promise<void> = Promise.resolve();
  #running = false;

  constructor(options: WriterOptions) {
    this.#options = options;
  }

  /** What waits for its commit. */
  get queued(): { events: number; jobs: number } {
    return { events: this.#queuedEvents, jobs: this.#queue.length + this.#between.length };
  }

  /** How many calls it has ever taken: two readings tell whether anybody wrote in between. */
  get taken(): number {
    return this.#taken;
  }

  /** Appends events in one transaction, in order. Rejects with `QueueFull` or `StorageError`; then none is kept, as `Database.write` says. */
  append(events: readonly NewEvent[]): Promise<AppendOutcome[]> {
    if (this.#stopped || this.#queuedEvents + events.length > this.#options.limits.queueMaxEvents) {
      return Promise.reject(new QueueFull("the queue of appends is full"));
    }
    this.#queuedEvents += events.length;
    return new Promise((resolve, reject) =>
      this.#push(this.#queue, { kind: "append", queuedAt: performance.now(), events, resolve, reject }),
    );
  }

  /** Runs one write of another sort in its own transaction, in its turn, and announces what it reports. */
  write<Result>(
    work: (tx: Transaction, now: Date) => Promise<{ result: Result } & Announcement>,
    turn: WriteTurn = "last",
  ): Promise<Result> {
    if (this.#stopped || (turn === "last" && this.#queue.length >= this.#options.limits.queueMaxJobs)) {
      return Promise.reject(new QueueFull("the queue of writes is full"));
    }
    const { database, clock, announce } = this.#options;
    const queuedAt = performance.now();
    return new Promise((resolve, reject) => {
      const run = async () => {
        const { result, ...announcement } = await database.write(async (tx) => {
          const done = await work(tx, clock.now());
          await tellOthers(tx, done);
          return done;
        }, queuedAt);
        announce(announcement);
        resolve(result);
      };
      this.#push(turn === "between" ? this.#between : this.#queue, { kind: "write", run, reject });
    });
  }

  /** Takes nothing more, and resolves when everything taken is settled. */
  async stop(): Promise<void> {
    this.#stopped = true;
    await this.#loop;
  }

  #push<Job>(queue: Job[], job: Job): void {
    this.#taken += 1;
    queue.push(job);
    if (this.#running) return;
    this.#running = true;
    this.#loop = this.#drain();
  }

  async #drain(): Promise<void> {
    while (this.#queue.length + this.#between.length > 0) {
      const [first] = this.#queue;
      if (first?.kind === "write") {
        this.#queue.shift();
        await runWrite(first);
      } else if (first !== undefined) {
        await this.#gather();
        await this.#commit(this.#takeBatch());
      }
      const between = this.#between.shift();
      if (between !== undefined) await runWrite(between);
    }
    this.#running = false;
  }

  /**
   * Waits while the queue grows by what is on its way without waiting: callers that were just answered, and requests
   * that lie in sockets. One turn of the event loop, some microseconds, for a lone append.
   */
  async #gather(): Promise<void> {
    let before: number;
    do {
      before = this.#queuedEvents;
      await nextTurn();
    } while (this.#queuedEvents > before && this.#queuedEvents < this.#options.limits.batchMaxEvents);
  }

  /** The appends at the front of the queue, whole calls only, up to the size of a batch (a larger call goes alone). */
  #takeBatch(): AppendJob[] {
    const batch: AppendJob[] = [];
    let events = 0;
    for (const job of this.#queue) {
      if (job.kind !== "append") break;
      if (batch.length > 0 && events + job.events.length > this.#options.limits.batchMaxEvents) break;
      batch.push(job);
      events += job.events.length;
    }
    this.#queue.splice(0, batch.length);
    this.#queuedEvents -= events;
    return batch;
  }

  async #commit(batch: readonly AppendJob[]): Promise<void> {
    const { database, clock, announce, committed, appended } = this.#options;
    const begun = performance.now();
    const events = batch.flatMap((job) => job.events);
    try {
      const { outcomes, opened } = await database.write(async (tx) => {
        const committed = await commitBatch(tx, events, clock.now());
        await tellOthers(tx, committed);
        return committed;
      }, batch[0]?.queuedAt);
      committed(events.length, performance.now() - begun);
      announce({ opened, changed: outcomes.flatMap((each) => (each.kind === "recorded" ? each.event : [])) });
      let next = 0;
      for (const job of batch) {
        job.resolve(outcomes.slice(next, next + job.events.length));
        next += job.events.length;
      }
      const last = outcomes.findLast((outcome) => outcome.kind === "recorded");
      if (last?.kind === "recorded") appended(last.event.sequence);
    } catch (error) {
      for (const job of batch) job.reject(error);
    }
  }
}

/** Other processes hear which targets to look at, in the same transaction: with its commit or not at all. */
async function tellOthers(tx: Transaction, { opened = [], closed = [] }: Announcement): Promise<void> {
  if (opened.length + closed.length === 0) return;
  await tx.tellOthers(() => {
    const targets = new Map([...opened, ...closed].map((pair) => [identityOf(targetOf(pair)), targetOf(pair)]));
    return [...targets.values()];
  });
}
