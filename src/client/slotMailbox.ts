type Taker<Item> = { resolve(result: IteratorResult<Item, undefined>): void; reject(error: unknown): void };

/**
 * Holds what the consumer has not taken yet: at most one item per slot, the newest, in the place of the first. So memory
 * is bounded by the slots, however slowly the consumer reads (contract, section 7).
 */
export class SlotMailbox<Item> {
  readonly #slotOf: (item: Item) => string;
  readonly #undelivered = new Map<string, Item>();
  readonly #takers: Taker<Item>[] = [];
  #ended: { error: unknown } | undefined;

  constructor(slotOf: (item: Item) => string) {
    this.#slotOf = slotOf;
  }

  /** Hands the item to a waiting consumer, or keeps it in its slot. */
  push(item: Item): void {
    if (this.#ended) return;
    const taker = this.#takers.shift();
    if (taker) taker.resolve({ done: false, value: item });
    else this.#undelivered.set(this.#slotOf(item), item);
  }

  /** The oldest undelivered item, or the next to come; `done` after `close`, rejects once after `fail`. */
  take(): Promise<IteratorResult<Item, undefined>> {
    for (const [slot, item] of this.#undelivered) {
      this.#undelivered.delete(slot);
      return Promise.resolve({ done: false, value: item });
    }
    return new Promise((resolve, reject) => {
      this.#takers.push({ resolve, reject });
      if (this.#ended) this.#settleTakers();
    });
  }

  /** Ends without an error; what is undelivered is dropped: the server still knows it. */
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

  /** How many items wait to be taken. */
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
