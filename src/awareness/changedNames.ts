import { identityOf } from "../storage/newEvent.js";
import { type PairIdentity, type SessionIdentity, targetOf } from "../storage/records.js";
import type { Changed } from "../storage/sessionChanges.js";
import { agentOf } from "./sessionKey.js";
import type { Announcement } from "./writer.js";

/** What a committed write concerns, by name alone: summaries and payloads of events need not be kept. */
export function changedBy({ opened = [], closed = [], moved = [], changed = [] }: Announcement): Changed {
  const sessions = new Map<string, SessionIdentity>();
  for (const { sessionKey, agentId } of changed) {
    const session = { sessionKey, agentId };
    sessions.set(identityOf(session), session);
  }
  const pairs = new Map<string, PairIdentity>();
  for (const list of [opened, closed, moved]) {
    for (const { watcherSessionKey, targetSessionKey, targetAgentId } of list) {
      const pair = { watcherSessionKey, targetSessionKey, targetAgentId };
      pairs.set(nameOf(pair), pair);
    }
  }
  return { sessions: [...sessions.values()], pairs: [...pairs.values()] };
}

/** The sessions on both sides of a watch. A bare key without its agent names none. */
export function sidesOf(pair: PairIdentity): { target: SessionIdentity; watcher: SessionIdentity | null } {
  const agentId = agentOf(pair.watcherSessionKey);
  return { target: targetOf(pair), watcher: agentId === null ? null : { sessionKey: pair.watcherSessionKey, agentId } };
}

/** Names that wait to be passed on, each once; more than `most` of them become "look yourselves", null. */
export class ChangedNames {
  readonly #most: number;
  readonly #sessions = new Map<string, SessionIdentity>();
  readonly #pairs = new Map<string, PairIdentity>();
  #tooMany = false;

  constructor(most: number) {
    this.#most = most;
  }

  add(changed: Changed | null): void {
    for (const session of changed?.sessions ?? []) this.#sessions.set(identityOf(session), session);
    for (const pair of changed?.pairs ?? []) this.#pairs.set(nameOf(pair), pair);
    this.#tooMany ||= changed === null || this.#sessions.size + this.#pairs.size > this.#most;
    if (this.#tooMany) this.#clear();
  }

  get isEmpty(): boolean {
    return !this.#tooMany && this.#sessions.size + this.#pairs.size === 0;
  }

  /** What waits, which then waits no more. */
  take(): Changed | null {
    const taken = this.#tooMany ? null : { sessions: [...this.#sessions.values()], pairs: [...this.#pairs.values()] };
    this.#tooMany = false;
    this.#clear();
    return taken;
  }

  #clear(): void {
    this.#sessions.clear();
    this.#pairs.clear();
  }
}

/** Keys never hold a line break. */
function nameOf(pair: PairIdentity): string {
  return `${pair.watcherSessionKey}\n${identityOf(targetOf(pair))}`;
}
