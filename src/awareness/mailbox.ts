import type { NoticeRecord } from "../storage/records.js";

/**
 * The undelivered notices of one subscriber: one slot per watch, whatever happens and however slowly it reads. It
 * also remembers which pending notice was delivered last per watch, so that hearing of it twice delivers it once.
 */
export class Mailbox {
  readonly #waiting = new Map<number, NoticeRecord>();
  readonly #delivered = new Map<number, number>();

  /** How many notices wait; never more than there are watches. */
  get size(): number {
    return this.#waiting.size;
  }

  /** Puts a notice into its watch's slot: a newer one replaces an older one, a known one changes nothing. */
  offer(notice: NoticeRecord): "waiting" | "known" {
    const known = Math.max(this.#delivered.get(notice.watchId) ?? 0, this.#waiting.get(notice.watchId)?.notified ?? 0);
    if (notice.notified <= known) return "known";
    this.#waiting.delete(notice.watchId);
    this.#waiting.set(notice.watchId, notice);
    return "waiting";
  }

  /** Notices of this watch up to `upTo` are no longer pending: they need not be delivered, nor remembered. */
  close(watchId: number, upTo: number): void {
    if ((this.#waiting.get(watchId)?.notified ?? Number.POSITIVE_INFINITY) <= upTo) this.#waiting.delete(watchId);
    if ((this.#delivered.get(watchId) ?? Number.POSITIVE_INFINITY) <= upTo) this.#delivered.delete(watchId);
  }

  /** Takes over what is pending in truth; whatever else was waiting or remembered is over. */
  replace(pending: readonly NoticeRecord[]): void {
    const watches = new Set(pending.map((notice) => notice.watchId));
    for (const known of [this.#waiting, this.#delivered]) {
      for (const watchId of known.keys()) if (!watches.has(watchId)) known.delete(watchId);
    }
    for (const notice of pending) this.offer(notice);
  }

  /** The notice that waits longest, now delivered. */
  take(): NoticeRecord | undefined {
    const [next] = this.#waiting.values();
    if (next === undefined) return undefined;
    this.#waiting.delete(next.watchId);
    this.#delivered.set(next.watchId, next.notified);
    return next;
  }
}
