import { HeadsupError, type ListedSession, type SessionChange } from "../../client/index.js";
import { client, door, knock } from "./app.js";
import { idOf } from "./names.js";
import { Observable } from "./observable.js";

/** More sessions than this are not held in the page; the search asks the server for the others. */
const heldMax = 10_000;
const pageSize = 200;

export type SessionList = {
  readonly sessions: ReadonlyMap<string, ListedSession>;
  /** `reading` until all pages have come once; `part` when there are more than are held. */
  readonly extent: "reading" | "whole" | "part";
  readonly error: unknown;
};

export const sessionList = new Observable<SessionList>({ sessions: new Map(), extent: "reading", error: null });

const held = new Map<string, ListedSession>();
/** Told by the subscription while pages are being read: a page may be older than that. */
let toldMeanwhile = new Set<string>();
let reading = 0;
let extent: SessionList["extent"] = "reading";
let failure: unknown = null;

type Listener = (changed: ReadonlySet<string> | null) => void;
const listeners = new Set<Listener>();

/** Calls back with the sessions that changed, gathered per frame; null when all of them are to be looked at. */
export function onSessionsChanged(listener: Listener): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

let frame: { changed: Set<string> | null } | null = null;

/** One rendering for all that happens within a frame. Not animation frames: a tab in the background has none. */
function show(changed: string | null): void {
  if (frame === null) {
    frame = { changed: new Set() };
    setTimeout(() => {
      const { changed: all } = frame ?? { changed: null };
      frame = null;
      sessionList.set({ sessions: new Map(held), extent, error: failure });
      for (const listener of listeners) listener(all);
    }, 16);
  }
  if (changed === null) frame.changed = null;
  else frame.changed?.add(changed);
}

/** Follows all sessions for as long as somebody is let in. */
export async function followSessions(signal: AbortSignal): Promise<void> {
  try {
    for await (const change of client.sessionChanges({ signal })) apply(change, signal);
  } catch (error) {
    if (signal.aborted) return;
    await knock();
    if (door.get().state !== "open") return;
    failure = error;
    show(null);
  }
}

/** Forgets everything, for whoever comes next. */
export function forgetSessions(): void {
  held.clear();
  extent = "reading";
  failure = null;
  show(null);
}

function apply(change: SessionChange, signal: AbortSignal): void {
  const { kind, sessionKey, agentId, session } = change;
  if (kind === "READ_AGAIN") {
    void readAll(signal);
    return;
  }
  if (sessionKey === null || agentId === null) return;
  const id = idOf({ sessionKey, agentId });
  toldMeanwhile.add(id);
  if (session === null) held.delete(id);
  else if (extent !== "part" || held.has(id) || held.size < heldMax * 2) held.set(id, session);
  show(id);
}

/** Reads every page; what is shown meanwhile stays until it is known to be outdated. */
async function readAll(signal: AbortSignal): Promise<void> {
  reading += 1;
  const mine = reading;
  toldMeanwhile = new Set();
  const seen = new Set<string>();
  let after: string | null = null;
  try {
    do {
      const page = await client.sessionsList({ orderBy: "LAST_CHANGE", first: pageSize, after }, { signal });
      if (mine !== reading) return;
      for (const session of page.nodes) keep(session, seen);
      after = page.pageInfo.hasNextPage ? page.pageInfo.endCursor : null;
      show(null);
    } while (after !== null && seen.size < heldMax);
    extent = after === null ? "whole" : "part";
    failure = null;
    for (const id of held.keys()) if (!seen.has(id) && !toldMeanwhile.has(id)) held.delete(id);
  } catch (error) {
    if (signal.aborted || mine !== reading) return;
    if (error instanceof HeadsupError && error.code === "UNAUTHENTICATED") void knock();
    if (error instanceof HeadsupError && error.retryable) setTimeout(() => void readAgain(mine, signal), 1_000);
    else failure = error;
  }
  show(null);
}

function readAgain(mine: number, signal: AbortSignal): Promise<void> | undefined {
  return mine === reading && !signal.aborted ? readAll(signal) : undefined;
}

function keep(session: ListedSession, seen: Set<string>): void {
  const id = idOf(session);
  seen.add(id);
  if (!toldMeanwhile.has(id)) held.set(id, session);
}

/** Asks the server for sessions that the page does not hold, and keeps what it finds. */
export async function searchServer(search: string, agentId: string | null, signal: AbortSignal): Promise<void> {
  const found = await client.sessionsList({ search, agentId, first: pageSize, orderBy: "LAST_CHANGE" }, { signal });
  for (const session of found.nodes) if (!held.has(idOf(session))) held.set(idOf(session), session);
  show(null);
}
