import { pause, reconnectDelay } from "./backoff.js";
import { type HeadsupError, networkError } from "./errors.js";
import { onAbort } from "./onAbort.js";
import type { SlotMailbox } from "./slotMailbox.js";
import type { SharedSocket } from "./socket.js";
import type { TypedDocument } from "./typedDocument.js";

/** A subscription that stood this long, or brought something, was good: its loss is the first of a new row. */
const goodAfterMs = 5_000;

/** Leave it with `break`, or `return()` it by hand: either ends the subscription. */
export type Feed<Item> = AsyncIterableIterator<Item, undefined, undefined> & {
  return(): Promise<IteratorReturnResult<undefined>>;
};

export type FeedSource<Item, Result, Variables extends Record<string, unknown>> = {
  socket: SharedSocket;
  document: TypedDocument<Result, Variables>;
  variables: Variables;
  itemOf: (result: Result) => Item;
  onLost: (reason: HeadsupError) => void;
};

/**
 * A subscription as an iterable that lasts. It connects on the first `next()` and reconnects for ever. It throws a
 * `HeadsupError` where reconnecting cannot help, and ends on `signals`, on `return()` and so on leaving `for await`.
 */
export function lastingFeed<Item, Result, Variables extends Record<string, unknown>>(
  source: FeedSource<Item, Result, Variables>,
  mailbox: SlotMailbox<Item>,
  signals: readonly AbortSignal[],
): Feed<Item> {
  const stop = new AbortController();
  let started = false;
  const listening: (() => void)[] = [];

  function stopListening(): void {
    for (const forget of listening.splice(0)) forget();
  }

  function end(): void {
    stopListening();
    stop.abort();
    mailbox.close();
  }

  function start(): void {
    started = true;
    for (const signal of signals) listening.push(onAbort(signal, end));
    keepSubscribed(source, stop.signal, (item) => mailbox.push(item))
      .catch((error: unknown) => networkError("The subscription could not be made", error))
      .then((error) => {
        stopListening();
        if (error !== null) mailbox.fail(error);
      });
  }

  // Not an async generator: its `return()` would wait behind a `next()` that waits for an item.
  return {
    next() {
      if (!started) start();
      return mailbox.take();
    },
    async return() {
      started = true;
      end();
      return { done: true, value: undefined };
    },
    [Symbol.asyncIterator]() {
      return this;
    },
  };
}

/** Resolves when `signal` has ended it, to null, or to the error with which reconnecting cannot help. */
async function keepSubscribed<Item, Result, Variables extends Record<string, unknown>>(
  { socket, document, variables, itemOf, onLost }: FeedSource<Item, Result, Variables>,
  signal: AbortSignal,
  push: (item: Item) => void,
): Promise<HeadsupError | null> {
  let failures = 0;
  const onResult = (result: Result) => {
    failures = 0;
    push(itemOf(result));
  };
  while (!signal.aborted) {
    const { error, openForMs } = await socket.subscribe(document, variables, onResult, signal);
    if (signal.aborted) return null;
    if (error.endsSubscription) return error;
    onLost(error);
    if (openForMs >= goodAfterMs) failures = 0;
    await pause(reconnectDelay(failures++, Math.random()), signal);
  }
  return null;
}
