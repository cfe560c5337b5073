import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type GraphQLAnswer, startTestService, type TestService } from "../support/server.js";

let service: TestService;
beforeAll(async () => {
  service = await startTestService();
});
afterAll(() => service.stop());

const target = "agent:worker:main";
const event = { sessionKey: target, kind: "GOAL_CHANGED", actor: { type: "HUMAN" } };
const append = "mutation ($input: AppendInput!) { append(input: $input) { recorded } }";
const appendMany = "mutation ($inputs: [AppendInput!]!) { appendMany(inputs: $inputs) { recorded } }";
const status =
  'query ($version: StateVersion) { sessionStatus(sessionKey: "agent:worker:main", changesSince: $version) { stateVersion } }';
const list = "query ($count: Int) { sessionsList(first: $count) { nodes { sessionKey } } }";
const literalStatus = (version: string) =>
  `{ sessionStatus(sessionKey: "${target}", changesSince: ${version}) { stateVersion } }`;
const literalAppend = (rest: string) =>
  `mutation { append(input: { sessionKey: "${target}", kind: GOAL_CHANGED, actor: { type: HUMAN }, ${rest} }) { recorded } }`;

function expectOnly({ errors }: GraphQLAnswer, code: string, field?: string) {
  expect(errors).toHaveLength(1);
  expect(errors?.[0]?.extensions).toEqual(field === undefined ? { code } : { code, field });
}

describe("BAD_USER_INPUT names the offending input", () => {
  test.each<[string, string, Record<string, unknown> | undefined, string]>([
    ["a negative version, as a variable", status, { version: -1 }, "changesSince"],
    ["a broken version", status, { version: 1.5 }, "changesSince"],
    ["a version in quotes", status, { version: "abc" }, "changesSince"],
    ["a version that is a boolean", status, { version: true }, "changesSince"],
    ["version 2^53", status, { version: 2 ** 53 }, "changesSince"],
    ["version 2^63", status, { version: 2 ** 63 }, "changesSince"],
    ["a negative version, written out", literalStatus("-1"), undefined, "changesSince"],
    ["a broken version, written out", literalStatus("1.5"), undefined, "changesSince"],
    ["a version in quotes, written out", literalStatus('"abc"'), undefined, "changesSince"],
    ["a version that is a boolean, written out", literalStatus("true"), undefined, "changesSince"],
    ["version 2^53, written out", literalStatus("9007199254740992"), undefined, "changesSince"],
    ["version 2^53 + 1, written out", literalStatus("9007199254740993"), undefined, "changesSince"],
    ["version 2^63, written out", literalStatus("9223372036854775808"), undefined, "changesSince"],
    ["first: 0", list, { count: 0 }, "first"],
    ["first: 201", list, { count: 201 }, "first"],
    ["first beyond 32 bits", list, { count: 2 ** 31 }, "first"],
    ["first: 201, written out", "{ sessionsList(first: 201) { nodes { sessionKey } } }", undefined, "first"],
    ["first in quotes, written out", '{ sessionsList(first: "1") { nodes { sessionKey } } }', undefined, "first"],
    ["a cursor that is none", '{ sessionsList(after: "nonsense") { nodes { sessionKey } } }', undefined, "after"],
    ["an unknown field", "{ sessionsList { nodes { sessionKeys } } }", undefined, "sessionKeys"],
    ["an unknown root field", "{ foo }", undefined, "foo"],
    ["a subscription to nothing", "subscription { staleNotice @skip(if: true) { id } }", undefined, "staleNotice"],
    ["an unknown argument", "{ sessionsList(last: 1) { nodes { sessionKey } } }", undefined, "last"],
    ["a missing argument", "{ sessionStatus { stateVersion } }", undefined, "sessionKey"],
    ["a missing input", "mutation { append { recorded } }", undefined, "input"],
    ["a missing variable", append, {}, "input"],
    ["a null variable", append, { input: null }, "input"],
    ["an unknown kind", append, { input: { ...event, kind: "PARTY" } }, "kind"],
    ["an unknown actor type", append, { input: { ...event, actor: { type: "CAT" } } }, "actor.type"],
    ["a missing kind", append, { input: { ...event, kind: undefined } }, "kind"],
    ["a missing actor type", append, { input: { ...event, actor: {} } }, "actor.type"],
    ["an unknown input field", append, { input: { ...event, mood: "good" } }, "mood"],
    ["an unknown actor field", append, { input: { ...event, actor: { type: "HUMAN", age: 3 } } }, "actor.age"],
    ["an item with an unknown kind", appendMany, { inputs: [event, { ...event, kind: "PARTY" }] }, "inputs[1].kind"],
    ["an item without a kind", appendMany, { inputs: [event, { ...event, kind: undefined }] }, "inputs[1].kind"],
    ["an item with a bad key", appendMany, { inputs: [event, { ...event, sessionKey: " x" }] }, "inputs[1].sessionKey"],
    ["501 items", appendMany, { inputs: Array(501).fill(event) }, "inputs"],
    ["no items", appendMany, { inputs: [] }, "inputs"],
    ["an unknown kind, written out", literalAppend("outcome: NONE"), undefined, "outcome"],
    ["an unknown input field, written out", literalAppend("mood: 1"), undefined, "mood"],
    [
      "a missing kind, written out",
      `mutation { append(input: { sessionKey: "x", actor: { type: HUMAN } }) { recorded } }`,
      undefined,
      "kind",
    ],
    [
      "a missing actor type in a list",
      `mutation { appendMany(inputs: [{ sessionKey: "x", kind: ADOPTED, actor: {} }]) { recorded } }`,
      undefined,
      "inputs[0].actor.type",
    ],
    ["a payload that is a list", append, { input: { ...event, payload: [] } }, "payload"],
    ["a payload that is text, written out", literalAppend('payload: "x"'), undefined, "payload"],
    ["a nested payload", append, { input: { ...event, payload: { a: {} } } }, "payload.a"],
    ["a nested payload, written out", literalAppend("payload: { a: [1] }"), undefined, "payload.a"],
    ["a broken qualified key", append, { input: { ...event, sessionKey: "agent:" } }, "sessionKey"],
    ["a bare key without its agent", append, { input: { ...event, sessionKey: "global" } }, "agentId"],
    ["a failed run without an outcome", append, { input: { ...event, kind: "RUN_FAILED" } }, "outcome"],
    [
      "a variable deep inside",
      'mutation ($t: ActorType!) { append(input: { sessionKey: "x", kind: ADOPTED, actor: { type: $t } }) { recorded } }',
      { t: "CAT" },
      "actor.type",
    ],
    [
      "a variable of the wrong type",
      "query ($n: String) { sessionsList(first: $n) { nodes { sessionKey } } }",
      { n: "1" },
      "first",
    ],
    ["an undeclared variable", "{ sessionsList(first: $n) { nodes { sessionKey } } }", undefined, "first"],
    [
      "an argument that a variable makes null",
      'query ($k: ID = "x") { sessionStatus(sessionKey: $k) { stateVersion } }',
      { k: null },
      "sessionKey",
    ],
    ["a syntax error", "{ sessionsList(", undefined, "query"],
    ["an empty document", "", undefined, "query"],
    ["two operations and no choice", "query A { __typename } query B { __typename }", undefined, "operationName"],
  ])("%s", async (_name, query, variables, field) => {
    expectOnly(await service.gql(query, variables), "BAD_USER_INPUT", field);
  });

  test.each([
    ["a body that is no JSON", "{", "query"],
    ["a body that is no object", "3", "query"],
    ["a body without a query", "{}", "query"],
    ["variables that are text", '{"query":"{__typename}","variables":"x"}', "variables"],
    ["an unknown parameter", '{"query":"{__typename}","colour":"red"}', "colour"],
    ["a batch", '[{"query":"{__typename}"}]', "query"],
  ])("%s", async (_name, body, field) => {
    expectOnly((await (await service.post(body)).json()) as GraphQLAnswer, "BAD_USER_INPUT", field);
  });

  test("variables in a URL that are no JSON", async () => {
    const response = await fetch(`${service.url}?query={__typename}&variables={a`);
    expect(response.status).toBe(400);
    expectOnly((await response.json()) as GraphQLAnswer, "BAD_USER_INPUT", "variables");
  });
});
