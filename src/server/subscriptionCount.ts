import { Refusal } from "../awareness/refusals.js";

/**
 * The subscriptions of one WebSocket. Counted by what runs and not by the ids that the client gives: it may use an id
 * again while the operation that had it before is still being prepared.
 */
export class SubscriptionCount {
  readonly #most: number;
  #count = 0;

  constructor(most: number) {
    this.#most = most;
  }

  /** One more. Throws `LIMIT_EXCEEDED` when there are as many as may be. */
  add(): void {
    if (this.#count >= this.#most)
      throw new Refusal("LIMIT_EXCEEDED", `A WebSocket may have ${this.#most} subscriptions at most.`);
    this.#count += 1;
  }

  /** One has ended, or come to nothing. */
  remove(): void {
    this.#count -= 1;
  }
}
