import { once } from "node:events";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { refusalCodes } from "../../src/awareness/refusals.js";
import { startTestService, type TestService } from "../support/server.js";
import { listening, openSocket } from "./clients.js";
import { endlessNotices, observeSubscriptions } from "./subscriptions.js";

const observer = observeSubscriptions();
let service: TestService;
beforeAll(async () => {
  service = await startTestService({ around: observer.around });
});
afterAll(() => service.stop());

const humanWrites = `mutation ($key: ID!) {
  append(input: { sessionKey: $key, kind: HUMAN_DIRECT_MESSAGE, actor: { type: HUMAN } }) { recorded }
}`;
async function watch(watcher: string, target: string) {
  await service.awareness.watch({ watcherSessionKey: watcher, targetSessionKey: target });
}

describe("graphql-transport-ws", () => {
  test("carries queries, mutations and subscriptions on one connection", async () => {
    await watch("agent:ws:main", "agent:ws:worker");
    const client = await openSocket(service.wsUrl);
    client.subscribe("news", listening, { w: "agent:ws:main" });
    client.subscribe("write", humanWrites, { key: "agent:ws:worker" });
    const messages = [await client.next(), await client.next(), await client.next()];
    expect(messages.filter(({ id }) => id === "write")).toEqual([
      { id: "write", type: "next", payload: { data: { append: { recorded: true } } } },
      { id: "write", type: "complete" },
    ]);
    expect(messages.find(({ id }) => id === "news")?.payload.data.staleNotice.targetSessionKey).toBe("agent:ws:worker");
    client.send({ type: "complete", id: "news" });
    await observer.nextEnds();
    expect(service.awareness.subscriberCount()).toBe(0);
    client.socket.close();
  });

  test.each([
    ["a syntax error", "subscription {", undefined, "query"],
    ["an unknown field", "subscription { news }", undefined, "news"],
    [
      "a bad variable",
      'query ($v: StateVersion) { sessionStatus(sessionKey: "agent:a:b", changesSince: $v) { stateVersion } }',
      { v: -1 },
      "changesSince",
    ],
    ["a bad watcher", listening, { w: "agent:" }, "watcherSessionKey"],
    [
      "a subscription to nobody",
      "subscription { staleNotice(watcherSessionKey: 1.5) { id } }",
      undefined,
      "watcherSessionKey",
    ],
    ["two operations and no choice", "query A { __typename } query B { __typename }", undefined, "operationName"],
  ])("%s is refused with code and field, and ends no other subscription", async (_name, query, variables, field) => {
    await watch("agent:steady:main", "agent:steady:worker");
    const client = await openSocket(service.wsUrl);
    client.subscribe("steady", listening, { w: "agent:steady:main" });
    client.subscribe("bad", query, variables);
    const answer = await client.next();
    const errors = answer.type === "error" ? answer.payload : answer.payload.errors;
    expect(answer.id).toBe("bad");
    expect(errors[0].extensions).toEqual({ code: "BAD_USER_INPUT", field });
    expect(JSON.stringify(answer)).not.toMatch(/"http"|"stack"|originalError/);

    await service.gql(humanWrites, { key: "agent:steady:worker" });
    for (let message = await client.next(); ; message = await client.next()) {
      if (message.id === "bad") continue; // its complete
      expect(message).toMatchObject({ id: "steady", type: "next" });
      break;
    }
    await service.awareness.drainNotices({ watcherSessionKey: "agent:steady:main" });
    client.socket.close();
    await observer.nextEnds();
  });

  test("a message of more than 1 MiB closes the connection with 1009", async () => {
    const client = await openSocket(service.wsUrl);
    client.subscribe("big", `{ __typename } #${"x".repeat(2 ** 20)}`);
    expect((await client.closed).code).toBe(1009);
  });

  test("text that is no message closes the connection with 4400", async () => {
    const client = await openSocket(service.wsUrl);
    client.send("hello");
    expect((await client.closed).code).toBe(4400);
  });

  test.each([
    { type: "connection_ack" },
    { type: "next", id: "x", payload: { data: null } },
    { type: "error", id: "x", payload: [{ message: "no" }] },
  ])("what only a server says closes the connection with 4400: $type", async (message) => {
    const client = await openSocket(service.wsUrl);
    client.send(JSON.stringify(message));
    expect((await client.closed).code).toBe(4400);
  });

  test.each(["staleNotice @include(if: $b) { id }", "...f"])("%s is told why a subscription may not", async (root) => {
    const client = await openSocket(service.wsUrl);
    const fragment = root === "...f" ? " fragment f on Subscription { staleNotice @include(if: $b) { id } }" : "";
    client.subscribe("conditional", `subscription ($b: Boolean!) { ${root} }${fragment}`, { b: true });
    const answer = await client.next();
    expect([answer.type, answer.payload[0].message]).toEqual(["error", expect.stringContaining("leave out @include")]);
    client.socket.close();
  });

  test("a ping that nests deeper than its pong can be written closes the connection with 4400", async () => {
    const client = await openSocket(service.wsUrl);
    client.send(`{"type":"ping","payload":${'{"a":'.repeat(6_000)}1${"}".repeat(6_000)}}`);
    expect((await client.closed).code).toBe(4400);
    expect(service.logged.filter((line) => line.includes('"level":50'))).toEqual([]);
  });

  test("many subscriptions on one connection are no leak that Node would warn of", async () => {
    const warnings: Error[] = [];
    const keep = (warning: Error) => warnings.push(warning);
    process.on("warning", keep);
    const client = await openSocket(service.wsUrl);
    for (let n = 0; n < 20; n += 1) {
      const begun = observer.nextBegins();
      client.subscribe(`many ${n}`, listening, { w: `agent:many:${n}` });
      await begun;
    }
    client.socket.close();
    await client.closed;
    process.off("warning", keep);
    expect(warnings).toEqual([]);
  });

  test("another path is turned away", async () => {
    const { WebSocket } = await import("ws");
    const [, response] = await once(
      new WebSocket(service.wsUrl.replace("/graphql", "/other"), "graphql-transport-ws"),
      "unexpected-response",
    );
    expect(response.statusCode).toBe(404);
    response.destroy();
  });
});

test("a subscription whose storage fails gets a code of the closed list", async () => {
  const broken = await startTestService({
    around: (awareness) => ({
      ...awareness,
      subscribe: async () => {
        const failing: AsyncIterableIterator<never> = {
          next: () => Promise.reject(new Error("SQLITE_IOERR at /home/ada")),
          return: async () => ({ done: true, value: undefined }),
          [Symbol.asyncIterator]: () => failing,
        };
        return failing;
      },
    }),
  });
  const client = await openSocket(broken.wsUrl);
  client.subscribe("x", listening, { w: "agent:a:b" });
  const answer = await client.next();
  const [error] = answer.type === "error" ? answer.payload : answer.payload.errors;
  expect(refusalCodes).toContain(error.extensions.code);
  expect(JSON.stringify(answer)).not.toMatch(/SQLITE|home/);
  client.socket.close();
  await broken.stop();
});

describe("a client that vanishes leaves nothing behind", () => {
  test("while it waits for a first event", async () => {
    const client = await openSocket(service.wsUrl);
    const begun = observer.nextBegins();
    client.subscribe("x", listening, { w: "agent:gone:main" });
    await begun;
    client.socket.terminate();
    await observer.nextEnds();
    expect(service.awareness.subscriberCount()).toBe(0);
  });

  test("while its subscription is still being prepared", async () => {
    const release = observer.hold();
    const client = await openSocket(service.wsUrl);
    const begun = observer.nextBegins();
    client.subscribe("x", listening, { w: "agent:gone:main" });
    await begun;
    client.socket.terminate();
    await client.closed;
    release();
    await observer.nextEnds();
    expect(service.awareness.subscriberCount()).toBe(0);
  });

  test("after events, and when it has used one id twice", async () => {
    await watch("agent:gone:main", "agent:gone:worker");
    await service.gql(humanWrites, { key: "agent:gone:worker" });
    const release = observer.hold();
    const client = await openSocket(service.wsUrl);
    client.subscribe("x", listening, { w: "agent:gone:main" });
    client.send({ type: "complete", id: "x" });
    client.subscribe("x", listening, { w: "agent:gone:main" });
    release();
    await client.next();
    client.socket.terminate();
    await observer.nextEnds();
    // The other of the two is ended in the same turn.
    expect(service.awareness.subscriberCount()).toBe(0);
  });
});

test("a client that stops reading stops the server from taking more out of the domain", async () => {
  const count = 2_000;
  const bytes = 16_384;
  const { around, progress } = endlessNotices(count, bytes);
  const slow = await startTestService({ around });
  const client = await openSocket(slow.wsUrl);
  client.socket.pause();
  client.subscribe("x", "subscription { staleNotice { id targetSessionKey } }");
  // Time for the server to do what it likes, measured in things that it did.
  for (let turn = 0; turn < 300; turn += 1) await slow.gql("{ __typename }");
  expect(progress.pulled).toBeGreaterThan(0);
  expect(progress.pulled * bytes).toBeLessThan((count * bytes) / 2); // what the two kernels hold, and not all of it
  client.socket.resume();
  for (let index = 1; index <= count; index += 1) {
    expect((await client.next()).payload.data.staleNotice.id).toBe(String(index));
  }
  client.socket.close();
  await slow.stop();
});

describe("keep-alive", () => {
  test("the server pings, and keeps a client that answers", async () => {
    const lively = await startTestService({ keepAliveMs: 20 });
    const client = await openSocket(lively.wsUrl);
    for (let ping = 0; ping < 5; ping += 1) await once(client.socket, "ping");
    expect(client.socket.readyState).toBe(client.socket.OPEN);
    await lively.stop();
  });

  test("a client that does not answer is cut off", async () => {
    const lively = await startTestService({ keepAliveMs: 20 });
    const client = await openSocket(lively.wsUrl, { autoPong: false });
    expect((await client.closed).code).toBe(1006);
    await lively.stop();
  });
});
