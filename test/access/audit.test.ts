import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { newSecret } from "../../src/awareness/tokenText.js";
import { auditOf, connect, exchange, type GuardedService, startGuarded } from "./support.js";

let service: GuardedService;
beforeAll(async () => {
  service = await startGuarded();
});
afterAll(() => service.stop());

/** The audit lines that `act` has caused. */
async function audited(act: () => Promise<unknown>): Promise<Record<string, unknown>[]> {
  const before = auditOf(service).length;
  await act();
  return auditOf(service).slice(before);
}

const json = { "content-type": "application/json", accept: "application/json" };
const post = (headers: Record<string, string>) =>
  exchange(service.url, { method: "POST", headers: { ...json, ...headers }, body: '{"query":"{ __typename }"}' });

describe("one audit line for each refused access", () => {
  test.each<[string, () => Promise<unknown>, object]>([
    ["no token", () => post({}), { code: "UNAUTHENTICATED", why: "no token" }],
    ["a bad token", () => post({ authorization: "Bearer x" }), { code: "UNAUTHENTICATED", why: "bad token" }],
    [
      "a foreign Host",
      () => post({ host: "evil.example" }),
      { code: "FORBIDDEN", why: "foreign host", host: "evil.example" },
    ],
    ["a foreign Origin", () => post({ origin: "null" }), { code: "FORBIDDEN", why: "foreign origin", origin: "null" }],
    ["a bad login link", () => exchange(`${service.origin}/login?code=x`, {}), { why: "bad login link" }],
    ["a WebSocket without a token", async () => (await connect(service.wsUrl)).closed, { why: "no token" }],
    [
      "a WebSocket with a bad token",
      async () => (await connect(service.wsUrl, { params: { authorization: "Bearer x" } })).closed,
      { code: "UNAUTHENTICATED", why: "bad token" },
    ],
    [
      "an upgrade with a bad token",
      () => connect(service.wsUrl, { headers: { authorization: "Bearer x" } }).catch(() => {}),
      { code: "UNAUTHENTICATED", why: "bad token" },
    ],
    [
      "an upgrade from a foreign page",
      () => connect(service.wsUrl, { headers: { origin: "https://evil.example" } }).catch(() => {}),
      { code: "FORBIDDEN", why: "foreign origin", origin: "https://evil.example" },
    ],
  ])("%s", async (_what, act, fields) => {
    const lines = await audited(act);
    expect(lines).toHaveLength(1);
    expect(lines[0]).toMatchObject({ act: "refused", address: "127.0.0.1", ...fields });
  });

  test("a field that the token may not ask for names the token and the field", async () => {
    const { gql, id } = await service.bearer({ scopes: ["read"], agents: ["mine"] });
    const lines = await audited(() =>
      gql('mutation { deleteSession(input: { sessionKey: "agent:mine:x" }) { deleted } }'),
    );
    expect(lines).toEqual([
      expect.objectContaining({ act: "refused", code: "FORBIDDEN", field: "Mutation.deleteSession", token: id }),
    ]);
  });
});

describe("one audit line for each act of an admin", () => {
  test("a token made, and revoked", async () => {
    const made = await audited(() => service.bearer({ scopes: ["read"], agents: ["mine"] }));
    expect(made).toEqual([
      expect.objectContaining({ act: "token created", scopes: ["read"], agents: ["mine"], token: expect.any(String) }),
    ]);
    const revoked = await audited(() => service.awareness.tokens.revoke(String(made[0]?.token)));
    expect(revoked).toEqual([expect.objectContaining({ act: "token revoked", token: made[0]?.token })]);
  });

  test("a login link made, and used", async () => {
    let link = "";
    const made = await audited(async () => {
      link = (await service.awareness.tokens.createLogin({ scopes: ["admin"], agents: null })).code;
    });
    expect(made).toEqual([expect.objectContaining({ act: "login link made" })]);
    const used = await audited(() => exchange(`${service.origin}/login?code=${link}`, {}));
    expect(used).toEqual([expect.objectContaining({ act: "logged in", scopes: ["admin"] })]);
  });

  test("a session deleted", async () => {
    await service.admin.gql(
      'mutation { registerSession(input: { sessionKey: "agent:a:old" }) { session { agentId } } }',
    );
    const lines = await audited(() =>
      service.admin.gql('mutation { deleteSession(input: { sessionKey: "agent:a:old" }) { deleted } }'),
    );
    expect(lines).toEqual([
      expect.objectContaining({
        act: "admin act",
        field: "Mutation.deleteSession",
        sessionKey: "agent:a:old",
        token: service.admin.id,
      }),
    ]);
  });

  test("what everybody may do leaves none", async () => {
    const lines = await audited(async () => {
      await service.admin.gql("{ sessionsList { nodes { sessionKey } } }");
      await service.admin.gql(
        'mutation { registerSession(input: { sessionKey: "agent:a:b" }) { session { agentId } } }',
      );
    });
    expect(lines).toEqual([]);
  });
});

test("secrets are never in the log, nor in what the server answers", async () => {
  const secrets: string[] = [];
  const answers: string[] = [];
  const { token } = await service.bearer({ scopes: ["read"], agents: ["mine"] });
  const { code } = await service.awareness.tokens.createLogin({ scopes: ["admin"], agents: null });
  const login = await exchange(`${service.origin}/login?code=${code}`, {});
  const session = login.headers["set-cookie"]?.[0]?.match(/hup_\w+/)?.[0] ?? "";
  const unknown = newSecret();
  secrets.push(token, code, session, unknown, service.admin.token);

  const query = (text: string) => ({ method: "POST", headers: json, body: JSON.stringify({ query: text }) });
  const bodies = await Promise.all([
    post({ authorization: `Bearer ${token}` }),
    post({ authorization: `Bearer ${unknown}` }),
    post({ authorization: unknown }),
    post({ cookie: `headsup_session_${new URL(service.url).port}=${session}` }),
    post({ cookie: `headsup_session_${new URL(service.url).port}=${unknown}` }),
    exchange(`${service.origin}/login?code=${code}`, {}),
    exchange(`${service.origin}/login?code=${unknown}`, {}),
    exchange(`${service.url}?token=${token}`, {}),
    exchange(`${service.origin}/${token}`, {}),
    exchange(service.url, { ...query("{ __typename"), headers: { ...json, authorization: `Bearer ${token}` } }),
    exchange(service.url, { ...query("{ nothing }"), headers: { ...json, authorization: `Bearer ${token}` } }),
    exchange(service.url, {
      ...query('mutation { deleteSession(input: { sessionKey: "agent:mine:x" }) { deleted } }'),
      headers: { ...json, authorization: `Bearer ${token}` },
    }),
  ]);
  answers.push(...bodies.map(({ body, headers }) => body + JSON.stringify(headers)));
  for (const authorization of [`Bearer ${token}`, `Bearer ${unknown}`, unknown]) {
    const socket = await connect(service.wsUrl, { params: { authorization } });
    socket.send({ type: "ping", payload: { authorization } });
    socket.leave();
    await socket.closed;
  }
  await service.awareness.tokens.revoke(String((await service.awareness.tokens.list()).at(-1)?.id));

  const said = service.logged.join("") + answers.join("");
  expect(service.logged.length).toBeGreaterThan(10);
  for (const secret of secrets) expect(said).not.toContain(secret.slice(0, 20));
});
