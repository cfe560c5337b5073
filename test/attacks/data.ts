import { describe, expect, test } from "vitest";
import type { Target } from "./target.js";
import { ask, transports } from "./transports.js";

const append = "mutation ($input: AppendInput!) { append(input: $input) { recorded event { sequence payload } } }";
const drain = `mutation ($w: ID!) { drainNotices(input: { watcherSessionKey: $w }) { notices { id } } }`;
const pending = "query ($w: ID!) { pendingNotices(watcherSessionKey: $w) { id } }";
const acknowledge = `mutation ($w: ID!, $ids: [ID!]!) {
  acknowledgeNotices(input: { watcherSessionKey: $w, noticeIds: $ids }) { results { outcome reopened { id } } }
}`;
const watch = `mutation ($w: ID!, $t: ID!) { watch(input: { watcherSessionKey: $w, targetSessionKey: $t }) { watched } }`;

export function dataAttacks(target: () => Target): void {
  const event = (sessionKey: string, more: object = {}) => ({
    input: { sessionKey, kind: "GOAL_CHANGED", actor: { type: "HUMAN" }, ...more },
  });

  test("a stolen id of another watcher's notice is unknown, and that notice stands", async () => {
    const [victim, thief, session] = ["agent:victim:main", "agent:thief:main", "agent:theft:main"];
    for (const w of [victim, thief]) await target().gql(watch, { w, t: session });
    await target().gql(append, event(session));
    await target().gql(drain, { w: thief });
    const [{ id }] = (await target().gql(pending, { w: victim })).data.pendingNotices;

    for (const transport of transports) {
      const variables = JSON.stringify({ w: thief, ids: [id, `${id}x`, "", "__proto__", "0", id.toUpperCase()] });
      const { data } = await ask(target(), transport, { query: acknowledge, variables });
      for (const result of data.acknowledgeNotices.results)
        expect(result).toEqual({ outcome: "UNKNOWN", reopened: null });
    }
    expect((await target().gql(pending, { w: victim })).data.pendingNotices).toEqual([{ id }]);
    const own = await target().gql(acknowledge, { w: victim, ids: [id] });
    expect(own.data.acknowledgeNotices.results).toEqual([{ outcome: "ACKNOWLEDGED", reopened: null }]);
  });

  describe.each(transports)("__proto__ over %s", (transport) => {
    test("as an alias is a name like any other", async () => {
      const query =
        '{ __proto__: __typename constructor: sessionStatus(sessionKey: "agent:a:b") { __proto__: stateVersion } }';
      const { data } = await ask(target(), transport, { query });
      expect(Object.entries(data)).toEqual([
        ["__proto__", "Query"],
        ["constructor", expect.anything()],
      ]);
      expect(Object.entries(data.constructor)).toEqual([["__proto__", 0]]);
    });

    test("as a key of a payload is data", async () => {
      const payload = '{ "__proto__": "polluted", "constructor": 1, "toString": null }';
      const literal =
        'mutation { append(input: { sessionKey: "agent:proto:main", kind: GOAL_CHANGED, actor: { type: HUMAN }, payload: { __proto__: "polluted", constructor: 1, toString: null } }) { event { payload } } }';
      const variables = JSON.stringify(event("agent:proto:main", { payload: "here" })).replace('"here"', payload);
      for (const operation of [{ query: append, variables }, { query: literal }]) {
        const { data } = await ask(target(), transport, operation);
        expect(Object.entries(data.append.event.payload)).toEqual([
          ["__proto__", "polluted"],
          ["constructor", 1],
          ["toString", null],
        ]);
      }
    });

    test("as an object in a payload is refused, and pollutes nothing", async () => {
      const payload = '{ "__proto__": { "polluted": true } }';
      const variables = JSON.stringify(event("agent:proto:main", { payload: "here" })).replace('"here"', payload);
      const { errors } = await ask(target(), transport, { query: append, variables });
      expect(errors[0].extensions).toEqual({ code: "BAD_USER_INPUT", field: "payload.__proto__" });
    });

    test("as the name of a variable, an operation or an input pollutes nothing", async () => {
      const named = await ask(target(), transport, {
        query: "query __proto__($__proto__: ID!) { sessionStatus(sessionKey: $__proto__) { sessionKey } }",
        variables: '{ "__proto__": "agent:proto:main" }',
      });
      expect(JSON.stringify(named)).not.toContain("polluted");
      const extra = await ask(target(), transport, {
        query: append,
        variables: '{ "input": { "__proto__": { "polluted": true }, "sessionKey": "agent:proto:main" } }',
      });
      expect(extra.errors[0].extensions.code).toBe("BAD_USER_INPUT");
      const clean = await target().gql('{ sessionStatus(sessionKey: "agent:proto:main") { sessionKey } }');
      expect(clean).toEqual({ data: { sessionStatus: { sessionKey: "agent:proto:main" } } });
    });
  });
}
