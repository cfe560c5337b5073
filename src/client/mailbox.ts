import type { StaleNotice } from "./types.js";

type Taker = { resolve(result: IteratorResult<StaleNotice, undefined>): void; reject(error: unknown): void };

/**
 * Holds what the consumer has not taken yet: at most one notice per pair, the newest, in the place of the first. So
 * memory is bounded by the pairs watched, however slowly the consumer reads (contract, section 7).
 */
export class NoticeMailbox {
  readonly #undelivered = new Map<string, StaleNotice>();
  readonly #takers: Taker[] = [];
  #ended: { error: unknown } | undefined;

  /** Hands the notice to a waiting consumer, or keeps it in the slot of its pair. */
  push(notice: StaleNotice): void {
    if (this.#ended) return;
    const taker = this.#takers.shift();
    if (taker) taker.resolve({ done: false, value: notice });
    else this.#undelivered.set(pairOf(notice), notice);
  }

  /** The oldest undelivered notice, or the next to come; `done` after `close`, rejects once after `fail`. */
  take(): Promise<IteratorResult<StaleNotice, undefined>> {
    for (const [pair, notice] of this.#undelivered) {
      this.#undelivered.delete(pair);
      return Promise.resolve({ done: false, value: notice });
    }
    return new Promise((resolve, reject) => {
      this.#takers.push({ resolve, reject });
      if (this.#ended) this.#settleTakers();
    });
  }

  /** Ends without an error; what is undelivered is dropped: it stays pending on the server. */
  close(): void {
    this.#undelivered.clear();
    this.#ended = { error: undefined };
    this.#settleTakers();
  }

  /** Ends with an error, which the consumer meets after what is undelivered. */
  fail(error: Error): void {
    this.#ended ??= { error };
    this.#settleTakers();
  }

  /** How many notices wait to be taken. */
  get size(): number {
    return this.#undelivered.size;
  }

  #settleTakers(): void {
    for (const taker of this.#takers.splice(0)) {
      const error = this.#ended?.error;
      if (error === undefined) taker.resolve({ done: true, value: undefined });
      else taker.reject(error);
      this.#ended = { error: undefined };
    }
  }
}

/** JSON, because keys may contain any separator. */
function pairOf({ watcherSessionKey, targetSessionKey, targetAgentId }: StaleNotice): string {
  return JSON.stringify([watcherSessionKey, targetSessionKey, targetAgentId]);
}
