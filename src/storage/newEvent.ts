import type { EventRecord, SessionIdentity } from "./records.js";

/** An event that is checked and cleaned, with what its kind does. */
export type NewEvent = {
  readonly event: Omit<EventRecord, "sequence">;
  /** `identityOf` its session: a batch needs it many times. */
  readonly session: string;
  readonly dedupeKey: string | null;
  readonly notifies: boolean;
  readonly onlyWhileWatched: boolean;
  /** The session that spawned this one, for an event that says so. */
  readonly spawnedBy: string | null;
  /** The watcher whose cursor starts here. */
  readonly seedsWatcher: string | null;
};

/** One that has got its sequence. */
export type Recorded = { readonly append: NewEvent; readonly sequence: number };

/** A session's identity as one map key: keys never hold a line break. */
export function identityOf({ sessionKey, agentId }: SessionIdentity): string {
  return `${agentId}\n${sessionKey}`;
}

/** A dedupe key together with the session it is unique in; null without one. */
export function dedupeOf({ session, dedupeKey }: NewEvent): string | null {
  return dedupeKey === null ? null : `${session}\n${dedupeKey}`;
}
