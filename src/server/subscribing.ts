import { createSourceEventStream, type ExecutionArgs, type ExecutionResult, execute } from "graphql";
import { isAsyncIterable, type Plugin } from "graphql-yoga";
import type { RequestContext } from "./operationLimits.js";

/**
 * Subscribes with nothing around the events but what makes a result of each: every further layer costs memory for each
 * subscriber and promises for each notice. No plugin after this one is asked about subscriptions, so it comes last; their
 * errors are masked and counted where each transport writes its results.
 */
export function plainSubscriptions(): Plugin<RequestContext> {
  return {
    async onSubscribe({ args, context: { signal }, setResultAndStopExecution }) {
      const events = await createSourceEventStream(args);
      setResultAndStopExecution(isAsyncIterable(events) ? new Results(events, args, signal) : events);
    },
  };
}

type Next = IteratorResult<ExecutionResult>;
const end: Next = Object.freeze({ value: undefined, done: true });

/**
 * One result for each event, made when it is asked for. Ends the events when it is ended or when the client is gone,
 * whichever is first: before they have come, while one is waited for, and while the result of one is made, which is then
 * no longer given (contract, section 7: a client that vanishes at any moment leaves nothing behind). The transports end
 * only what they have already been handed, and graphql-ws forgets the first of two operations that a client gives the
 * same id; the signal of the connection forgets nothing.
 */
class Results implements AsyncIterableIterator<ExecutionResult> {
  readonly #events: AsyncIterator<unknown>;
  readonly #args: ExecutionArgs;
  readonly #gone: AbortSignal;
  #over = false;

  constructor(events: AsyncIterable<unknown>, args: ExecutionArgs, gone: AbortSignal) {
    this.#events = events[Symbol.asyncIterator]();
    this.#args = args;
    this.#gone = gone;
    if (gone.aborted) this.handleEvent();
    else gone.addEventListener("abort", this, { once: true });
  }

  /** Not `async`: what waits for an event is a large part of what an idle subscription costs. */
  next(): Promise<Next> {
    return this.#events.next().then(
      (event) => this.#resultOf(event),
      (error) => this.#fail(error),
    );
  }

  async return(): Promise<Next> {
    this.#leave();
    await this.#events.return?.();
    return end;
  }

  /** The client is gone: nobody is left to be told how the ending went. */
  handleEvent(): void {
    this.return().catch(() => {});
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  #resultOf(event: IteratorResult<unknown>): Next | Promise<Next> {
    if (event.done) this.#leave();
    if (this.#over) return end;
    const result = execute({ ...this.#args, rootValue: event.value });
    return "then" in result ? result.then((later) => this.#give(later)) : this.#give(result);
  }

  #give(value: ExecutionResult): Next {
    return this.#over ? end : { value, done: false };
  }

  #fail(error: unknown): never {
    this.handleEvent(); // a reader that was told of an error ends nothing
    throw error;
  }

  #leave(): void {
    this.#over = true;
    this.#gone.removeEventListener("abort", this);
  }
}
