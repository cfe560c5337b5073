import { pause, reconnectDelay } from "./backoff.js";
import { type HeadsupError, networkError } from "./errors.js";
import { StaleNoticeDocument } from "./generated/graphql.js";
import { NoticeMailbox } from "./mailbox.js";
import type { SharedSocket } from "./socket.js";
import type { NoticeLocale, StaleNotice } from "./types.js";

/** A subscription that stood this long, or brought a notice, was good: its loss is the first of a new row. */
const goodAfterMs = 5_000;

export type StaleNoticesOptions = {
  /** Absent: the notices of every watcher, for a token that may read all. */
  watcherSessionKey?: string;
  /** Ends the iterable, without an error. */
  signal?: AbortSignal;
};

/** Leave it with `break`, or `return()` it by hand: either ends the subscription. */
export type StaleNotices = AsyncIterableIterator<StaleNotice, undefined, undefined> & {
  return(): Promise<IteratorReturnResult<undefined>>;
};

type Feed = {
  socket: SharedSocket;
  variables: { watcherSessionKey?: string; locale?: NoticeLocale };
  onLost: (reason: HeadsupError) => void;
};

/**
 * Every pending notice, oldest first, then each as it opens (contract, section 7). It connects on the first `next()` and
 * reconnects for ever; after that the pending ones come again, for delivery does not acknowledge. It throws a
 * `HeadsupError` where reconnecting cannot help, and ends on `signals`, on `return()` and so on leaving `for await`.
 */
export function staleNotices(feed: Feed, signals: readonly AbortSignal[]): StaleNotices {
  const mailbox = new NoticeMailbox();
  const stop = new AbortController();
  let started = false;

  function end(): void {
    for (const signal of signals) signal.removeEventListener("abort", end);
    stop.abort();
    mailbox.close();
  }

  function start(): void {
    started = true;
    for (const signal of signals) signal.addEventListener("abort", end, { once: true });
    if (signals.some(({ aborted }) => aborted)) end();
    keepSubscribed(feed, mailbox, stop.signal).catch((error: unknown) => {
      mailbox.fail(networkError("The subscription could not be made", error));
    });
  }

  // Not an async generator: its `return()` would wait behind a `next()` that waits for a notice.
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

async function keepSubscribed(feed: Feed, mailbox: NoticeMailbox, signal: AbortSignal): Promise<void> {
  let failures = 0;
  const onNotice = ({ staleNotice }: { staleNotice: StaleNotice }) => {
    failures = 0;
    mailbox.push(staleNotice);
  };
  while (!signal.aborted) {
    const { error, openForMs } = await feed.socket.subscribe(StaleNoticeDocument, feed.variables, onNotice, signal);
    if (signal.aborted) return;
    if (error.endsSubscription) return mailbox.fail(error);
    feed.onLost(error);
    if (openForMs >= goodAfterMs) failures = 0;
    await pause(reconnectDelay(failures++, Math.random()), signal);
  }
}
