import { identityOf } from "../storage/newEvent.js";
import { type NoticeRecord, targetOf } from "../storage/records.js";

/**
 * The undelivered notices of one subscriber: one slot per watch, whatever happens and however slowly it reads. It
 * also remembers which pending notice was delivered last per watch, so that hearing of it twice delivers it once.
 */
export class Mailbox {
  readonly #waiting = new Map<number, NoticeRecord>();
  readonly #delivered = new Map<number, NoticeRecord>();

  /** Puts a notice into its watch's slot: a newer one replaces an older one, a known one changes nothing. */
  offer(notice: NoticeRecord): void {
    const known = Math.max(
      this.#delivered.get(notice.watchId)?.notified ?? 0,
      this.#waiting.get(notice.watchId)?.notified ?? 0,
    );
    if (notice.notified <= known) return;
    this.#waiting.delete(notice.watchId);
    this.#waiting.set(notice.watchId, notice);
  }

  /** Notices of this watch up to `upTo` are no longer pending: they need not be delivered, nor remembered. */
  close(watchId: number, upTo: number): void {
    for (const known of [this.#waiting, this.#delivered]) {
      const notice = known.get(watchId);
      if (notice !== undefined && notice.notified <= upTo) known.delete(watchId);
    }
  }

  /**
   * Takes over what is pending in truth on these targets (null: on all); whatever else was waiting or remembered of
   * them is over.
   */
  replace(pending: readonly NoticeRecord[], targets: ReadonlySet<string> | null): void {
    const watches = new Set(pending.map((notice) => notice.watchId));
    for (const known of [this.#waiting, this.#delivered]) {
      for (const [watchId, notice] of known) {
        if (watches.has(watchId)) continue;
        if (targets === null || targets.has(identityOf(targetOf(notice)))) known.delete(watchId);
      }
    }
    for (const notice of pending) this.offer(notice);
  }

  /** The notice that waits longest, now delivered. */
  take(): NoticeRecord | undefined {
    const [next] = this.#waiting.values();
    if (next === undefined) return undefined;
    this.#waiting.delete(next.watchId);
    this.#delivered.set(next.watchId, next);
    return next;
  }
}
