import { expect, test } from "vitest";
import { type NamedChange, SessionSubscriber } from "../../src/awareness/sessionSubscriber.js";
import type { SessionIdentity } from "../../src/storage/records.js";
import type { Changed } from "../../src/storage/sessionChanges.js";

const [a, b, c] = ["a", "b", "c"].map((name) => ({ sessionKey: `agent:x:${name}`, agentId: "x" })) as [
  SessionIdentity,
  SessionIdentity,
  SessionIdentity,
];

function names(sessions: readonly SessionIdentity[]): Changed {
  return { sessions: [...sessions], pairs: [] };
}

/** A subscriber whose reads the test ends itself. */
function open() {
  const reads: { sessions: readonly SessionIdentity[]; end(): void }[] = [];
  const begun: (() => void)[] = [];
  const subscriber = new SessionSubscriber(
    { agentId: null, agents: null },
    {
      read: (sessions) =>
        new Promise((resolve) => {
          const end = () =>
            resolve(sessions.map((session): NamedChange => ({ kind: "DELETED", ...session, session: null })));
          reads.push({ sessions, end });
          for (const wake of begun.splice(0)) wake();
        }),
      pace: async () => {},
      failed: async () => {},
      ended: () => {},
    },
  );
  /** The next read that begins. */
  const read = async () => {
    while (reads.length === 0) await new Promise<void>((resolve) => begun.push(resolve));
    const [next] = reads.splice(0, 1);
    if (next === undefined) throw new Error("there is one");
    return next;
  };
  const told = async () => (await subscriber.next()).value?.sessionKey ?? null;
  return { subscriber, read, told };
}

test("a follower ends at once, also while a read hangs", async () => {
  const { subscriber, read } = open();
  await subscriber.next();
  subscriber.hear(names([a]));
  const waiting = [subscriber.next(), subscriber.next()];
  await read();
  await subscriber.return();
  expect(await Promise.all(waiting)).toEqual(Array(2).fill({ value: undefined, done: true }));
});

test("a session that changes while it waits to be told is read again, and waits once", async () => {
  const { subscriber, read, told } = open();
  await subscriber.next();
  subscriber.hear(names([a, b, c]));
  const first = told();
  (await read()).end();
  expect(await first).toBe(a.sessionKey);
  subscriber.hear(names([b]));
  expect(await told()).toBe(c.sessionKey);
  const again = told();
  const second = await read();
  expect(second.sessions).toEqual([b]);
  second.end();
  expect(await again).toBe(b.sessionKey);
});

test("sessions that change during every read are told of all the same, one after the other", async () => {
  const { subscriber, read, told } = open();
  await subscriber.next();
  subscriber.hear(names([a, b, c]));
  const heard: unknown[] = [];
  for (let round = 0; round < 3; round += 1) {
    const next = told();
    const { end, sessions } = await read();
    subscriber.hear(names(sessions.slice(1)));
    subscriber.hear(names(sessions.slice(0, 1)));
    end();
    heard.push(await next);
  }
  expect(heard).toEqual([a.sessionKey, b.sessionKey, c.sessionKey]);
});

test("READ_AGAIN stands for all that waits, also for what is being read", async () => {
  const { subscriber, read, told } = open();
  await subscriber.next();
  subscriber.hear(names([a, b]));
  const first = told();
  const { end } = await read();
  subscriber.hearOfTooMany();
  expect(await first).toBeNull();
  const next = told();
  end();
  subscriber.hear(names([c]));
  (await read()).end();
  expect(await next).toBe(c.sessionKey);
});

test("a watcher that is not listed is not told as deleted, but a deleted session is, whatever its watches do", async () => {
  const { subscriber, read, told } = open();
  await told(); // READ_AGAIN
  const watched: Changed = {
    sessions: [],
    pairs: [{ watcherSessionKey: a.sessionKey, targetSessionKey: b.sessionKey, targetAgentId: b.agentId }],
  };
  const next = told();
  subscriber.hear(watched);
  (await read()).end(); // both sides turn out not to be listed, and nobody hears of it
  subscriber.hear(names([b]));
  const second = await read();
  subscriber.hear(watched);
  second.end();
  expect(await next).toBe(b.sessionKey);
});
