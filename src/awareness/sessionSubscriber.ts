import { identityOf } from "../storage/newEvent.js";
import type { SessionIdentity } from "../storage/records.js";
import type { SessionChange } from "./awareness.js";
import type { Agents } from "./viewer.js";

/** Whose changes a subscriber hears of: null is everybody's. */
export type SessionScope = { agentId: string | null; agents: Agents };

/** Who keeps the subscribers. */
type Owner = {
  /** How these sessions are now, in their order. */
  read(sessions: readonly SessionIdentity[], agents: Agents): Promise<SessionChange[]>;
  /** Waits until this subscriber may read again; at once when the signal aborts. */
  pace(lastReadAt: number, signal: AbortSignal): Promise<void>;
  /** A read failed; waits before the next. */
  failed(error: unknown, signal: AbortSignal): Promise<void>;
  ended(subscriber: SessionSubscriber): void;
};

/** More than this that waits is told as "read again". */
const slotsMax = 10_000;
const readAtOnce = 100;

const readAgain: SessionChange = { kind: "READ_AGAIN", sessionKey: null, agentId: null, session: null };

/**
 * One subscriber to changes of sessions. What waits is names only, one slot per session; how a session is gets read when
 * its slot is taken, so however often it changes and however slowly the subscriber reads, it is told of the newest.
 */
export class SessionSubscriber implements AsyncIterableIterator<SessionChange> {
  readonly #scope: SessionScope;
  readonly #owner: Owner;
  readonly #slots = new Map<string, SessionIdentity>();
  readonly #stopped = new AbortController();
  #readAgain = true;
  #ready: SessionChange[] = [];
  #lastReadAt = Number.NEGATIVE_INFINITY;
  #wakes: (() => void)[] = [];

  constructor(scope: SessionScope, owner: Owner) {
    this.#scope = scope;
    this.#owner = owner;
  }

  /** These sessions may have changed. */
  hear(sessions: Iterable<SessionIdentity>): void {
    for (const session of sessions) if (this.#isInScope(session)) this.#slots.set(identityOf(session), session);
    if (this.#slots.size > slotsMax) this.hearOfTooMany();
    else if (this.#slots.size > 0) this.#wake();
  }

  /** More has changed than can be named: whatever waits is part of it. */
  hearOfTooMany(): void {
    this.#slots.clear();
    this.#readAgain = true;
    this.#wake();
  }

  async next(): Promise<IteratorResult<SessionChange>> {
    for (;;) {
      if (this.#stopped.signal.aborted) return { value: undefined, done: true };
      if (this.#readAgain) {
        this.#readAgain = false;
        this.#ready = [];
        return { value: readAgain, done: false };
      }
      const change = this.#ready.shift();
      if (change !== undefined) return { value: change, done: false };
      if (this.#slots.size > 0) await this.#read();
      else await new Promise<void>((resolve) => this.#wakes.push(resolve));
    }
  }

  /** Ends the subscriber at once, also while it waits. */
  async return(): Promise<IteratorResult<SessionChange>> {
    if (!this.#stopped.signal.aborted) {
      this.#stopped.abort();
      this.#owner.ended(this);
      this.#wake();
    }
    return { value: undefined, done: true };
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  /** Slots are emptied before the read begins: what changes from then on is told again. */
  async #read(): Promise<void> {
    const { signal } = this.#stopped;
    await this.#owner.pace(this.#lastReadAt, signal);
    const taken = [...this.#slots].slice(0, readAtOnce);
    for (const [id] of taken) this.#slots.delete(id);
    if (signal.aborted || taken.length === 0) return;
    this.#lastReadAt = performance.now();
    try {
      const sessions = taken.map(([, session]) => session);
      this.#ready.push(...(await this.#owner.read(sessions, this.#scope.agents)));
    } catch (error) {
      for (const [id, session] of taken) this.#slots.set(id, session);
      await this.#owner.failed(error, signal);
    }
  }

  #isInScope({ agentId }: SessionIdentity): boolean {
    const { agentId: only, agents } = this.#scope;
    return (only === null || only === agentId) && (agents === null || agents.has(agentId));
  }

  #wake(): void {
    for (const wake of this.#wakes.splice(0)) wake();
  }
}
