import type { HeadsupError } from "./errors.js";
import { type Feed, lastingFeed } from "./feed.js";
import { SessionChangedDocument } from "./generated/graphql.js";
import { SlotMailbox } from "./slotMailbox.js";
import type { SharedSocket } from "./socket.js";
import type { SessionChange } from "./types.js";

export type SessionChangesOptions = {
  /** Absent: the sessions of every agent that the token reaches. */
  agentId?: string | undefined;
  /** Ends the iterable, without an error. */
  signal?: AbortSignal | undefined;
};

/** Leave it with `break`, or `return()` it by hand: either ends the subscription. */
export type SessionChanges = Feed<SessionChange>;

type Source = { socket: SharedSocket; variables: { agentId?: string }; onLost: (reason: HeadsupError) => void };

/**
 * Sessions as they change, each as it is when it is told. `READ_AGAIN` comes first and after every reconnect: whoever
 * reads the list after it, and then applies what follows, is up to date. For the rest see `lastingFeed`.
 */
export function sessionChanges(source: Source, signals: readonly AbortSignal[]): SessionChanges {
  const feed = {
    ...source,
    document: SessionChangedDocument,
    itemOf: ({ sessionChanged }: { sessionChanged: SessionChange }) => sessionChanged,
  };
  return lastingFeed(feed, new SlotMailbox(slotOf), signals);
}

function slotOf({ kind, sessionKey, agentId }: SessionChange): string {
  return kind === "READ_AGAIN" ? kind : JSON.stringify([sessionKey, agentId]);
}
