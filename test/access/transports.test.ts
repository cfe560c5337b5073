import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { newSecret } from "../../src/awareness/tokenText.js";
import { type Bearer, codesOf, connect, exchange, type GuardedService, startGuarded } from "./support.js";

const hello = JSON.stringify({ query: "{ __typename }" });
const json = { "content-type": "application/json", accept: "application/json" };

let service: GuardedService;
let reader: Bearer;
/** A browser's cookie, as a login link sets it. */
let cookie: string;

beforeAll(async () => {
  service = await startGuarded();
  reader = await service.bearer({ scopes: ["read"], agents: null });
  const { code } = await service.awareness.tokens.createLogin({ scopes: ["admin"], agents: null });
  const { headers } = await exchange(`${service.origin}/login?code=${code}`, {});
  cookie = headers["set-cookie"]?.[0]?.split(";", 1)[0] ?? "";
});
afterAll(() => service.stop());

const post = (headers: Record<string, string>, url = service.url) =>
  exchange(url, { method: "POST", headers: { ...json, ...headers }, body: hello });

describe("over HTTP a token is accepted", () => {
  test("as Authorization: Bearer, by POST and by GET, the scheme in any case", async () => {
    for (const scheme of ["Bearer", "bearer", "BEARER"]) {
      expect((await post({ authorization: `${scheme} ${reader.token}` })).status).toBe(200);
    }
    const { status } = await exchange(`${service.url}?query={__typename}`, {
      headers: { authorization: `Bearer ${reader.token}`, accept: "application/json" },
    });
    expect(status).toBe(200);
  });

  test("in the cookie of a browser that has logged in", async () => {
    expect(cookie).toMatch(/^headsup_session_\d+=hup_/);
    expect((await post({ cookie: `theme=dark; ${cookie}; x=y` })).status).toBe(200);
  });

  test.each([
    ["nothing", () => ({})],
    ["an empty header", () => ({ authorization: "" })],
    ["another scheme", () => ({ authorization: `Basic ${Buffer.from(`x:${reader.token}`).toString("base64")}` })],
    ["a token without its scheme", () => ({ authorization: reader.token })],
    ["a scheme without its token", () => ({ authorization: "Bearer " })],
    ["an unknown token", () => ({ authorization: `Bearer ${newSecret()}` })],
    ["a mistyped token", () => ({ authorization: `Bearer ${reader.token.slice(0, -1)}` })],
    ["two tokens", () => ({ authorization: `Bearer ${reader.token}, Bearer ${reader.token}` })],
    ["a token as a cookie", () => ({ cookie: `${cookie.split("=", 1)[0]}=${reader.token}` })],
    ["a browser's session as a bearer token", () => ({ authorization: `Bearer ${cookie.split("=")[1]}` })],
    ["a good cookie beside a bad token", () => ({ cookie, authorization: `Bearer ${newSecret()}` })],
    ["a token in another header", () => ({ "x-authorization": `Bearer ${reader.token}`, token: reader.token })],
  ])("and %s is 401 UNAUTHENTICATED before anything runs", async (_what, headers) => {
    const answer = await post(headers());
    expect(answer.status).toBe(401);
    expect(answer.headers["www-authenticate"]).toBe('Bearer realm="headsup"');
    expect(codesOf(JSON.parse(answer.body))).toEqual(["UNAUTHENTICATED"]);
    expect(answer.body).not.toContain("data");
  });

  test("a token without its scheme is told what is missing, one that is not known is not called that", async () => {
    expect((await post({ authorization: reader.token })).body).toContain("Bearer <token>");
    expect((await post({ authorization: `Bearer ${newSecret()}` })).body).toContain("not known");
  });

  test.each(["authorization", "token", "access_token", "code", "query"])(
    "and never in a query string: ?%s=",
    async (name) => {
      for (const value of [reader.token, `Bearer ${reader.token}`]) {
        expect((await post({}, `${service.url}?${name}=${encodeURIComponent(value)}`)).status).toBe(401);
      }
    },
  );

  test("what nobody is asked for is open to all: health", async () => {
    expect((await exchange(`${service.origin}/healthz`, {})).status).toBe(200);
    expect((await exchange(`${service.origin}/readyz`, {})).status).toBe(200);
  });

  test("figures are for a token that reads", async () => {
    const writer = await service.bearer({ scopes: ["write"], agents: ["a"] });
    const status = async (headers: Record<string, string>) =>
      (await exchange(`${service.origin}/metrics`, { headers })).status;
    expect([await status({}), await status(writer.headers), await status(reader.headers)]).toEqual([401, 403, 200]);
  });
});

describe("introspection and GraphiQL", () => {
  const introspection = JSON.stringify({ query: "{ __schema { queryType { name } } }" });
  const page = (headers: Record<string, string>) =>
    exchange(service.url, { headers: { accept: "text/html", ...headers } });

  test("introspection is for whoever is let in", async () => {
    const ask = (headers: Record<string, string>) =>
      exchange(service.url, { method: "POST", headers: { ...json, ...headers }, body: introspection });
    expect((await ask(reader.headers)).body).toContain('"name":"Query"');
    expect((await ask({})).status).toBe(401);
  });

  test("the explorer is shown to a browser that has logged in; another is told how to", async () => {
    const shown = await page({ cookie });
    expect(shown.status).toBe(200);
    expect(shown.body.length).toBeGreaterThan(1_000_000);
    const told = await page({});
    expect(told.status).toBe(401);
    expect(told.body).toContain("headsup login");
    expect(told.body.length).toBeLessThan(2_000);
  });

  test("its queries and its WebSocket come in by the browser's cookie", async () => {
    const browser = { cookie, origin: service.origin, "sec-fetch-site": "same-origin" };
    expect((await post(browser)).status).toBe(200);
    const socket = await connect(service.wsUrl, { headers: browser, params: {} });
    expect((await socket.next()).type).toBe("connection_ack");
    socket.subscribe("q", "{ __typename }");
    expect((await socket.next()).payload).toEqual({ data: { __typename: "Query" } });
    socket.leave();
  });
});

describe("over WebSocket a token is accepted", () => {
  test.each<[string, () => Parameters<typeof connect>[1]]>([
    ["as connectionParams.authorization", () => ({ params: { authorization: `Bearer ${reader.token}` } })],
    ["the same as a header of GraphiQL's editor", () => ({ params: { Authorization: `Bearer ${reader.token}` } })],
    ["as a header of the upgrade", () => ({ headers: reader.headers })],
    ["in the cookie of a browser", () => ({ headers: { cookie } })],
  ])("%s", async (_how, options) => {
    const socket = await connect(service.wsUrl, options());
    expect((await socket.next()).type).toBe("connection_ack");
    socket.leave();
  });

  test.each<[string, () => Parameters<typeof connect>[1]]>([
    ["nothing", () => ({})],
    ["no authorization", () => ({ params: { token: reader.token } })],
    ["an unknown token", () => ({ params: { authorization: `Bearer ${newSecret()}` } })],
    ["a token without its scheme", () => ({ params: { authorization: reader.token } })],
    ["something else than text", () => ({ params: { authorization: { token: reader.token } } })],
    ["null", () => ({ params: { authorization: null } })],
    ["a bad token although the cookie is good", () => ({ headers: { cookie }, params: { authorization: "Bearer x" } })],
    ["a cookie that is none", () => ({ headers: { cookie: `${cookie.split("=", 1)[0]}=${newSecret()}` } })],
  ])("and %s closes it with 4401 before anything runs", async (_what, options) => {
    const socket = await connect(service.wsUrl, options());
    socket.subscribe("q", "{ __typename }");
    expect(await socket.closed).toEqual({ code: 4401, reason: "Unauthorized" });
  });

  test("and an upgrade with a bad token is refused with 401", async () => {
    const headers = { authorization: `Bearer ${newSecret()}` };
    await expect(connect(service.wsUrl, { headers })).rejects.toThrow("upgrade refused: 401");
  });

  test("and nothing runs before the client has said who it is", async () => {
    const socket = await connect(service.wsUrl, { params: { authorization: `Bearer ${newSecret()}` } });
    socket.subscribe(
      "w",
      'mutation { registerSession(input: { sessionKey: "agent:early:x" }) { session { agentId } } }',
    );
    await socket.closed;
    const { data } = await reader.gql('{ sessionsList(agentId: "early") { nodes { sessionKey } } }');
    expect(data.sessionsList.nodes).toEqual([]);
  });
});

describe("an event stream", () => {
  const subscription = { query: 'subscription { staleNotice(watcherSessionKey: "agent:a:b") { id } }' };

  test("is opened with a token, and with a browser's cookie by EventSource", async () => {
    for (const headers of [reader.headers, { cookie, "sec-fetch-site": "same-origin" }]) {
      const leaving = new AbortController();
      const response = await fetch(`${service.url}?query=${encodeURIComponent(subscription.query)}`, {
        headers: { accept: "text/event-stream", ...headers },
        signal: leaving.signal,
      });
      expect([response.status, response.headers.get("content-type")]).toEqual([
        200,
        "text/event-stream; charset=utf-8",
      ]);
      leaving.abort();
    }
  });

  test("is 401 without", async () => {
    const { status } = await exchange(service.url, {
      method: "POST",
      headers: { ...json, accept: "text/event-stream" },
      body: JSON.stringify(subscription),
    });
    expect(status).toBe(401);
  });
});

describe("the client for agents", () => {
  test("says UNAUTHENTICATED of a bad token, for calls and for subscriptions, and does not go on trying", async () => {
    const { createClient } = await import("../../src/client/index.js");
    const client = createClient({ url: service.url, token: newSecret() });
    await expect(client.sessionsList()).rejects.toMatchObject({ code: "UNAUTHENTICATED" });
    await expect(client.staleNotices({ watcherSessionKey: "agent:a:b" }).next()).rejects.toMatchObject({
      code: "UNAUTHENTICATED",
    });
  });

  test("comes in with a good one", async () => {
    const { createClient } = await import("../../src/client/index.js");
    const client = createClient({ url: service.url, token: () => Promise.resolve(reader.token) });
    expect((await client.sessionsList()).nodes).toEqual([]);
  });
});
