import type { NoticeRecord } from "../storage/records.js";
import type { StaleNotice } from "./awareness.js";
import { Mailbox } from "./mailbox.js";
import { toStaleNotice } from "./staleNotice.js";
import type { Announcement } from "./writer.js";

/** What happened to one watch while a subscriber read the truth: at most one notice and one end per watch. */
type Missed = { opened: NoticeRecord | null; closedUpTo: number };

/**
 * One subscriber: catching up from the database and hearing of new notices, as one stream. What is announced while
 * it reads is kept aside, one slot per watch, and applied after what it read.
 */
export class Subscriber implements AsyncIterableIterator<StaleNotice> {
  /** Null hears of every watcher. */
  readonly watcher: string | null;
  readonly #mailbox = new Mailbox();
  readonly #ended: (subscriber: Subscriber) => void;
  /** Reads under way; what is announced since the first of them began is in `#missed`. */
  #reads = 0;
  readonly #missed = new Map<number, Missed>();
  #waiting: ((result: IteratorResult<StaleNotice>) => void)[] = [];
  #done = false;

  constructor(watcher: string | null, ended: (subscriber: Subscriber) => void) {
    this.watcher = watcher;
    this.#ended = ended;
  }

  /** A read of the truth begins: until its `caughtUp`, nothing is delivered and what is announced waits aside. */
  catchUp(): void {
    this.#reads += 1;
  }

  /** Takes over what was read on `targets` (null when the read failed), then what was announced meanwhile. */
  caughtUp(pending: readonly NoticeRecord[] | null, targets: ReadonlySet<string> | null = null): void {
    this.#reads -= 1;
    if (pending !== null) this.#mailbox.replace(pending, targets);
    if (this.#reads > 0) return;
    for (const [watchId, { opened, closedUpTo }] of this.#missed) {
      this.#mailbox.close(watchId, closedUpTo);
      if (opened !== null) this.#mailbox.offer(opened);
    }
    this.#missed.clear();
    this.#deliver();
  }

  hear({ opened = [], closed = [] }: Announcement): void {
    const reading = this.#reads > 0;
    for (const { watchId, upTo } of closed) {
      if (reading) this.#missed.set(watchId, { opened: null, closedUpTo: upTo });
      else this.#mailbox.close(watchId, upTo);
    }
    for (const notice of opened) {
      const closedUpTo = this.#missed.get(notice.watchId)?.closedUpTo ?? 0;
      if (reading) this.#missed.set(notice.watchId, { opened: notice, closedUpTo });
      else this.#mailbox.offer(notice);
    }
    this.#deliver();
  }

  next(): Promise<IteratorResult<StaleNotice>> {
    if (this.#done) return Promise.resolve({ value: undefined, done: true });
    const notice = this.#reads === 0 ? this.#mailbox.take() : undefined;
    if (notice !== undefined) return Promise.resolve({ value: toStaleNotice(notice), done: false });
    return new Promise((resolve) => this.#waiting.push(resolve));
  }

  /** Ends the subscriber at once, also while it waits. */
  return(): Promise<IteratorResult<StaleNotice>> {
    if (!this.#done) {
      this.#done = true;
      this.#ended(this);
      for (const resolve of this.#waiting.splice(0)) resolve({ value: undefined, done: true });
    }
    return Promise.resolve({ value: undefined, done: true });
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  #deliver(): void {
    while (this.#waiting.length > 0 && this.#reads === 0) {
      const notice = this.#mailbox.take();
      if (notice === undefined) return;
      this.#waiting.shift()?.({ value: toStaleNotice(notice), done: false });
    }
  }
}
