import { buildSchema } from "graphql";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Scope } from "../../src/awareness/viewer.js";
import { guarded, needs } from "../../src/graphql/permissions.js";
import { schema } from "../../src/graphql/schema.js";
import { codesOf, connect, type GuardedService, startGuarded } from "./support.js";

const roots = ["Query", "Mutation", "Subscription"];

describe("one table says which field needs what", () => {
  test("every field of Query, Mutation and Subscription has an entry, and no entry is for nothing", () => {
    const fields = roots.flatMap((root) => {
      const type = schema.getRootType(root.toLowerCase() as never);
      return Object.keys(type?.getFields() ?? {}).map((field) => `${root}.${field}`);
    });
    expect(Object.keys(needs).sort()).toEqual(fields.sort());
  });

  test.each(["type Query { news: Int }", "type Query { sessionsList: Int } type Mutation { news: Int }"])(
    "a field without an entry keeps the server from starting: %s",
    (sdl) => {
      expect(() => guarded(buildSchema(sdl))).toThrow(/\.news has no entry in graphql\/permissions\.ts/);
    },
  );

  test("names that every object has are no entries", () => {
    for (const name of ["constructor", "toString", "__proto__"]) expect(Object.hasOwn(needs, name)).toBe(false);
  });
});

let service: GuardedService;
beforeAll(async () => {
  service = await startGuarded();
});
afterAll(() => service.stop());

const noDigest = "0".repeat(64);

/** Every field, asked of a session of the agent `$agent`. */
const operations: Record<string, (key: string, watcher: string) => string> = {
  "Query.viewer": () => "{ viewer { name scopes agents } }",
  "Query.sessionStatus": (key) => `{ sessionStatus(sessionKey: "${key}") { stateVersion } }`,
  "Query.sessionsList": () => "{ sessionsList { nodes { sessionKey } } }",
  "Query.watches": () => "{ watches { nodes { targetSessionKey } } }",
  "Query.upstreamCatalog": () => "{ upstreamCatalog { nodes { threadId } } }",
  "Query.pendingNotices": (_key, watcher) => `{ pendingNotices(watcherSessionKey: "${watcher}") { id } }`,
  "Mutation.append": (key) => `mutation { append(input: ${event(key)}) { recorded } }`,
  "Mutation.appendMany": (key) => `mutation { appendMany(inputs: [${event(key)}, ${event(key)}]) { recorded } }`,
  "Mutation.registerSession": (key) =>
    `mutation { registerSession(input: { sessionKey: "${key}" }) { session { agentId } } }`,
  "Mutation.resetSession": (key) => `mutation { resetSession(input: { sessionKey: "${key}" }) { watchesRemoved } }`,
  "Mutation.noteOwnPrompt": (key) =>
    `mutation { noteOwnPrompt(input: { sessionKey: "${key}", textDigest: "${"0".repeat(64)}" }) { noted } }`,
  "Mutation.watch": (key, watcher) => `mutation { watch(input: ${pair(key, watcher)}) { watched } }`,
  "Mutation.unwatch": (key, watcher) => `mutation { unwatch(input: ${pair(key, watcher)}) { removed } }`,
  "Mutation.reconcile": (key, watcher) =>
    `mutation { reconcile(input: { watcherSessionKey: "${watcher}", targetSessionKey: "${key}", upTo: 0 }) { watch { pending } } }`,
  "Mutation.drainNotices": (_key, watcher) =>
    `mutation { drainNotices(input: { watcherSessionKey: "${watcher}" }) { remaining } }`,
  "Mutation.acknowledgeNotices": (_key, watcher) =>
    `mutation { acknowledgeNotices(input: { watcherSessionKey: "${watcher}", noticeIds: ["x"] }) { results { outcome } } }`,
  "Mutation.deleteSession": (key) => `mutation { deleteSession(input: { sessionKey: "${key}" }) { deleted } }`,
  "Mutation.adoptSession": (key) =>
    `mutation { adoptSession(input: { source: { kind: CODEX, threadId: "none" }, agentId: "${key.split(":")[1]}" }) { created } }`,
  // For all agents or not at all: test/node/permissions.test.ts.
  "Query.nodeWork": () => '{ nodeWork(nodeId: "laptop") { starts { id } } }',
  "Mutation.reportNode": () =>
    `mutation { reportNode(input: { nodeId: "laptop", machineDigest: "${noDigest}", cadenceMs: 1, catalogId: "${noDigest}", threads: [], goneThreads: [], complete: true, quietLinkIds: [] }) { catalogKnown } }`,
  "Mutation.reportCheck": () =>
    `mutation { reportCheck(input: { nodeId: "laptop", machineDigest: "${noDigest}", linkId: "1", revision: 0, outcome: GONE, sentAt: "2026-11-30T16:00:00Z" }) { saved } }`,
  "Mutation.reportStart": () =>
    `mutation { reportStart(input: { nodeId: "laptop", machineDigest: "${noDigest}", startId: "1", because: UNREADABLE }) { taken } }`,
};
const event = (key: string) => `{ sessionKey: "${key}", kind: GOAL_CHANGED, actor: { type: SYSTEM } }`;
const pair = (key: string, watcher: string) => `{ watcherSessionKey: "${watcher}", targetSessionKey: "${key}" }`;

/** What the issue says of each field, in its words. */
const read = [
  "Query.sessionStatus",
  "Query.sessionsList",
  "Query.watches",
  "Query.upstreamCatalog",
  "Query.pendingNotices",
];
const write = [
  "Mutation.append",
  "Mutation.appendMany",
  "Mutation.registerSession",
  "Mutation.resetSession",
  "Mutation.noteOwnPrompt",
];
const writeWhatIsRead = [
  "Mutation.watch",
  "Mutation.unwatch",
  "Mutation.reconcile",
  "Mutation.drainNotices",
  "Mutation.acknowledgeNotices",
];
/** They say nothing of others, whoever asks: reach.test.ts. */
const lists = ["Query.viewer", "Query.sessionsList", "Query.watches", "Query.upstreamCatalog"];
const fields = Object.keys(operations);

function allowed(field: string, scopes: readonly Scope[]): boolean {
  if (scopes.includes("admin") || field === "Query.viewer") return true;
  if (read.includes(field)) return scopes.includes("read");
  if (write.includes(field)) return scopes.includes("write");
  return writeWhatIsRead.includes(field) && scopes.includes("read") && scopes.includes("write");
}

test("this page knows every field but the subscriptions, which are below", () => {
  const subscriptions = ["Subscription.staleNotice", "Subscription.sessionChanged"];
  expect([...subscriptions, ...fields].sort()).toEqual(Object.keys(needs).sort());
});

describe.each<[Scope[]]>([[["read"]], [["write"]], [["read", "write"]], [["admin"]]])("a token with %j", (scopes) => {
  const agents = scopes.includes("admin") ? null : ["mine"];

  test.each(fields)("%s on its own sessions", async (field) => {
    const { gql } = await service.bearer({ scopes, agents });
    const text = operations[field]?.("agent:mine:target", "agent:mine:watcher") ?? "";
    const codes = codesOf(await gql(text));
    if (allowed(field, scopes)) expect(codes ?? []).not.toContain("FORBIDDEN");
    else expect(codes).toEqual(["FORBIDDEN"]);
  });

  test.each(fields.filter((field) => !lists.includes(field)))("%s on sessions of other agents", async (field) => {
    const { gql } = await service.bearer({ scopes, agents });
    const text = operations[field]?.("agent:theirs:target", "agent:theirs:watcher") ?? "";
    const codes = codesOf(await gql(text));
    if (scopes.includes("admin")) expect(codes ?? []).not.toContain("FORBIDDEN");
    else expect(codes).toEqual(["FORBIDDEN"]);
  });
});

describe("a token of one agent", () => {
  const mineToo = { scopes: ["read", "write"] as const, agents: ["mine", "mine-too"] };

  test.each([
    ["watches a target of another agent", "watch", "agent:mine:w", "agent:theirs:t", undefined],
    ["watches a bare target of another agent", "watch", "agent:mine:w", "global", "theirs"],
    ["watches for a watcher of another agent", "watch", "agent:theirs:w", "agent:mine:t", undefined],
    ["watches for a bare watcher", "watch", "bare", "agent:mine:t", undefined],
    ["ends the watch of another agent", "unwatch", "agent:theirs:w", "agent:mine:t", undefined],
  ])("never %s", async (_what, mutation, watcher, target, targetAgentId) => {
    const { gql } = await service.bearer(mineToo);
    const answer = await gql(`mutation ($input: WatchInput!) { ${mutation}(input: $input) { __typename } }`, {
      input: { watcherSessionKey: watcher, targetSessionKey: target, targetAgentId },
    });
    expect(codesOf(answer)).toEqual(["FORBIDDEN"]);
  });

  test("watches a bare target of its own, and of the second of its agents", async () => {
    const { gql } = await service.bearer(mineToo);
    for (const targetAgentId of ["mine", "mine-too"]) {
      const input = { watcherSessionKey: "agent:mine:w", targetSessionKey: "global", targetAgentId };
      const answer = await gql("mutation ($input: WatchInput!) { watch(input: $input) { watched } }", { input });
      expect(answer.data.watch).toEqual({ watched: true });
    }
  });

  test.each(["agent:mine-too:x", "agent:min:x", "agent:MINE:x", "agent:mine_:x", "agent:mine2:x"])(
    "is not taken for one of %s",
    async (sessionKey) => {
      const { gql } = await service.bearer({ scopes: ["read"], agents: ["mine"] });
      const answer = await gql("query ($k: ID!) { sessionStatus(sessionKey: $k) { stateVersion } }", { k: sessionKey });
      expect(codesOf(answer)).toEqual(["FORBIDDEN"]);
    },
  );

  test("hears of bad input as everybody does", async () => {
    const { gql } = await service.bearer({ scopes: ["read"], agents: ["mine"] });
    const answer = await gql('{ sessionStatus(sessionKey: "agent:mine") { stateVersion } }');
    expect(answer.errors?.[0]?.extensions).toEqual({ code: "BAD_USER_INPUT", field: "sessionKey" });
  });
});

describe("appending to another agent's session", () => {
  const append =
    "mutation ($inputs: [AppendInput!]!) { appendMany(inputs: $inputs) { recorded duplicate event { sequence } } }";
  const input = (over: object) => ({
    sessionKey: "agent:theirs:log",
    kind: "GOAL_CHANGED",
    actor: { type: "AGENT", id: "agent:mine:main" },
    ...over,
  });
  const versionOf = async (sessionKey: string) => (await service.awareness.sessionStatus({ sessionKey })).stateVersion;

  test("is for an actor that is one of one's own sessions", async () => {
    const { gql } = await service.bearer({ scopes: ["write"], agents: ["mine"] });
    const { data } = await gql(append, { inputs: [input({})] });
    expect(data.appendMany[0]).toMatchObject({ recorded: true, event: { sequence: expect.any(Number) } });
  });

  test.each([
    ["another agent's session", { actor: { type: "AGENT", id: "agent:theirs:main" } }],
    ["nobody in particular", { actor: { type: "AGENT" } }],
    ["a bare session", { actor: { type: "AGENT", id: "global" } }],
    ["a human", { actor: { type: "HUMAN", id: "agent:mine:main" } }],
    ["the system", { actor: { type: "SYSTEM" } }],
  ])("in the name of %s is refused, and nothing of the call is written", async (_name, over) => {
    const { gql } = await service.bearer({ scopes: ["write"], agents: ["mine"] });
    const before = [await versionOf("agent:mine:log"), await versionOf("agent:theirs:log")];
    const answer = await gql(append, { inputs: [input({ sessionKey: "agent:mine:log" }), input(over)] });
    expect(answer.errors?.[0]?.extensions).toEqual({ code: "FORBIDDEN", field: "inputs[1].sessionKey" });
    expect([await versionOf("agent:mine:log"), await versionOf("agent:theirs:log")]).toEqual(before);
  });

  test("never shows what somebody else has logged there under the same dedupe key", async () => {
    const theirs = { type: "AGENT", id: "agent:theirs:main" } as const;
    await service.awareness.append({
      sessionKey: "agent:theirs:log",
      kind: "GOAL_CHANGED",
      actor: theirs,
      dedupeKey: "k1",
      summary: "a secret plan",
    });
    const { gql } = await service.bearer({ scopes: ["write"], agents: ["mine"] });
    const { data } = await gql(append, {
      inputs: [input({ dedupeKey: "k1" }), input({ dedupeKey: "k2" }), input({ dedupeKey: "k2" })],
    });
    expect(data.appendMany).toEqual([
      { recorded: true, duplicate: true, event: null },
      { recorded: true, duplicate: false, event: { sequence: expect.any(Number) } },
      { recorded: true, duplicate: true, event: { sequence: expect.any(Number) } },
    ]);
  });

  test("a spawn makes its actor watch, so child and parent are both one's own", async () => {
    const { gql } = await service.bearer({ scopes: ["read", "write"], agents: ["mine"] });
    const spawn = (sessionKey: string, id: string) =>
      gql(append, { inputs: [{ sessionKey, kind: "CHILD_SPAWNED", actor: { type: "AGENT", id } }] });
    expect(codesOf(await spawn("agent:theirs:child", "agent:mine:main"))).toEqual(["FORBIDDEN"]);
    expect(codesOf(await spawn("agent:mine:child", "agent:theirs:main"))).toEqual(["FORBIDDEN"]);
    expect((await spawn("agent:mine:child", "agent:mine:main")).errors).toBeUndefined();
  });
});

describe("staleNotice", () => {
  const listening = "subscription ($w: ID) { staleNotice(watcherSessionKey: $w) { targetSessionKey } }";

  test.each<[string, { scopes: Scope[]; agents: string[] | null }, string | null, string | null]>([
    ["without a watcher is for a token that reads all agents", { scopes: ["read"], agents: null }, null, null],
    ["without a watcher is for an admin", { scopes: ["admin"], agents: null }, null, null],
    ["without a watcher is not for a token of one agent", { scopes: ["read"], agents: ["mine"] }, null, "FORBIDDEN"],
    ["is for a watcher of one's agents", { scopes: ["read"], agents: ["mine"] }, "agent:mine:w", null],
    ["is not for another's watcher", { scopes: ["read"], agents: ["mine"] }, "agent:theirs:w", "FORBIDDEN"],
    ["is not for a token that only writes", { scopes: ["write"], agents: null }, null, "FORBIDDEN"],
  ])("%s, over WebSocket and as an event stream", async (_what, rights, watcher, code) => {
    const { token, headers } = await service.bearer(rights);
    const socket = await connect(service.wsUrl, { params: { authorization: `Bearer ${token}` } });
    await socket.next(); // connection_ack
    socket.subscribe("s", listening, { w: watcher });
    const leaving = new AbortController();
    const response = await fetch(service.url, {
      method: "POST",
      headers: { ...headers, "content-type": "application/json", accept: "text/event-stream" },
      body: JSON.stringify({ query: listening, variables: { w: watcher } }),
      signal: leaving.signal,
    });
    if (code !== null) {
      const message = await socket.next();
      expect(JSON.stringify(message)).toContain(`"code":"${code}"`);
      expect(await response.text()).toContain(`"code":"${code}"`);
    } else {
      expect(response.headers.get("content-type")).toContain("text/event-stream");
      while (service.awareness.subscriberCount() < 2) await service.gql("{ __typename }");
    }
    leaving.abort();
    socket.leave();
    while (service.awareness.subscriberCount() > 0) await service.gql("{ __typename }");
  });
});

test.each<[Scope[], string]>([
  [["write"], '"code":"FORBIDDEN"'],
  [["read"], '"READ_AGAIN"'],
])("sessionChanged for a token with %j", async (scopes, expected) => {
  const { token } = await service.bearer({ scopes, agents: ["mine"] });
  const socket = await connect(service.wsUrl, { params: { authorization: `Bearer ${token}` } });
  await socket.next(); // connection_ack
  socket.subscribe("s", "subscription { sessionChanged { kind } }");
  expect(JSON.stringify(await socket.next())).toContain(expected);
  socket.leave();
});

test("viewer says what the token may do", async () => {
  const { gql } = await service.bearer({ scopes: ["read"], agents: ["mine"] });
  expect((await gql("{ viewer { scopes agents } }")).data.viewer).toEqual({ scopes: ["READ"], agents: ["mine"] });
});

test("scopes come from the stored token alone, never from anything a client declares", async () => {
  const { token, headers } = await service.bearer({ scopes: ["read"], agents: ["mine"] });
  const claims = { scopes: ["admin"], agents: null, scope: "admin", viewer: { scopes: ["admin"] }, admin: true };
  const query = 'mutation { deleteSession(input: { sessionKey: "agent:mine:x" }) { deleted } }';
  const claimed = { ...headers, "x-scopes": "admin", "x-agents": "all", scopes: "admin" };
  const answer = await service.post(JSON.stringify({ query, extensions: claims, variables: claims }), claimed);
  expect(codesOf(await answer.json())).toEqual(["FORBIDDEN"]);

  const socket = await connect(service.wsUrl, { params: { ...claims, authorization: `Bearer ${token}` } });
  await socket.next();
  socket.send({ type: "subscribe", id: "d", payload: { query, extensions: claims } });
  expect(JSON.stringify(await socket.next())).toContain('"code":"FORBIDDEN"');
  socket.leave();
});
