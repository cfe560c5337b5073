import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { refusalCodes } from "../../src/awareness/refusals.js";
import { type GraphQLAnswer, startTestService, type TestService } from "../support/server.js";

let service: TestService;
beforeAll(async () => {
  service = await startTestService();
});
afterAll(() => service.stop());

const target = "agent:worker:main";
const _event = { sessionKey: target, kind: "GOAL_CHANGED", actor: { type: "HUMAN" } };
const _append = "mutation ($input: AppendInput!) { append(input: $input) { recorded } }";
const _appendMany = "mutation ($inputs: [AppendInput!]!) { appendMany(inputs: $inputs) { recorded } }";
const status =
  'query ($version: StateVersion) { sessionStatus(sessionKey: "agent:worker:main", changesSince: $version) { stateVersion } }';
const _list = "query ($count: Int) { sessionsList(first: $count) { nodes { sessionKey } } }";
const literalStatus = (version: string) =>
  `{ sessionStatus(sessionKey: "${target}", changesSince: ${version}) { stateVersion } }`;
const _literalAppend = (rest: string) =>
  `mutation { append(input: { sessionKey: "${target}", kind: GOAL_CHANGED, actor: { type: HUMAN }, ${rest} }) { recorded } }`;

function expectOnly({ errors }: GraphQLAnswer, code: string, field?: string) {
  expect(errors).toHaveLength(1);
  expect(errors?.[0]?.extensions).toEqual(field === undefined ? { code } : { code, field });
}

test("a version above every number this log ever issued is refused with VERSION_AHEAD_OF_LOG", async () => {
  const { errors } = await service.gql(status, { version: 2 ** 31 });
  expect(errors?.[0]?.extensions.code).toBe("VERSION_AHEAD_OF_LOG");
});

test("a refused call has written nothing", async () => {
  const empty = await service.gql("{ sessionsList { nodes { sessionKey } } }");
  expect(empty.data.sessionsList.nodes).toEqual([]);
});

test("a request of more than 1 MiB is refused with LIMIT_EXCEEDED", async () => {
  const response = await service.post(
    JSON.stringify({ query: "{ __typename }", variables: { x: "x".repeat(2 ** 20) } }),
  );
  expect(response.status).toBe(413);
  expectOnly((await response.json()) as GraphQLAnswer, "LIMIT_EXCEEDED");
});

test("a message does not repeat the whole of a long bad input", async () => {
  const { errors } = await service.gql(status, { version: "x".repeat(100_000) });
  expect(errors?.[0]?.message.length).toBeLessThanOrEqual(1_001);
});

describe("what is nobody's mistake but ours", () => {
  let broken: TestService;
  const secret = "SQLITE_CORRUPT: SELECT * FROM session_state_heads at /home/ada/data/headsup.db";
  beforeAll(async () => {
    broken = await startTestService({
      around: (awareness) => ({
        ...awareness,
        sessionsList: () => Promise.reject(new Error(secret)),
        // The schema cannot express this result: a bug of ours as well.
        sessionStatus: async (input) => ({ ...(await awareness.sessionStatus(input)), stateVersion: -1 }),
      }),
    });
  });
  afterAll(() => broken.stop());

  test("reaches the client as INTERNAL_SERVER_ERROR, without stack, SQL or path, and the log in full", async () => {
    const response = await broken.post(JSON.stringify({ query: "{ sessionsList { nodes { sessionKey } } }" }));
    const body = await response.text();
    expect(JSON.parse(body).errors).toEqual([
      {
        message: "Something went wrong on the server. The call can be tried again.",
        locations: [{ line: 1, column: 3 }],
        path: ["sessionsList"],
        extensions: { code: "INTERNAL_SERVER_ERROR" },
      },
    ]);
    expect(body).not.toMatch(/SELECT|SQLITE|\/home|\.db|\.ts|\.js|at /);
    const lines = broken.logged.filter((line) => line.includes("SQLITE_CORRUPT"));
    expect(lines).toHaveLength(1);
    expect(lines[0]).toMatch(/"stack":/);
  });

  test("a result that the schema cannot express is no mistake of the client", async () => {
    expectOnly(await broken.gql(literalStatus("0")), "INTERNAL_SERVER_ERROR");
  });
});

test("every code that leaves is in the closed list, over HTTP whatever is sent", async () => {
  const bodies = [
    "",
    "null",
    "[]",
    "[[]]",
    '{"query":1}',
    '{"query":"query { a { b"}',
    '{"query":"fragment F on Query { __typename }"}',
    '{"query":"subscription { staleNotice { id } }"}',
    '{"query":"subscription { a: staleNotice { id } b: staleNotice { id } }","operationName":7}',
    '{"query":"{__typename @include(if: 3)}"}',
    '{"query":"query Q($a: Nope) { __typename }"}',
  ];
  for (const body of bodies) {
    const response = await service.post(body);
    const answer = await response.text();
    for (const error of (JSON.parse(answer) as GraphQLAnswer).errors ?? []) {
      expect(refusalCodes, body).toContain(error.extensions.code);
      if (error.extensions.code === "BAD_USER_INPUT") expect(error.extensions.field, body).toBeTruthy();
    }
  }
});
