import { identityOf } from "../storage/newEvent.js";
import type { SessionIdentity } from "../storage/records.js";
import type { Changed } from "../storage/sessionChanges.js";
import type { SessionChange } from "./awareness.js";
import { sidesOf } from "./changedNames.js";
import type { Agents } from "./viewer.js";

/** Whose changes a subscriber hears of: null is everybody's. */
export type SessionScope = { agentId: string | null; agents: Agents };

/** What one session is told to be. */
export type NamedChange = Exclude<SessionChange, { kind: "READ_AGAIN" }>;

/** Who keeps the subscribers. */
type Owner = {
  /** How these sessions are now, in their order. */
  read(sessions: readonly SessionIdentity[], agents: Agents): Promise<NamedChange[]>;
  /** Waits until this subscriber may read again; at once when the signal aborts. */
  pace(lastReadAt: number, signal: AbortSignal): Promise<void>;
  /** A read failed; waits before the next. */
  failed(error: unknown, signal: AbortSignal): Promise<void>;
  ended(subscriber: SessionSubscriber): void;
};

/** `itself`: it has changed, and not only a watch that it is a side of. */
type Slot = { session: SessionIdentity; itself: boolean };

/** More than this that waits is told as "read again". */
const slotsMax = 10_000;
const readAtOnce = 100;

const readAgain: SessionChange = { kind: "READ_AGAIN", sessionKey: null, agentId: null, session: null };

/**
 * One subscriber to changes of sessions. What waits is names only, one slot per session; how a session is gets read when
 * its slot is taken, so however often it changes and however slowly the subscriber reads, it is told of the newest. A
 * read takes several slots at once; what it found of a session that changes before it is told goes, and is read again.
 */
export class SessionSubscriber implements AsyncIterableIterator<SessionChange> {
  readonly #scope: SessionScope;
  readonly #owner: Owner;
  readonly #slots = new Map<string, Slot>();
  /** Taken out of their slots, and being read. */
  #taken: ReadonlyMap<string, Slot> = new Map();
  /** Read and not told yet; none of them has a slot. */
  readonly #ready = new Map<string, SessionChange>();
  readonly #stopped = new AbortController();
  #readAgain = true;
  #reading = false;
  #lastReadAt = Number.NEGATIVE_INFINITY;
  #waiting: ((result: IteratorResult<SessionChange>) => void)[] = [];

  constructor(scope: SessionScope, owner: Owner) {
    this.#scope = scope;
    this.#owner = owner;
  }

  /**
   * These sessions and watches may have changed. A watch is heard of only where both of its sides may be seen: the moment
   * at which a hidden session reads or ends one is nobody's business.
   */
  hear({ sessions, pairs }: Changed): void {
    for (const session of sessions) this.#hearOf(session, true);
    for (const pair of pairs) {
      const { target, watcher } = sidesOf(pair);
      if (!this.#isSeen(target) || !this.#isSeen(watcher)) continue;
      this.#hearOf(target, false);
      if (watcher !== null) this.#hearOf(watcher, false);
    }
    if (this.#slots.size > slotsMax) this.hearOfTooMany();
    else this.#deliver();
  }

  /** More has changed than can be named: whatever waits is part of it. */
  hearOfTooMany(): void {
    this.#slots.clear();
    this.#taken = new Map();
    this.#ready.clear();
    this.#readAgain = true;
    this.#deliver();
  }

  next(): Promise<IteratorResult<SessionChange>> {
    if (this.#stopped.signal.aborted) return Promise.resolve({ value: undefined, done: true });
    return new Promise((resolve) => {
      this.#waiting.push(resolve);
      this.#deliver();
    });
  }

  /** Ends the subscriber at once, also while it waits or reads. */
  return(): Promise<IteratorResult<SessionChange>> {
    if (!this.#stopped.signal.aborted) {
      this.#stopped.abort();
      this.#owner.ended(this);
      for (const resolve of this.#waiting.splice(0)) resolve({ value: undefined, done: true });
    }
    return Promise.resolve({ value: undefined, done: true });
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  /** Hands what there is to those who wait; when they wait on, reads more. */
  #deliver(): void {
    while (this.#waiting.length > 0) {
      const change = this.#take();
      if (change === undefined) break;
      this.#waiting.shift()?.({ value: change, done: false });
    }
    if (this.#waiting.length > 0 && this.#slots.size > 0 && !this.#reading) void this.#read();
  }

  #take(): SessionChange | undefined {
    if (this.#readAgain) {
      this.#readAgain = false;
      return readAgain;
    }
    for (const [id, change] of this.#ready) {
      this.#ready.delete(id);
      return change;
    }
    return undefined;
  }

  /** Slots are emptied before the read begins: what changes from then on is told again. */
  async #read(): Promise<void> {
    const { signal } = this.#stopped;
    this.#reading = true;
    await this.#owner.pace(this.#lastReadAt, signal);
    const taken = this.#takeSlots();
    if (taken.size > 0 && !signal.aborted) {
      this.#lastReadAt = performance.now();
      try {
        const sessions = [...taken.values()].map(({ session }) => session);
        this.#hand(await this.#owner.read(sessions, this.#scope.agents));
      } catch (error) {
        for (const [id, slot] of this.#taken) this.#put(id, slot);
        await this.#owner.failed(error, signal);
      }
    }
    this.#taken = new Map();
    this.#reading = false;
    this.#deliver();
  }

  #takeSlots(): ReadonlyMap<string, Slot> {
    const taken = new Map<string, Slot>();
    for (const [id, slot] of this.#slots) {
      if (taken.size === readAtOnce) break;
      this.#slots.delete(id);
      taken.set(id, slot);
    }
    this.#taken = taken;
    return taken;
  }

  /**
   * What was read. A session that changed meanwhile is told now if somebody waits for it, so that sessions that never
   * rest are told of too; else its slot is read again. A watcher that was never listed is not told as deleted.
   */
  #hand(changes: readonly NamedChange[]): void {
    for (const change of changes) {
      const id = identityOf(change);
      const slot = this.#taken.get(id);
      if (slot === undefined || (change.kind === "DELETED" && !slot.itself)) continue;
      if (this.#waiting.length > 0) this.#waiting.shift()?.({ value: change, done: false });
      else if (this.#slots.has(id)) this.#put(id, slot);
      else this.#ready.set(id, change);
    }
  }

  #hearOf(session: SessionIdentity, itself: boolean): void {
    const { agentId: only } = this.#scope;
    if (!this.#isSeen(session) || (only !== null && only !== session.agentId)) return;
    const id = identityOf(session);
    // What is told as deleted and not told yet stays so if only a watch of it ends behind it.
    const wasDeleted = this.#ready.get(id)?.kind === "DELETED";
    this.#ready.delete(id);
    this.#put(id, { session, itself: itself || wasDeleted });
  }

  #put(id: string, { session, itself }: Slot): void {
    this.#slots.set(id, { session, itself: itself || this.#slots.get(id)?.itself === true });
  }

  #isSeen(session: SessionIdentity | null): boolean {
    const { agents } = this.#scope;
    return agents === null || (session !== null && agents.has(session.agentId));
  }
}
