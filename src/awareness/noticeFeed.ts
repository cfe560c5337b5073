import { pendingNoticesOf } from "../storage/cursors.js";
import type { Database } from "../storage/database.js";
import { identityOf } from "../storage/newEvent.js";
import type { NoticeRecord, SessionIdentity } from "../storage/records.js";
import { Subscriber } from "./subscriber.js";
import type { Announcement } from "./writer.js";

/**
 * Who waits for notices in this process, and what they are told (contract, section 7). Announcements are hints; the
 * cursors are the truth, and are read when a subscriber comes and whenever a hint may have been lost.
 */
export class NoticeFeed {
  readonly #database: Database;
  readonly #byWatcher = new Map<string, Set<Subscriber>>();
  readonly #ofAll = new Set<Subscriber>();
  #size = 0;
  #closed = false;

  constructor(database: Database) {
    this.#database = database;
  }

  /** How many subscribers wait here. */
  get size(): number {
    return this.#size;
  }

  /** Tells those concerned. Cost grows with the notices and the subscribers they reach, not with all subscribers. */
  announce(announcement: Announcement): void {
    const { opened = [], closed = [] } = announcement;
    if (this.#size === 0) return;
    for (const subscriber of this.#ofAll) subscriber.hear(announcement);
    if (this.#byWatcher.size === 0) return;
    // A notice that closes and one that reopens the same watch come in this order.
    for (const end of closed) {
      for (const subscriber of this.#byWatcher.get(end.watcherSessionKey) ?? []) subscriber.hear({ closed: [end] });
    }
    for (const notice of opened) {
      for (const subscriber of this.#byWatcher.get(notice.watcherSessionKey) ?? [])
        subscriber.hear({ opened: [notice] });
    }
  }

  /**
   * A subscriber that has read what is pending and hears of everything since: it is registered before it reads.
   * Rejects with `StorageError` when the read fails; then nothing is left behind.
   */
  async subscribe(watcher: string | null): Promise<Subscriber> {
    const subscriber = new Subscriber(watcher, (ended) => this.#remove(ended));
    subscriber.catchUp();
    this.#add(subscriber);
    try {
      const watchers = watcher === null ? null : [watcher];
      subscriber.caughtUp(await pendingNoticesOf(this.#database.read, { watchers, targets: null }));
    } catch (error) {
      await subscriber.return();
      throw error;
    }
    if (this.#closed) await subscriber.return();
    return subscriber;
  }

  /**
   * Reads the truth again for everybody here, on these targets or (null) on all, in one statement. Rejects with
   * `StorageError` when the read fails; then all is as it was.
   */
  async resync(targets: readonly SessionIdentity[] | null): Promise<void> {
    if (this.#size === 0) return;
    const all = [...this.#ofAll];
    const byWatcher = [...this.#byWatcher].map(([watcher, subscribers]) => ({
      watcher,
      subscribers: [...subscribers],
    }));
    const everybody = [...all, ...byWatcher.flatMap(({ subscribers }) => subscribers)];
    for (const subscriber of everybody) subscriber.catchUp();
    const watchers = all.length > 0 ? null : byWatcher.map(({ watcher }) => watcher);
    const scope = targets && new Set(targets.map(identityOf));
    let notices: NoticeRecord[] | null = null;
    try {
      notices = await pendingNoticesOf(this.#database.read, { watchers, targets });
    } finally {
      const pending = notices && groupByWatcher(notices);
      for (const subscriber of all) subscriber.caughtUp(notices, scope);
      for (const { watcher, subscribers } of byWatcher) {
        for (const subscriber of subscribers) subscriber.caughtUp(pending && (pending.get(watcher) ?? []), scope);
      }
    }
  }

  /** Ends every subscriber. */
  close(): void {
    this.#closed = true;
    for (const subscriber of [...this.#ofAll, ...[...this.#byWatcher.values()].flatMap((set) => [...set])]) {
      void subscriber.return();
    }
  }

  #add(subscriber: Subscriber): void {
    this.#size += 1;
    if (subscriber.watcher === null) {
      this.#ofAll.add(subscriber);
      return;
    }
    const subscribers = this.#byWatcher.get(subscriber.watcher) ?? new Set();
    this.#byWatcher.set(subscriber.watcher, subscribers.add(subscriber));
  }

  #remove(subscriber: Subscriber): void {
    this.#size -= 1;
    this.#ofAll.delete(subscriber);
    if (subscriber.watcher === null) return;
    const subscribers = this.#byWatcher.get(subscriber.watcher);
    subscribers?.delete(subscriber);
    if (subscribers?.size === 0) this.#byWatcher.delete(subscriber.watcher);
  }
}

function groupByWatcher(notices: readonly NoticeRecord[]): Map<string, NoticeRecord[]> {
  const groups = new Map<string, NoticeRecord[]>();
  for (const notice of notices) {
    const group = groups.get(notice.watcherSessionKey);
    if (group === undefined) groups.set(notice.watcherSessionKey, [notice]);
    else group.push(notice);
  }
  return groups;
}
