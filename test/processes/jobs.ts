import { randomInt } from "node:crypto";
import type { AppendInput } from "../../src/awareness/awareness.js";
import type { RunningAwareness } from "../../src/awareness/createAwareness.js";
import { sleep } from "../../src/clock.js";

/** What a worker can be told to do. */
export const jobs = { fill, mix, sweep };

export type JobName = keyof typeof jobs;
export type Job<Name extends JobName> = (typeof jobs)[Name];
export type JobResult<Name extends JobName> = Awaited<ReturnType<Job<Name>>>;

function goal(sessionKey: string, summary?: string): AppendInput {
  return { sessionKey, kind: "GOAL_CHANGED", actor: { type: "SYSTEM" }, summary };
}

/** Appends `events` events from several producers, each with random pauses. Returns the answered sequences by session. */
async function fill(
  awareness: RunningAwareness,
  { events, sessions }: { events: number; sessions: readonly string[] },
): Promise<Record<string, number[]>> {
  const answered: Record<string, number[]> = Object.fromEntries(sessions.map((key) => [key, []]));
  let left = events;
  const produce = async () => {
    while (left > 0) {
      const size = Math.min(randomInt(1, 8), left);
      left -= size;
      const inputs = Array.from({ length: size }, () => goal(anyOf(sessions)));
      for (const { event } of await awareness.appendMany(inputs)) {
        if (event === null) throw new Error("an event was not recorded");
        answered[event.sessionKey]?.push(event.sequence);
      }
      await sleep(randomInt(4));
    }
  };
  await Promise.all(Array.from({ length: 8 }, produce));
  return answered;
}

/** Everything at once on the same few sessions, each of which watches others. Returns what went wrong. */
async function mix(
  awareness: RunningAwareness,
  { rounds, sessions }: { rounds: number; sessions: readonly string[] },
): Promise<string[]> {
  const wrong: string[] = [];
  const acts = [
    () => awareness.appendMany(someOf(sessions).map((key) => goal(key))),
    () => awareness.appendMany(someOf(sessions).map((key) => goal(key))),
    () => awareness.appendMany(someOf(sessions).map((key) => goal(key))),
    () => awareness.drainNotices({ watcherSessionKey: anyOf(sessions), limit: randomInt(1, 10) }),
    () => acknowledgeAll(awareness, anyOf(sessions)),
    () => awareness.watch({ watcherSessionKey: anyOf(sessions), targetSessionKey: anyOf(sessions) }),
    () => awareness.watch({ watcherSessionKey: anyOf(sessions), targetSessionKey: anyOf(sessions) }),
    () => awareness.watch({ watcherSessionKey: anyOf(sessions), targetSessionKey: anyOf(sessions) }),
    () => awareness.unwatch({ watcherSessionKey: anyOf(sessions), targetSessionKey: anyOf(sessions) }),
    () => awareness.registerSession({ sessionKey: anyOf(sessions), label: "again" }),
    () => awareness.resetSession({ sessionKey: anyOf(sessions) }),
    () => awareness.deleteSession({ sessionKey: anyOf(sessions) }),
    () => awareness.deleteSession({ sessionKey: anyOf(sessions) }),
    () => awareness.deleteSession({ sessionKey: anyOf(sessions) }),
    () => awareness.sweep(),
  ];
  const act = async () => {
    for (let round = 0; round < rounds; round += 1) {
      try {
        const answer = await anyOf(acts)();
        if (Array.isArray(answer) && answer.some(({ recorded }) => !recorded)) wrong.push("an append was not recorded");
      } catch (error) {
        wrong.push(String(error));
      }
    }
  };
  await Promise.all(Array.from({ length: 4 }, act));
  return wrong;
}

async function acknowledgeAll(awareness: RunningAwareness, watcherSessionKey: string): Promise<void> {
  const notices = await awareness.pendingNotices({ watcherSessionKey });
  await awareness.acknowledgeNotices({ watcherSessionKey, noticeIds: notices.map(({ id }) => id) });
}

/** One whole retention pass. */
function sweep(awareness: RunningAwareness, _input: Record<string, never>): Promise<void> {
  return awareness.sweep();
}

function anyOf<Item>(items: readonly Item[]): Item {
  const item = items[randomInt(items.length)];
  if (item === undefined) throw new Error("there is nothing to choose from");
  return item;
}

/** About half of them, in any order. */
function someOf<Item>(items: readonly Item[]): Item[] {
  const some = items.map((item) => ({ item, place: Math.random() })).filter(({ place }) => place < 0.5);
  return some.length === 0
    ? [anyOf(items)]
    : some.sort((one, other) => one.place - other.place).map(({ item }) => item);
}
