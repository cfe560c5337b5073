import type { NoticeRecord } from "../storage/records.js";
import type { StaleNotice } from "./awareness.js";
import { Mailbox } from "./mailbox.js";
import { toStaleNotice } from "./staleNotice.js";
import type { Agents } from "./viewer.js";
import type { Announcement } from "./writer.js";

/** What happened to one watch while a subscriber read the truth: at most one notice and one end per watch. */
type Missed = { opened: NoticeRecord | null; closedUpTo: number };

/** What a read of the truth found on `targets` (null: on all); null when it failed. */
type ReadResult = { pending: readonly NoticeRecord[]; targets: ReadonlySet<string> | null } | null;
/** A read of the truth, without a result as long as it is under way. */
type Read = { result: ReadResult | undefined };

/** Who keeps the subscribers: told when one has ended, and of every notice that one is handed. */
type Owner = { ended(subscriber: Subscriber): void; delivered(): void };

/**
 * One subscriber: catching up from the database and hearing of new notices, as one stream. What is announced while
 * it reads is kept aside, one slot per watch, and applied after what it read.
 */
export class Subscriber implements AsyncIterableIterator<StaleNotice> {
  /** Null hears of every watcher. */
  readonly watcher: string | null;
  /** Hears of nothing but their sessions. */
  readonly #agents: Agents;
  /** None until there is something to put into it: most subscribers wait for a long time. */
  #mailbox: Mailbox | undefined;
  readonly #owner: Owner;
  /** Reads in the order they began, until the last of them is over. */
  readonly #reads: Read[] = [];
  /** What is announced meanwhile; null while nothing is being read. */
  #missed: Map<number, Missed> | null = null;
  #waiting: ((result: IteratorResult<StaleNotice>) => void)[] = [];
  #done = false;

  constructor(watcher: string | null, agents: Agents, owner: Owner) {
    this.watcher = watcher;
    this.#agents = agents;
    this.#owner = owner;
  }

  /**
   * A read of the truth begins: until what comes back is called with its result, nothing is delivered and what is
   * announced waits aside. Reads that overlap can end in any order and count in the order they began, because the one
   * that began last saw all that the others were begun for.
   */
  catchUp(): (result: ReadResult) => void {
    const read: Read = { result: undefined };
    this.#reads.push(read);
    this.#missed ??= new Map();
    return (result) => {
      read.result = result;
      if (this.#reads.every((each) => each.result !== undefined)) this.#caughtUp();
    };
  }

  hear({ opened = [], closed = [] }: Announcement): void {
    const missed = this.#missed;
    for (const { watchId, upTo } of closed) {
      if (missed) missed.set(watchId, { opened: null, closedUpTo: upTo });
      else this.#mailbox?.close(watchId, upTo);
    }
    for (const notice of this.#own(opened)) {
      const closedUpTo = missed?.get(notice.watchId)?.closedUpTo ?? 0;
      if (missed) missed.set(notice.watchId, { opened: notice, closedUpTo });
      else this.#box().offer(notice);
    }
    this.#deliver();
  }

  next(): Promise<IteratorResult<StaleNotice>> {
    if (this.#done) return Promise.resolve({ value: undefined, done: true });
    const notice = this.#missed === null ? this.#mailbox?.take() : undefined;
    if (notice !== undefined) return Promise.resolve(this.#hand(notice));
    return new Promise((resolve) => this.#waiting.push(resolve));
  }

  /** Ends the subscriber at once, also while it waits. */
  return(): Promise<IteratorResult<StaleNotice>> {
    if (!this.#done) {
      this.#done = true;
      this.#owner.ended(this);
      for (const resolve of this.#waiting.splice(0)) resolve({ value: undefined, done: true });
    }
    return Promise.resolve({ value: undefined, done: true });
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  /** Takes over what was read, then what was announced meanwhile. */
  #caughtUp(): void {
    for (const { result } of this.#reads.splice(0)) {
      const pending = this.#own(result?.pending ?? []);
      const box = pending.length > 0 ? this.#box() : this.#mailbox;
      if (result != null) box?.replace(pending, result.targets);
    }
    for (const [watchId, { opened, closedUpTo }] of this.#missed ?? []) {
      this.#mailbox?.close(watchId, closedUpTo);
      if (opened !== null) this.#box().offer(opened);
    }
    this.#missed = null;
    this.#deliver();
  }

  #deliver(): void {
    while (this.#waiting.length > 0 && this.#missed === null) {
      const notice = this.#mailbox?.take();
      if (notice === undefined) return;
      this.#waiting.shift()?.(this.#hand(notice));
    }
  }

  #box(): Mailbox {
    this.#mailbox ??= new Mailbox();
    return this.#mailbox;
  }

  #own(notices: readonly NoticeRecord[]): readonly NoticeRecord[] {
    const agents = this.#agents;
    return agents === null ? notices : notices.filter(({ targetAgentId }) => agents.has(targetAgentId));
  }

  #hand(notice: NoticeRecord): IteratorResult<StaleNotice> {
    this.#owner.delivered();
    return { value: toStaleNotice(notice), done: false };
  }
}
