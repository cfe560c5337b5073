import { createConnection } from "node:net";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { startTestService, type TestService } from "../support/server.js";

let service: TestService;
beforeAll(async () => {
  service = await startTestService();
});
afterAll(() => service.stop());

const get = (path: string, headers: Record<string, string> = {}) =>
  fetch(service.origin + path, { headers, redirect: "manual" });
const registering = 'mutation { registerSession(input: { sessionKey: "agent:get:main" }) { session { agentId } } }';

describe("health", () => {
  test("GET /healthz is 200 while the process lives", async () => {
    expect((await get("/healthz")).status).toBe(200);
  });

  test("GET /readyz is 200 while the database answers", async () => {
    expect((await get("/readyz")).status).toBe(200);
  });

  test.each([
    ["says no", async () => false],
    ["breaks", () => Promise.reject(new Error("gone"))],
    ["never answers", () => new Promise<boolean>(() => {})],
  ])("GET /readyz is 503 when the database %s", async (_name, ready) => {
    const sick = await startTestService({ around: (awareness) => ({ ...awareness, ready }) });
    expect((await fetch(`${sick.origin}/readyz`)).status).toBe(503);
    expect((await fetch(`${sick.origin}/healthz`)).status).toBe(200);
    await sick.stop();
  });
});

describe("paths", () => {
  test.each(["/nothing", "/graphql/x", "/../etc/passwd", "//"])("GET %s is 404", async (path) => {
    expect((await get(path)).status).toBe(404);
  });
});

test("the explorer is one page that asks no other host for anything", async () => {
  const response = await get("/graphql", { accept: "text/html" });
  expect(response.headers.get("content-type")).toMatch(/^text\/html/);
  const html = await response.text();
  expect(html).toContain("agent:coordinator:main");
  // What a browser would fetch by itself: scripts, styles, pictures, fonts, imports.
  const fetched = [
    ...html.matchAll(
      /<(?:script|link|img|iframe|source)\b[^>]{0,500}?(?:src|href)\s*=\s*["']?(https?:)?\/\/[^"'\s>]+/gi,
    ),
    ...html.matchAll(/@import\s+(?:url\()?["']?(?:https?:)?\/\//gi),
    ...html.matchAll(/url\(\s*["']?(?:https?:)?\/\//gi),
    ...html.matchAll(/\bimport\s*\(\s*["'](?:https?:)?\/\//g),
  ].map(([text]) => text);
  expect(fetched).toEqual([]);
});

describe("GET writes nothing", () => {
  test.each(["application/json", "text/event-stream", "*/*"])("a mutation by GET is refused (%s)", async (accept) => {
    const response = await get(`/graphql?query=${encodeURIComponent(registering)}`, { accept });
    const body = await response.text();
    expect(body).toContain('"code":"BAD_USER_INPUT"');
    const { data } = await service.gql('{ sessionsList(agentId: "get") { nodes { sessionKey } } }');
    expect(data.sessionsList.nodes).toEqual([]);
  });

  test("a query by GET is answered", async () => {
    const response = await get("/graphql?query={__typename}", { accept: "application/json" });
    expect(await response.json()).toEqual({ data: { __typename: "Query" } });
  });
});

test("no origin is ever allowed to read an answer", async () => {
  const origin = { origin: "https://evil.example" };
  const answers = [
    await service.post('{"query":"{__typename}"}', origin),
    await fetch(service.url, { method: "OPTIONS", headers: { ...origin, "access-control-request-method": "POST" } }),
    await get("/graphql?query={__typename}", origin),
  ];
  for (const { headers } of answers) {
    expect([...headers.keys()].filter((name) => name.startsWith("access-control-"))).toEqual([]);
  }
});

test("a body that is not UTF-8 is refused: two names that differ in it would become one", async () => {
  const [before, after] = [
    '{"query":"mutation { registerSession(input: { sessionKey: \\"agent:utf:',
    '\\" }) { session { sessionKey } } }"}',
  ];
  for (const bytes of [[0xff], [0xc3], [0xed, 0xa0, 0x80]]) {
    const body = Buffer.concat([Buffer.from(before), Buffer.from(bytes), Buffer.from(after)]);
    const response = await fetch(service.url, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body,
    });
    expect([response.status, await response.text()]).toEqual([400, expect.stringContaining("BAD_USER_INPUT")]);
  }
  const { data } = await service.gql('{ sessionsList(agentId: "utf") { nodes { sessionKey } } }');
  expect(data.sessionsList.nodes).toEqual([]);
});

test("a body without its length is taken", async () => {
  const init: RequestInit & { duplex: "half" } = {
    method: "POST",
    headers: { "content-type": "application/json", accept: "application/json" },
    body: new Blob(['{"query":"{__typename}"}']).stream(),
    duplex: "half",
  };
  const response = await fetch(service.url, init);
  expect(await response.json()).toEqual({ data: { __typename: "Query" } });
});

test("a body without its length is cut off at 1 MiB", async () => {
  const piece = new TextEncoder().encode("x".repeat(65_536));
  let sent = 0;
  const body = new ReadableStream({
    pull(controller) {
      if (sent > 8 * 2 ** 20) return controller.close();
      sent += piece.length;
      controller.enqueue(piece);
    },
  });
  const init: RequestInit & { duplex: "half" } = {
    method: "POST",
    headers: { "content-type": "application/json" },
    body,
    duplex: "half",
  };
  const outcome = await fetch(service.url, init).then(
    ({ status }) => status,
    () => "cut off",
  );
  expect([413, "cut off"]).toContain(outcome);
  expect((await service.gql("{ __typename }")).data).toEqual({ __typename: "Query" });
});

test.each(["GET /graphql HTTP/1.1\r\n\r\n", "nonsense\r\n\r\n", "GET /graphql?query=%zz HTTP/1.1\r\nHost: x\r\n\r\n"])(
  "a request by hand gets no stack and no path: %j",
  async (text) => {
    const { port } = new URL(service.url);
    const socket = createConnection(Number(port), "127.0.0.1");
    let answer = "";
    socket.on("data", (data) => {
      answer += data;
      socket.end();
    });
    socket.write(text);
    await new Promise((resolve) => socket.once("close", resolve));
    expect(answer).toMatch(/^HTTP\/1\.1 (400|403)/);
    expect(answer).not.toMatch(/node_modules|\.ts:|\.js:|file:\/\//);
    expect((await service.gql("{ __typename }")).errors).toBeUndefined();
  },
);
