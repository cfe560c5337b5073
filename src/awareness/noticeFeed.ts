import type { Database } from "../storage/database.js";
import { identityOf } from "../storage/newEvent.js";
import { pendingNoticesOf } from "../storage/pending.js";
import type { NoticeRecord, SessionIdentity } from "../storage/records.js";
import { Subscriber } from "./subscriber.js";
import type { Agents } from "./viewer.js";
import type { Announcement } from "./writer.js";

/**
 * Who waits for notices in this process, and what they are told (contract, section 7). Announcements are hints; the
 * cursors are the truth, and are read when a subscriber comes and whenever a hint may have been lost.
 */
export class NoticeFeed {
  readonly #database: Database;
  readonly #byWatcher = new Map<string, Set<Subscriber>>();
  readonly #ofAll = new Set<Subscriber>();
  readonly #owner: ConstructorParameters<typeof Subscriber>[2];
  #size = 0;
  #closed = false;

  constructor(database: Database, delivered: () => void) {
    this.#database = database;
    this.#owner = { ended: (subscriber) => this.#remove(subscriber), delivered };
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
   * A subscriber that has read what is pending and hears of everything since: it is registered before it reads. It hears
   * of nothing but sessions of these agents; null is all.
   * Rejects with `StorageError` when the read fails; then nothing is left behind.
   */
  async subscribe(watcher: string | null, agents: Agents): Promise<Subscriber> {
    const subscriber = new Subscriber(watcher, agents, this.#owner);
    const caughtUp = subscriber.catchUp();
    this.#add(subscriber);
    try {
      const watchers = watcher === null ? null : [watcher];
      caughtUp({ pending: await pendingNoticesOf(this.#database.read, { watchers, targets: null }), targets: null });
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
    const begun = [...this.#ofAll, ...[...this.#byWatcher.values()].flatMap((set) => [...set])].map((subscriber) => ({
      watcher: subscriber.watcher,
      caughtUp: subscriber.catchUp(),
    }));
    const watchers = this.#ofAll.size > 0 ? null : [...this.#byWatcher.keys()];
    const scope = targets && new Set(targets.map(identityOf));
    let notices: NoticeRecord[] | null = null;
    try {
      notices = await pendingNoticesOf(this.#database.read, { watchers, targets });
    } finally {
      const byWatcher = notices && groupByWatcher(notices);
      for (const { watcher, caughtUp } of begun) {
        const pending = watcher === null ? notices : byWatcher && (byWatcher.get(watcher) ?? []);
        caughtUp(pending && { pending, targets: scope });
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
