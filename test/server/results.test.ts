import { afterEach, describe, expect, test } from "vitest";
import type { SessionChange, StaleNotice } from "../../src/awareness/awareness.js";
import type { RunningAwareness } from "../../src/awareness/createAwareness.js";
import { startTestService, type TestService } from "../support/server.js";
import { type Message, openSocket, openStream } from "./clients.js";

let service: TestService;
afterEach(() => service.stop());

/** What a subscription is answered with first, over either transport. */
const firstResult: Record<string, (query: string) => Promise<Message["payload"]>> = {
  async WebSocket(query) {
    const client = await openSocket(service.wsUrl);
    client.subscribe("x", query);
    const { payload } = await client.next();
    client.socket.terminate();
    return payload;
  },
  async "event stream"(query) {
    const stream = await openStream(service.url, query);
    const payload = await stream.next();
    stream.leave();
    return payload;
  },
};

describe.each(Object.entries(firstResult))("a subscription over %s", (_transport, resultOf) => {
  test("that costs too much is refused before it begins", async () => {
    let begun = 0;
    service = await startTestService({
      env: { HEADSUP_MAX_QUERY_COST: "3" },
      around: (awareness) => ({
        ...awareness,
        subscribe(...watcher) {
          begun += 1;
          return awareness.subscribe(...watcher);
        },
      }),
    });
    const { errors, data } = await resultOf("subscription { staleNotice { id notified text } }");
    expect([errors[0].extensions, data, begun]).toEqual([{ code: "LIMIT_EXCEEDED" }, undefined, 0]);
  });

  test("says no more of an error in one result than of any other, and counts it", async () => {
    const notice = { id: "x", openedAt: new Date(Number.NaN) };
    service = await startTestService({
      around: (awareness) => ({ ...awareness, subscribe: async () => only(notice) }),
    });
    const result = await resultOf("subscription { staleNotice { id openedAt } }");
    expect(result).toEqual({
      data: null,
      errors: [
        {
          message: expect.stringMatching(/^Something went wrong on the server/),
          path: ["staleNotice", "openedAt"],
          locations: [expect.anything()],
          extensions: { code: "INTERNAL_SERVER_ERROR" },
        },
      ],
    });
    expect(service.logged.join("")).toContain("Invalid time value");
    const metrics = await (await fetch(`${service.origin}/metrics`)).text();
    expect(metrics).toContain('headsup_refused_total{code="INTERNAL_SERVER_ERROR"} 1');
  });
});

/** An event that the schema cannot express, for there is no other way to an error in a result. */
async function* only(notice: object): AsyncGenerator<StaleNotice> {
  yield notice as StaleNotice;
}

function signal(): { given: Promise<void>; give(): void } {
  let give: () => void = () => {};
  const given = new Promise<void>((resolve) => {
    give = resolve;
  });
  return { given, give };
}

const changes = "subscription { sessionChanged { session { watcherCount } } }";

/** The real domain, where one session changes and its counts are asked for; and it is told when that is over. */
async function startWhileResultIsMade() {
  const [begun, counts, ended] = [signal(), signal(), signal()];
  service = await startTestService({
    around: (awareness) => ({
      ...awareness,
      sessionChanges: async () => changing(awareness, ended.give),
      async sessionCounts(sessions) {
        begun.give();
        await counts.given;
        return awareness.sessionCounts(sessions);
      },
    }),
  });
  await service.awareness.registerSession({ sessionKey: "agent:made:main" });
  const client = await openSocket(service.wsUrl);
  client.subscribe("x", changes);
  await begun.given;
  return { client, ended: ended.given, finish: counts.give };
}

function changing(awareness: RunningAwareness, ended: () => void): AsyncIterableIterator<SessionChange> {
  let told = false;
  const iterator: AsyncIterableIterator<SessionChange> = {
    async next() {
      if (told) return new Promise(() => {});
      told = true;
      const [edge] = (await awareness.sessionsList({})).edges;
      if (edge === undefined) throw new Error("a session was registered");
      const { sessionKey, agentId } = edge.node;
      return { value: { kind: "CHANGED", sessionKey, agentId, session: edge.node }, done: false };
    },
    async return() {
      ended();
      return { value: undefined, done: true };
    },
    [Symbol.asyncIterator]: () => iterator,
  };
  return iterator;
}

describe("while a result is being made", () => {
  test("a client that vanishes leaves nothing behind", async () => {
    const { client, ended, finish } = await startWhileResultIsMade();
    client.socket.terminate();
    await ended;
    finish();
  });

  test("a client that has enough is told nothing more", async () => {
    const { client, ended, finish } = await startWhileResultIsMade();
    client.send({ type: "complete", id: "x" });
    await ended;
    finish();
    client.subscribe("y", "{ viewer { name } }");
    expect([(await client.next()).id, await client.next()]).toEqual(["y", { id: "y", type: "complete" }]);
    client.socket.terminate();
  });

  test("a client that stays is told the result", async () => {
    const { client, finish } = await startWhileResultIsMade();
    finish();
    expect((await client.next()).payload).toEqual({ data: { sessionChanged: { session: { watcherCount: 0 } } } });
    client.socket.terminate();
  });
});
