import { afterAll, beforeAll } from "vitest";
import type { AppendInput } from "../../src/awareness/awareness.js";
import type { RunningAwareness } from "../../src/awareness/createAwareness.js";
import type { DomainOptions, TestDomain } from "../support/domain.js";

/** Opens the domain on a new database of the kind under test. */
export type OpenDomain = (options?: DomainOptions) => Promise<TestDomain>;

/** A clock that stands still until it is moved. */
export class TestClock {
  #now = Date.parse("2026-11-30T12:00:00.000Z");

  now(): Date {
    return new Date(this.#now);
  }

  moveOn(ms: number): void {
    this.#now += ms;
  }
}

export const hourMs = 60 * 60 * 1000;
export const dayMs = 24 * hourMs;

/** One domain for all tests of a suite; each test uses keys of its own, made by `keys()`. */
export function sharedDomain(open: OpenDomain, options: DomainOptions = {}) {
  let domain: TestDomain | undefined;
  let scopes = 0;
  beforeAll(async () => {
    domain = await open(options);
  });
  afterAll(() => domain?.dispose());
  return {
    get awareness(): RunningAwareness {
      if (domain === undefined) throw new Error("the domain opens before the tests");
      return domain.awareness;
    },
    restart: () => domain?.restart(),
    keys() {
      scopes += 1;
      const n = scopes;
      return {
        boss: `agent:boss${n}:main`,
        other: `agent:other${n}:main`,
        worker: `agent:worker${n}:main`,
        child: `agent:worker${n}:subagent:child`,
        bare: `bare${n}`,
      };
    },
  };
}

export type Shared = ReturnType<typeof sharedDomain>;

export function goal(sessionKey: string, actorId?: string): AppendInput {
  return { sessionKey, kind: "GOAL_CHANGED", actor: { type: actorId ? "AGENT" : "SYSTEM", id: actorId } };
}

export function human(sessionKey: string): AppendInput {
  return { sessionKey, kind: "HUMAN_DIRECT_MESSAGE", actor: { type: "HUMAN" } };
}

export function completed(sessionKey: string): AppendInput {
  return { sessionKey, kind: "RUN_COMPLETED", actor: { type: "AGENT" } };
}

export function spawn(child: string, parent: string): AppendInput {
  return { sessionKey: child, kind: "CHILD_SPAWNED", actor: { type: "AGENT", id: parent } };
}

/** The sequence of an event that must have been recorded. */
export async function appended(awareness: RunningAwareness, input: AppendInput): Promise<number> {
  const result = await awareness.append(input);
  if (!result.recorded) throw new Error(`not recorded: ${result.reason}`);
  return result.event.sequence;
}

/** The cursor of a pair as its three numbers: lastSeen/notified/material. */
export async function cursorOf(awareness: RunningAwareness, watcher: string, target: string): Promise<string | null> {
  const { edges } = await awareness.watches({ watcherSessionKey: watcher, first: 200 });
  const watch = edges.map(({ node }) => node).find((node) => node.targetSessionKey === target);
  return watch === undefined ? null : `${watch.lastSeen}/${watch.notified}/${watch.material}`;
}
