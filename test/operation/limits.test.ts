import { getIntrospectionQuery } from "graphql";
import { afterEach, describe, expect, test } from "vitest";
import { listening, openSocket, openStream } from "../server/clients.js";
import { startTestService, type TestService } from "../support/server.js";

let service: TestService;
afterEach(() => service?.stop());

const register = 'mutation { registerSession(input: { sessionKey: "agent:limited:main" }) { session { agentId } } }';
const start = async (env: Record<string, string>) => {
  service = await startTestService({ env });
  return service;
};

describe("the rate of mutations", () => {
  test("over HTTP: beyond it 429 with RATE_LIMITED and when to come back, and queries go on", async () => {
    const { post, gql } = await start({ HEADSUP_MAX_MUTATIONS_PER_10S: "3" });
    for (let call = 0; call < 3; call += 1) expect((await gql(register)).errors).toBeUndefined();
    const refused = await post(JSON.stringify({ query: register }));
    const { errors, data } = (await refused.json()) as { errors: [{ extensions: object }]; data?: unknown };
    expect(refused.status).toBe(429);
    expect(data).toBeUndefined();
    expect(errors[0].extensions).toEqual({ code: "RATE_LIMITED", retryAfterMs: expect.any(Number) });
    const seconds = Number(refused.headers.get("retry-after"));
    expect(seconds).toBeGreaterThanOrEqual(1);
    expect(seconds).toBeLessThanOrEqual(10);
    expect(await gql("{ __typename }")).toEqual({ data: { __typename: "Query" } });
  });

  test("it is one for all connections of a client, and counts every field of a mutation", async () => {
    const { wsUrl, gql, url } = await start({ HEADSUP_MAX_MUTATIONS_PER_10S: "3" });
    const three = `mutation { ${["a", "b", "c"].map((name) => `${name}: ${register.slice(11, -2)}`).join(" ")} }`;
    expect((await gql(three)).errors).toBeUndefined();
    const client = await openSocket(wsUrl);
    client.subscribe("x", register);
    expect((await client.next()).payload.errors[0].extensions).toEqual({
      code: "RATE_LIMITED",
      retryAfterMs: expect.any(Number),
    });
    client.socket.terminate();
    const stream = await openStream(url, register);
    expect((await stream.next()).errors[0].extensions.code).toBe("RATE_LIMITED");
  });
});

describe("configured limits hold", () => {
  const codeOf = async (query: string) => (await service.gql(query)).errors?.[0]?.extensions.code;

  test.each([
    ["HEADSUP_MAX_QUERY_DEPTH", "2", "{ sessionsList { pageInfo { hasNextPage } } }"],
    ["HEADSUP_MAX_QUERY_ALIASES", "0", "{ a: __typename }"],
    ["HEADSUP_MAX_QUERY_DIRECTIVES", "0", "{ __typename @skip(if: true) }"],
    ["HEADSUP_MAX_QUERY_TOKENS", "10", "{ sessionsList(first: 1) { nodes { label } } }"],
    ["HEADSUP_MAX_QUERY_COST", "10", "{ sessionsList(first: 10) { nodes { label } } }"],
  ])("%s=%s", async (variable, value, query) => {
    await start({ [variable]: value });
    expect(await codeOf(query)).toBe("LIMIT_EXCEEDED");
    expect(await codeOf("{ __typename }")).toBeUndefined();
  });

  test("HEADSUP_MAX_QUERY_TOKENS may be so high that nesting uses up the stack: that is refused too", async () => {
    await start({ HEADSUP_MAX_QUERY_TOKENS: "100000" });
    expect(await codeOf(`{ a(x: ${"[".repeat(45_000)}${"]".repeat(45_000)}) }`)).toBe("LIMIT_EXCEEDED");
  });

  test("HEADSUP_MAX_REQUEST_BYTES is that of bodies and messages", async () => {
    await start({ HEADSUP_MAX_REQUEST_BYTES: "2048" });
    const body = JSON.stringify({ query: `{ __typename } #${"x".repeat(3_000)}` });
    const refused = await service.post(body);
    expect([refused.status, (await refused.text()).includes("LIMIT_EXCEEDED")]).toEqual([413, true]);
    const client = await openSocket(service.wsUrl);
    client.send(body);
    expect((await client.closed).code).toBe(1009);
  });

  test("HEADSUP_MAX_INIT_WAIT_MS: who says nothing for so long is closed with 4408", async () => {
    await start({ HEADSUP_MAX_INIT_WAIT_MS: "50" });
    const { WebSocket } = await import("ws");
    const socket = new WebSocket(service.wsUrl, "graphql-transport-ws");
    expect(await new Promise((resolve) => socket.once("close", resolve))).toBe(4408);
  });

  test("HEADSUP_MAX_SOCKETS and HEADSUP_MAX_SOCKETS_PER_TOKEN count WebSockets and streams", async () => {
    await start({ HEADSUP_MAX_SOCKETS: "2" });
    const client = await openSocket(service.wsUrl);
    const stream = await openStream(service.url, listening, { w: "agent:a:b" });
    await stream.line();
    await expect(openSocket(service.wsUrl)).rejects.toThrow("429");
    expect((await openStream(service.url, listening, { w: "agent:a:b" })).response.statusCode).toBe(429);
    client.socket.terminate();
    stream.leave();
  });

  test("HEADSUP_MAX_SUBSCRIPTIONS_PER_SOCKET: one that has ended makes room", async () => {
    await start({ HEADSUP_MAX_SUBSCRIPTIONS_PER_SOCKET: "1" });
    const client = await openSocket(service.wsUrl);
    const subscribers = async (count: number) => {
      while (service.awareness.subscriberCount() !== count) await service.gql("{ __typename }");
    };
    client.subscribe("a", listening, { w: "agent:a:b" });
    client.subscribe("b", listening, { w: "agent:a:c" });
    const refused = await client.next();
    expect([refused.id, refused.payload[0].extensions.code]).toEqual(["b", "LIMIT_EXCEEDED"]);
    await subscribers(1);
    client.send({ type: "complete", id: "a" });
    await subscribers(0);
    // One that comes to nothing takes no place.
    client.subscribe("c", listening, { w: "agent:" });
    expect((await client.next()).payload.errors[0].extensions.code).toBe("BAD_USER_INPUT");
    expect(await client.next()).toEqual({ id: "c", type: "complete" });
    client.subscribe("d", listening, { w: "agent:a:d" });
    await subscribers(1);
    client.socket.terminate();
  });
});

test("a refusal does not depend on what the client accepts, but for the status that goes with it", async () => {
  const { post } = await start({});
  const body = JSON.stringify({ query: `{ ${"__typename ".repeat(100)} }` });
  const statuses = await Promise.all(
    ["application/json", "application/graphql-response+json"].map(async (accept) => {
      const response = await post(body, { accept });
      expect(await response.text()).toContain('"code":"LIMIT_EXCEEDED"');
      return response.status;
    }),
  );
  expect(statuses).toEqual([200, 400]);
});

test("the same document is refused every time, and a good one taken every time", async () => {
  const { gql } = await start({});
  for (let again = 0; again < 3; again += 1) {
    const { errors } = await gql(`{ ${"__typename ".repeat(100)} }`);
    expect(errors?.[0]?.extensions.code).toBe("LIMIT_EXCEEDED");
    expect((await gql(getIntrospectionQuery())).errors).toBeUndefined();
  }
});

test("many operations at a time on one WebSocket are answered one after the other, all of them", async () => {
  const { wsUrl } = await start({});
  const client = await openSocket(wsUrl);
  for (let id = 0; id < 1_000; id += 1) client.subscribe(String(id), "{ __typename }");
  const answered = new Set<string | undefined>();
  for (let message = 0; message < 2_000; message += 1) answered.add((await client.next()).id);
  expect(answered.size).toBe(1_000);
  client.socket.terminate();
});
