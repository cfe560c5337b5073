import { afterAll, describe, expect, test } from "vitest";
import { codesOf, startGuarded } from "../access/support.js";
import { startTestService } from "../support/server.js";

const services: { stop(): Promise<void> }[] = [];
afterAll(async () => {
  for (const service of services) await service.stop();
});

const lead = "agent:lead:main";
const coder = "agent:coder:main";

describe("what the console asks for", () => {
  test("the counts of a whole page of sessions are read in one go", async () => {
    let reads = 0;
    const service = await startTestService({
      around: (awareness) => ({
        ...awareness,
        sessionCounts(sessions, reach) {
          reads += 1;
          return awareness.sessionCounts(sessions, reach);
        },
      }),
    });
    services.push(service);
    await service.gql(
      `mutation { ${Array.from({ length: 30 }, (_, i) => `w${i}: watch(input: { watcherSessionKey: "${lead}", targetSessionKey: "agent:c${i}:main" }) { watched }`).join(" ")} }`,
    );
    await service.gql(
      `mutation { append(input: { sessionKey: "agent:c7:main", kind: GOAL_CHANGED, actor: { type: HUMAN } }) { recorded } }`,
    );
    const { data } = await service.gql(
      `{ sessionsList(orderBy: LAST_CHANGE, first: 50) { nodes { sessionKey watcherCount pendingWatcherCount pendingCount } } }`,
    );
    expect(reads).toBe(1);
    expect(data.sessionsList.nodes).toHaveLength(30);
    expect(data.sessionsList.nodes[0]).toEqual({
      sessionKey: "agent:c7:main",
      watcherCount: 1,
      pendingWatcherCount: 1,
      pendingCount: 0,
    });
  });

  test("watches can be asked for by whether a notice is pending, and bring it along", async () => {
    const service = await startTestService();
    services.push(service);
    await service.gql(`mutation {
      a: watch(input: { watcherSessionKey: "${lead}", targetSessionKey: "${coder}" }) { watched }
      b: watch(input: { watcherSessionKey: "${lead}", targetSessionKey: "global", targetAgentId: "x" }) { watched }
      append(input: { sessionKey: "${coder}", kind: GOAL_CHANGED, actor: { type: HUMAN } }) { recorded }
    }`);
    const ask = async (pending: boolean) =>
      (await service.gql(`{ watches(pending: ${pending}) { nodes { targetSessionKey notice { id text } } } }`)).data
        .watches.nodes;
    const { data } = await service.gql(`{ pendingNotices(watcherSessionKey: "${lead}") { id text } }`);
    expect(await ask(true)).toEqual([{ targetSessionKey: coder, notice: data.pendingNotices[0] }]);
    expect(await ask(false)).toEqual([{ targetSessionKey: "global", notice: null }]);
  });

  test("latestEvents are the last ones up to the version, ascending; prunedUpTo is the pruned watermark", async () => {
    const service = await startTestService({ env: { HEADSUP_RETENTION_ROWS: "5" } });
    services.push(service);
    await service.gql(`mutation($all: [AppendInput!]!) { appendMany(inputs: $all) { recorded } }`, {
      all: Array.from({ length: 9 }, () => ({ sessionKey: coder, kind: "COMPACTED", actor: { type: "SYSTEM" } })),
    });
    await service.awareness.sweep();
    const { data } = await service.gql(
      `{ sessionStatus(sessionKey: "${coder}") { stateVersion prunedUpTo latestEvents(limit: 3) { sequence } } }`,
    );
    expect(data.sessionStatus).toEqual({
      stateVersion: 9,
      prunedUpTo: 4,
      latestEvents: [{ sequence: 7 }, { sequence: 8 }, { sequence: 9 }],
    });
    const refused = await service.gql(
      `{ sessionStatus(sessionKey: "${coder}") { latestEvents(limit: 0) { sequence } } }`,
    );
    expect(refused.errors?.[0]?.extensions).toMatchObject({ code: "BAD_USER_INPUT", field: "limit" });
  });

  test("viewer tells every token what it may do; sessionChanged needs the scope read", async () => {
    const service = await startGuarded();
    services.push(service);
    const writer = await service.bearer({ scopes: ["write"], agents: ["coder"] });
    const { data } = await writer.gql(`{ viewer { scopes agents } }`);
    expect(data.viewer).toEqual({ scopes: ["WRITE"], agents: ["coder"] });
    expect((await service.admin.gql(`{ viewer { scopes agents } }`)).data.viewer).toEqual({
      scopes: ["READ", "WRITE", "ADMIN"],
      agents: null,
    });
    const refused = await fetch(service.url, {
      method: "POST",
      headers: { ...writer.headers, "content-type": "application/json", accept: "text/event-stream" },
      body: JSON.stringify({ query: "subscription { sessionChanged { kind } }" }),
    });
    expect(await refused.text()).toContain("FORBIDDEN");
  });

  test("whoever reaches some agents is counted only what they reach", async () => {
    const service = await startGuarded();
    services.push(service);
    await service.admin.gql(`mutation {
      a: watch(input: { watcherSessionKey: "${lead}", targetSessionKey: "${coder}" }) { watched }
      b: watch(input: { watcherSessionKey: "agent:coder:other", targetSessionKey: "${coder}" }) { watched }
      append(input: { sessionKey: "${coder}", kind: GOAL_CHANGED, actor: { type: HUMAN } }) { recorded }
    }`);
    const reader = await service.bearer({ scopes: ["read"], agents: ["coder"] });
    const query = `{ sessionsList { nodes { sessionKey watcherCount pendingWatcherCount } } }`;
    expect((await reader.gql(query)).data.sessionsList.nodes).toEqual([
      { sessionKey: coder, watcherCount: 1, pendingWatcherCount: 1 },
    ]);
    expect((await service.admin.gql(query)).data.sessionsList.nodes).toEqual([
      { sessionKey: coder, watcherCount: 2, pendingWatcherCount: 2 },
    ]);
    expect(codesOf(await reader.gql(query))).toBeUndefined();
  });
});
