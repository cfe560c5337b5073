import type { HeadsupError } from "./errors.js";
import { type Feed, lastingFeed } from "./feed.js";
import { StaleNoticeDocument } from "./generated/graphql.js";
import { NoticeMailbox } from "./mailbox.js";
import type { SharedSocket } from "./socket.js";
import type { NoticeLocale, StaleNotice } from "./types.js";

export type StaleNoticesOptions = {
  /** Absent: the notices of every watcher, for a token that may read all. */
  watcherSessionKey?: string | undefined;
  /** Ends the iterable, without an error. */
  signal?: AbortSignal | undefined;
};

/** Leave it with `break`, or `return()` it by hand: either ends the subscription. */
export type StaleNotices = Feed<StaleNotice>;

type Source = {
  socket: SharedSocket;
  variables: { watcherSessionKey?: string; locale?: NoticeLocale };
  onLost: (reason: HeadsupError) => void;
};

/**
 * Every pending notice, oldest first, then each as it opens (contract, section 7). After a reconnect the pending ones
 * come again, for delivery does not acknowledge. For the rest see `lastingFeed`.
 */
export function staleNotices(source: Source, signals: readonly AbortSignal[]): StaleNotices {
  const feed = {
    ...source,
    document: StaleNoticeDocument,
    itemOf: ({ staleNotice }: { staleNotice: StaleNotice }) => staleNotice,
  };
  return lastingFeed(feed, new NoticeMailbox(), signals);
}
