import { Refusal } from "../awareness/refusals.js";

/**
 * The subscriptions of one WebSocket. Counted by what runs and not by the ids that the client gives: it may use an id
 * again while the operation that had it before is still being prepared.
 */
export type SubscriptionCount = {
  /** One more. Throws `LIMIT_EXCEEDED` when there are as many as may be. */
  add(): void;
  /** One has come to nothing. */
  remove(): void;
  /** The results of one that was added: to be read in place of `results`, so that its end is noticed. */
  until<T>(results: AsyncIterable<T>): AsyncIterableIterator<T>;
};

export function createSubscriptionCount(most: number): SubscriptionCount {
  let count = 0;
  const remove = () => {
    count -= 1;
  };
  return {
    add() {
      if (count >= most) throw new Refusal("LIMIT_EXCEEDED", `A WebSocket may have ${most} subscriptions at most.`);
      count += 1;
    },
    remove,
    until: (results) => telling(results[Symbol.asyncIterator](), remove),
  };
}

/** The same results; `ended` is called once, when there will be no more of them. */
function telling<T>(source: AsyncIterator<T>, ended: () => void): AsyncIterableIterator<T> {
  let told = false;
  const tell = () => {
    if (!told) ended();
    told = true;
  };
  const results: AsyncIterableIterator<T> = {
    async next() {
      try {
        const result = await source.next();
        if (result.done) tell();
        return result;
      } catch (error) {
        tell();
        throw error;
      }
    },
    async return(value) {
      tell();
      return (await source.return?.(value)) ?? { done: true, value };
    },
    [Symbol.asyncIterator]: () => results,
  };
  return results;
}
