import { once } from "node:events";
import { connect as connectTcp } from "node:net";
import { text } from "node:stream/consumers";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { codesOf, connect, exchange, type GuardedService, startGuarded } from "./support.js";

let service: GuardedService;
let port: string;
/** Headers of somebody who may do everything, so that nothing but Host and Origin can be in the way. */
let good: Record<string, string>;
let cookie: string;

beforeAll(async () => {
  service = await startGuarded({
    env: {
      HEADSUP_ALLOWED_HOSTS: "headsup.example.com,10.0.0.5:8080",
      HEADSUP_ALLOWED_ORIGINS: "https://app.example.com, http://localhost:5173/",
    },
  });
  port = new URL(service.url).port;
  good = { ...service.admin.headers, "content-type": "application/json", accept: "application/json" };
  const { code } = await service.awareness.tokens.createLogin({ scopes: ["admin"], agents: null });
  const login = await exchange(`${service.origin}/login?code=${code}`, {});
  cookie = login.headers["set-cookie"]?.[0]?.split(";", 1)[0] ?? "";
});
afterAll(() => service.stop());

const at = (form: string) => form.replaceAll("PORT", port);
const hello = '{"query":"{ __typename }"}';
const ask = (headers: Record<string, string>) =>
  exchange(service.url, { method: "POST", headers: { ...good, ...headers }, body: hello });
const upgrade = async (headers: Record<string, string>): Promise<string> => {
  try {
    const socket = await connect(service.wsUrl, { headers: { ...service.admin.headers, ...headers } });
    await socket.next();
    socket.leave();
    return "connected";
  } catch (error) {
    return String(error);
  }
};

describe("Host", () => {
  test.each(["127.0.0.1:PORT", "localhost:PORT", "[::1]:PORT", "headsup.example.com", "10.0.0.5:8080"])(
    "%s is one of ours",
    async (form) => {
      expect((await ask({ host: at(form) })).status).toBe(200);
      expect(await upgrade({ host: at(form) })).toBe("connected");
    },
  );

  test.each([
    "127.0.0.1.evil.example:PORT",
    "evil.example",
    "evil.example:PORT",
    "localhost.evil.example:PORT",
    "127.0.0.1.:PORT",
    "localhost.:PORT",
    "127.0.0.1:1",
    "127.0.0.1",
    "localhost",
    "LOCALHOST:PORT",
    "Localhost:PORT",
    "127.1:PORT",
    "127.0.0.2:PORT",
    "0x7f.0.0.1:PORT",
    "2130706433:PORT",
    "0.0.0.0:PORT",
    "[::]:PORT",
    "[0:0:0:0:0:0:0:1]:PORT",
    "[::ffff:127.0.0.1]:PORT",
    "::1:PORT",
    "127.0.0.1:0PORT",
    "127.0.0.1:PORT:PORT",
    "user@127.0.0.1:PORT",
    "127.0.0.1:PORT/",
    "127.0.0.1:PORT, evil.example",
    "evil.example, 127.0.0.1:PORT",
    " ",
    "HEADSUP.example.com",
    "headsup.example.com.",
    "headsup.example.com:443",
    "xheadsup.example.com",
    "headsup_example.com",
    "10.0.0.5",
    "null",
    "*",
  ])("%s is 403, for requests and upgrades, before anything runs", async (form) => {
    const answer = await ask({ host: at(form) });
    expect([answer.status, codesOf(JSON.parse(answer.body))]).toEqual([403, ["FORBIDDEN"]]);
    expect(await upgrade({ host: at(form) })).toContain("upgrade refused: 403");
  });

  test.each(["/", "/graphql", "/login?code=x", "/healthz", "/readyz", "/metrics", "/nothing"])(
    "is checked at %s",
    async (path) => {
      expect((await exchange(service.origin + path, { headers: { ...good, host: "evil.example" } })).status).toBe(403);
    },
  );

  test.each([
    ["no Host", "GET /healthz HTTP/1.0\r\n\r\n", 403],
    ["no Host in HTTP/1.1", "GET /healthz HTTP/1.1\r\n\r\n", 400],
    ["two Hosts", "GET /healthz HTTP/1.0\r\nHost: 127.0.0.1:PORT\r\nHost: evil.example\r\n\r\n", 403],
    ["another host in its target", "GET http://evil.example/healthz HTTP/1.0\r\nHost: 127.0.0.1:PORT\r\n\r\n", 404],
  ])("a request by hand with %s is turned away", async (_what, request, status) => {
    const socket = connectTcp(Number(port), "127.0.0.1");
    await once(socket, "connect");
    socket.write(at(request));
    expect(await text(socket)).toMatch(new RegExp(`^HTTP/1.1 ${status} `));
  });
});

describe("Origin", () => {
  test.each([
    "http://127.0.0.1:PORT",
    "http://localhost:PORT",
    "http://[::1]:PORT",
    "https://headsup.example.com",
    "http://10.0.0.5:8080",
    "https://app.example.com",
    "http://localhost:5173",
  ])("%s may call", async (form) => {
    expect((await ask({ origin: at(form) })).status).toBe(200);
    expect(await upgrade({ origin: at(form) })).toBe("connected");
  });

  test("may be absent: agents send none", async () => {
    expect((await ask({})).status).toBe(200);
    expect(await upgrade({})).toBe("connected");
  });

  test.each([
    "null",
    "https://evil.example",
    "http://evil.example:PORT",
    "http://127.0.0.1.evil.example:PORT",
    "http://localhost.evil.example",
    "http://127.0.0.1:1",
    "http://127.0.0.1",
    "http://127.0.0.1:PORT/",
    "http://127.0.0.1.:PORT",
    "HTTP://127.0.0.1:PORT",
    "http://LOCALHOST:PORT",
    "http://user@127.0.0.1:PORT",
    "ws://127.0.0.1:PORT",
    "file://",
    "chrome-extension://abcdef",
    "http://app.example.com",
    "https://app.example.com:443",
    "https://APP.example.com",
    "https://app.example.com.evil.example",
    "https://sub.app.example.com",
    "https://headsup.example.com:8443",
    "http://localhost:5174",
    "http://127.0.0.1:PORT http://evil.example",
    "127.0.0.1:PORT",
    "*",
    "",
  ])("%j is 403, for requests and upgrades, before anything runs", async (form) => {
    const answer = await ask({ origin: at(form) });
    expect([answer.status, codesOf(JSON.parse(answer.body))]).toEqual([403, ["FORBIDDEN"]]);
    expect(answer.headers["access-control-allow-origin"]).toBeUndefined();
    expect(await upgrade({ origin: at(form) })).toContain("upgrade refused: 403");
  });
});

describe("CORS", () => {
  const preflight = (origin: string) =>
    exchange(service.url, {
      method: "OPTIONS",
      headers: { origin, "access-control-request-method": "POST", "access-control-request-headers": "authorization" },
    });
  const corsOf = (headers: object) => Object.keys(headers).filter((name) => name.startsWith("access-control-"));

  test("is on for a listed origin alone, which is answered exactly, and without credentials", async () => {
    const { headers } = await ask({ origin: "https://app.example.com" });
    expect(headers["access-control-allow-origin"]).toBe("https://app.example.com");
    expect(headers["access-control-allow-credentials"]).toBeUndefined();
    expect(headers.vary).toContain("Origin");
    const asked = await preflight("https://app.example.com");
    expect(asked.status).toBe(204);
    expect(asked.headers).toMatchObject({
      "access-control-allow-origin": "https://app.example.com",
      "access-control-allow-methods": "GET, POST",
      "access-control-allow-headers": "authorization, content-type, accept",
    });
  });

  test("is off for pages of our own and for everybody else", async () => {
    expect(corsOf((await ask({ origin: service.origin })).headers)).toEqual([]);
    expect(corsOf((await preflight(service.origin)).headers)).toEqual([]);
    const foreign = await preflight("https://evil.example");
    expect([foreign.status, corsOf(foreign.headers)]).toEqual([403, []]);
  });

  test("is off while no origin is listed", async () => {
    const closed = await startGuarded();
    const headers = { ...closed.admin.headers, "content-type": "application/json", origin: closed.origin };
    const answer = await exchange(closed.url, { method: "POST", headers, body: hello });
    expect([answer.status, corsOf(answer.headers)]).toEqual([200, []]);
    await closed.stop();
  });
});

describe("a page of another site", () => {
  const write =
    '{"query":"mutation { registerSession(input: { sessionKey: \\"agent:csrf:x\\" }) { session { agentId } } }"}';
  const written = async () =>
    (await service.admin.gql('{ sessionsList(agentId: "csrf") { nodes { sessionKey } } }')).data.sessionsList.nodes;

  test.each<[string, Record<string, string>, number]>([
    ["from the internet", { origin: "https://evil.example", "sec-fetch-site": "cross-site" }, 403],
    ["from a sandbox", { origin: "null", "sec-fetch-site": "cross-site" }, 403],
    ["from another port of this machine", { origin: "http://127.0.0.1:3000", "sec-fetch-site": "same-site" }, 403],
    ["that hides where it comes from", { "sec-fetch-site": "cross-site" }, 401],
    ["on another port that hides it", { "sec-fetch-site": "same-site" }, 401],
    [
      "that is listed, which brings a token of its own",
      { origin: "http://localhost:5173", "sec-fetch-site": "same-site" },
      401,
    ],
  ])("%s cannot use a person's cookie", async (_what, headers, status) => {
    const request = { "content-type": "application/json", accept: "application/json", cookie, ...headers };
    expect((await exchange(service.url, { method: "POST", headers: request, body: write })).status).toBe(status);
    const socket = upgradeBy(headers);
    expect(await socket).toContain(status === 403 ? "403" : "4401");
    expect(await written()).toEqual([]);
  });

  /** As a browser upgrades: with the cookie, and nothing in connectionParams. */
  async function upgradeBy(headers: Record<string, string>): Promise<string> {
    try {
      const socket = await connect(service.wsUrl, { headers: { cookie, ...headers } });
      return String((await socket.closed).code);
    } catch (error) {
      return String(error);
    }
  }

  test("neither frames nor embeds what this server answers", async () => {
    for (const path of ["/graphql", "/login?code=x", "/healthz", "/nothing"]) {
      const { headers } = await exchange(service.origin + path, { headers: { cookie, accept: "text/html" } });
      expect(headers).toMatchObject({
        "x-frame-options": "DENY",
        "content-security-policy": expect.stringContaining("frame-ancestors 'none'"),
        "cross-origin-resource-policy": "same-origin",
        "x-content-type-options": "nosniff",
      });
    }
  });
});

/** Even from a page of our own, and with all rights: a browser sends these without asking, so they never write. */
describe("mutations come by POST with JSON or over the socket, and in no other way", () => {
  const mutation = 'mutation { registerSession(input: { sessionKey: "agent:forged:x" }) { session { agentId } } }';
  const form = `query=${encodeURIComponent(mutation)}`;
  const parts = `--x\r\ncontent-disposition: form-data; name="operations"\r\n\r\n${JSON.stringify({ query: mutation })}\r\n--x--\r\n`;
  const body = JSON.stringify({ query: mutation });

  test.each<[string, { method: string; type?: string; body?: string; search?: string }]>([
    ["GET", { method: "GET", search: `?${form}` }],
    ["HEAD", { method: "HEAD", search: `?${form}` }],
    ["PUT", { method: "PUT", type: "application/json", body }],
    ["text/plain", { method: "POST", type: "text/plain", body }],
    ["a form", { method: "POST", type: "application/x-www-form-urlencoded", body: form }],
    ["multipart", { method: "POST", type: "multipart/form-data; boundary=x", body: parts }],
    ["no content type", { method: "POST", body }],
    ["an empty content type", { method: "POST", type: "", body }],
    ["application/graphql", { method: "POST", type: "application/graphql", body: mutation }],
    ["JSON in capitals", { method: "POST", type: "Application/JSON", body }],
    ["what only begins like JSON", { method: "POST", type: "application/jsonx", body }],
    ["JSON as a parameter", { method: "POST", type: "text/plain; charset=application/json", body }],
    ["two types", { method: "POST", type: "text/plain, application/json", body }],
    ["a form in the query of a POST", { method: "POST", type: "text/plain", search: `?${form}` }],
  ])("%s writes nothing", async (_what, { method, type, body = "", search = "" }) => {
    const headers = {
      ...service.admin.headers,
      origin: service.origin,
      ...(type === undefined ? {} : { "content-type": type }),
    };
    const { status } = await exchange(service.url + search, { method, headers, body });
    expect(status).toBeGreaterThanOrEqual(400);
    const { data } = await service.admin.gql('{ sessionsList(agentId: "forged") { nodes { sessionKey } } }');
    expect(data.sessionsList.nodes).toEqual([]);
  });

  test.each(["application/json", "application/json; charset=utf-8"])("%s writes", async (type) => {
    const query = 'mutation { registerSession(input: { sessionKey: "agent:json:x" }) { session { agentId } } }';
    const headers = { ...service.admin.headers, "content-type": type };
    const answer = await exchange(service.url, { method: "POST", headers, body: JSON.stringify({ query }) });
    expect(JSON.parse(answer.body).data.registerSession.session.agentId).toBe("json");
  });
});
