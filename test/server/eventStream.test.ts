import { once } from "node:events";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { startTestService, type TestService } from "../support/server.js";
import { listening, openStream } from "./clients.js";
import { endlessNotices, observeSubscriptions } from "./subscriptions.js";

const observer = observeSubscriptions();
let service: TestService;
beforeAll(async () => {
  service = await startTestService({ around: observer.around });
});
afterAll(() => service.stop());

async function openNotice(watcher: string, target: string) {
  await service.awareness.watch({ watcherSessionKey: watcher, targetSessionKey: target });
  await service.awareness.append({ sessionKey: target, kind: "GOAL_CHANGED", actor: { type: "HUMAN" } });
}

describe("server-sent events", () => {
  test("a subscription is a stream of `next` events that opens with a sign of life", async () => {
    await openNotice("agent:sse:main", "agent:sse:worker");
    const stream = await openStream(service.url, listening, { w: "agent:sse:main" });
    expect(stream.response.statusCode).toBe(200);
    expect(stream.response.headers).toMatchObject({
      "content-type": "text/event-stream; charset=utf-8",
      "cache-control": "no-cache, no-transform",
    });
    expect(await stream.line()).toBe(":");
    expect(await stream.line()).toBe("event: next");
    expect(JSON.parse((await stream.line()).slice("data: ".length)).data.staleNotice.targetSessionKey).toBe(
      "agent:sse:worker",
    );
    stream.leave();
    await observer.nextEnds();
  });

  test("a query and a refused subscription are one event and `complete`", async () => {
    const query = await openStream(service.url, "{ __typename }");
    const lines = [await query.line(), await query.line(), await query.line(), await query.line()];
    expect(lines).toEqual([":", "event: next", 'data: {"data":{"__typename":"Query"}}', "event: complete"]);
    await query.ended;

    const refused = await openStream(service.url, listening, { w: "agent:" });
    const { errors } = await refused.next();
    expect(errors[0].extensions).toEqual({ code: "BAD_USER_INPUT", field: "watcherSessionKey" });
    expect(await refused.line()).toBe("event: complete");
    await refused.ended;
  });

  test("a stream by GET, as EventSource asks for it", async () => {
    const url = `${service.url}?query=${encodeURIComponent('subscription { staleNotice(watcherSessionKey: "agent:get:main") { id } }')}`;
    const gone = new AbortController();
    const response = await fetch(url, { headers: { accept: "text/event-stream" }, signal: gone.signal });
    expect(response.headers.get("content-type")).toBe("text/event-stream; charset=utf-8");
    gone.abort();
    await observer.nextEnds();
  });

  test("a subscription whose client takes no stream is not begun in vain", async () => {
    const ended = observer.nextEnds();
    const response = await service.post(JSON.stringify({ query: listening, variables: { w: "agent:json:main" } }));
    expect(response.status).toBe(406);
    expect(await response.text()).toMatch(/BAD_USER_INPUT.*accept|text\/event-stream.*BAD_USER_INPUT/);
    await ended;
    expect(service.awareness.subscriberCount()).toBe(0);
  });
});

describe("a client that vanishes leaves nothing behind", () => {
  test("while it waits for a first event", async () => {
    const stream = await openStream(service.url, listening, { w: "agent:gone:main" });
    await stream.line();
    stream.leave();
    await observer.nextEnds();
    expect(service.awareness.subscriberCount()).toBe(0);
  });

  test("while its subscription is still being prepared", async () => {
    const release = observer.hold();
    const begun = observer.nextBegins();
    const gone = new AbortController();
    const asking = fetch(service.url, {
      method: "POST",
      headers: { accept: "text/event-stream", "content-type": "application/json" },
      body: JSON.stringify({ query: listening, variables: { w: "agent:gone:main" } }),
      signal: gone.signal,
    });
    await begun;
    gone.abort();
    await expect(asking).rejects.toThrow();
    await service.gql("{ __typename }");
    release();
    await observer.nextEnds();
    expect(service.awareness.subscriberCount()).toBe(0);
  });

  test("after an event", async () => {
    await openNotice("agent:gone:main", "agent:gone:worker");
    const stream = await openStream(service.url, listening, { w: "agent:gone:main" });
    await stream.next();
    stream.leave();
    await observer.nextEnds();
    expect(service.awareness.subscriberCount()).toBe(0);
  });

  test("while the socket is full", async () => {
    const { around, progress } = endlessNotices(Number.POSITIVE_INFINITY, 65_536);
    const full = await startTestService({ around, keepAliveMs: 10 });
    const stream = await openStream(full.url, listening);
    stream.response.pause();
    for (let turn = 0; turn < 300; turn += 1) await full.gql("{ __typename }");
    const socketClosed = once(stream.request, "close");
    stream.leave();
    await socketClosed;
    await full.gql("{ __typename }");
    const pulled = progress.pulled;
    for (let turn = 0; turn < 100; turn += 1) await full.gql("{ __typename }");
    expect(progress.pulled).toBe(pulled);
    await full.stop();
  });
});

test("a client that stops reading stops the server from taking more out of the domain", async () => {
  const count = 2_000;
  const bytes = 16_384;
  const { around, progress } = endlessNotices(count, bytes);
  const slow = await startTestService({ around });
  const stream = await openStream(slow.url, "subscription { staleNotice { id targetSessionKey } }");
  stream.response.pause();
  // Time for the server to do what it likes, measured in things that it did.
  for (let turn = 0; turn < 300; turn += 1) await slow.gql("{ __typename }");
  expect(progress.pulled * bytes).toBeLessThan((count * bytes) / 2); // what the two kernels hold, and not all of it
  stream.response.resume();
  for (let index = 1; index <= count; index += 1) {
    expect((await stream.next()).data.staleNotice.id).toBe(String(index));
  }
  await stream.ended;
  await slow.stop();
});

test("keep-alive: a quiet stream gives signs of life", async () => {
  const lively = await startTestService({ keepAliveMs: 20 });
  const stream = await openStream(lively.url, listening, { w: "agent:quiet:main" });
  for (let sign = 0; sign < 5; sign += 1) expect(await stream.line()).toBe(":");
  await lively.stop();
});
