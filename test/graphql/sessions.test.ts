import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { iso, type Speaker, startSpeaker } from "./speaker.js";

let speaker: Speaker;
beforeAll(async () => {
  speaker = await startSpeaker();
});
afterAll(() => speaker.service.stop());
const ask: Speaker["ask"] = (query, variables) => speaker.ask(query, variables);

describe("sessions", () => {
  test("registerSession lists a session with its label and parent", async () => {
    const { registerSession } = await ask(
      `mutation { registerSession(input: { sessionKey: "global", agentId: "reg", label: "Front desk", spawnedBy: "agent:reg:parent" }) {
        session { sessionKey agentId label spawnedBy stateVersion createdAt updatedAt }
      } }`,
    );
    expect(registerSession.session).toEqual({
      sessionKey: "global",
      agentId: "reg",
      label: "Front desk",
      spawnedBy: "agent:reg:parent",
      stateVersion: null,
      createdAt: iso,
      updatedAt: iso,
    });
  });

  test("sessionsList pages on without overlap or hole, and its connection has edges, nodes and pageInfo", async () => {
    const keys = ["agent:pages:a", "agent:pages:b", "agent:pages:c"];
    for (const key of keys)
      await ask("mutation ($k: ID!) { registerSession(input: { sessionKey: $k }) { session { agentId } } }", {
        k: key,
      });
    const query = `query ($after: String) {
      sessionsList(agentId: "pages", first: 2, after: $after) {
        edges { cursor node { sessionKey } } nodes { sessionKey }
        pageInfo { hasNextPage hasPreviousPage startCursor endCursor }
      }
    }`;
    const { sessionsList: one } = await ask(query);
    expect(one.nodes).toEqual(one.edges.map((edge: { node: object }) => edge.node));
    expect(one.pageInfo).toEqual({
      hasNextPage: true,
      hasPreviousPage: false,
      startCursor: one.edges[0].cursor,
      endCursor: one.edges[1].cursor,
    });
    const { sessionsList: two } = await ask(query, { after: one.pageInfo.endCursor });
    expect(two.pageInfo).toMatchObject({ hasNextPage: false, hasPreviousPage: true });
    const seen = [...one.nodes, ...two.nodes].map((node: { sessionKey: string }) => node.sessionKey);
    expect(seen.sort()).toEqual(keys);
  });

  test("an empty page has no cursors", async () => {
    const { sessionsList } = await ask(
      '{ sessionsList(agentId: "nobody") { nodes { label } pageInfo { hasNextPage hasPreviousPage startCursor endCursor } } }',
    );
    const pageInfo = { hasNextPage: false, hasPreviousPage: false, startCursor: null, endCursor: null };
    expect(sessionsList).toEqual({ nodes: [], pageInfo });
  });

  test("sessionStatus is 0 and null for a session that nobody knows", async () => {
    const { sessionStatus } = await ask(
      '{ sessionStatus(sessionKey: "agent:nobody:x") { sessionKey agentId session { label } stateVersion stateChanges { historyGap } } }',
    );
    expect(sessionStatus).toEqual({
      sessionKey: "agent:nobody:x",
      agentId: "nobody",
      session: null,
      stateVersion: 0,
      stateChanges: null,
    });
  });

  test("sessionStatus with changesSince pages on by nextChangesSince", async () => {
    const key = "agent:worker:delta";
    for (const summary of ["one", "two", "three"]) await speaker.changeGoal(key, { summary });
    const query = `query ($since: StateVersion!) {
      sessionStatus(sessionKey: "${key}", changesSince: $since, first: 2) {
        stateVersion session { stateVersion }
        stateChanges { events { summary } historyGap truncated nextChangesSince }
      }
    }`;
    const { sessionStatus: one } = await ask(query, { since: 0 });
    expect(one.session.stateVersion).toBe(one.stateVersion);
    expect(one.stateChanges).toMatchObject({
      events: [{ summary: "one" }, { summary: "two" }],
      historyGap: false,
      truncated: true,
    });
    const { sessionStatus: two } = await ask(query, { since: one.stateChanges.nextChangesSince });
    expect(two.stateChanges).toEqual({
      events: [{ summary: "three" }],
      historyGap: false,
      truncated: false,
      nextChangesSince: two.stateVersion,
    });
  });

  test("resetSession ends the session's own watches, deleteSession forgets it", async () => {
    await speaker.watch("agent:reset:main", "agent:doomed:main");
    const { resetSession } = await ask(
      'mutation { resetSession(input: { sessionKey: "agent:reset:main" }) { watchesRemoved } }',
    );
    expect(resetSession).toEqual({ watchesRemoved: 1 });
    const remove = 'mutation { deleteSession(input: { sessionKey: "agent:doomed:main" }) { deleted } }';
    expect((await ask(remove)).deleteSession).toEqual({ deleted: true });
    expect((await ask(remove)).deleteSession).toEqual({ deleted: false });
  });
});
