import { afterAll, beforeAll, expect, test } from "vitest";
import { startTestService, type TestService } from "../support/server.js";

let service: TestService;
beforeAll(async () => {
  service = await startTestService();
});
afterAll(() => service.stop());

const input = { sessionKey: "agent:told:main", kind: "GOAL_CHANGED", actor: { type: "HUMAN" } };
const ask = async (query: string, variables: object, operationName?: string) => {
  const response = await service.post(JSON.stringify({ query, variables, operationName }));
  return response.json();
};

test.each([
  [
    "an input beside a directive's",
    "mutation ($input: AppendInput!, $event: Boolean!) { append(input: $input) { recorded event @include(if: $event) { kind } } }",
    { input, event: false },
  ],
  [
    "inside a literal",
    "mutation ($actor: ActorInput!, $key: ID!) { append(input: { sessionKey: $key, kind: GOAL_CHANGED, actor: $actor }) { recorded } }",
    { actor: input.actor, key: input.sessionKey },
  ],
  [
    "with a default",
    "mutation ($actor: ActorInput = { type: HUMAN }, $key: ID!) { append(input: { sessionKey: $key, kind: GOAL_CHANGED, actor: $actor }) { recorded } }",
    { key: input.sessionKey },
  ],
  [
    "absent, where it may be",
    'mutation ($actor: ActorInput!, $run: ID) { append(input: { sessionKey: "agent:told:main", kind: GOAL_CHANGED, actor: $actor, runId: $run }) { recorded } }',
    { actor: input.actor },
  ],
  [
    "null, where it may be",
    "mutation ($input: AppendInput!) { append(input: $input) { recorded } }",
    { input: { ...input, runId: null } },
  ],
  [
    "one where a list is asked for",
    "mutation ($inputs: [AppendInput!]!) { append: appendMany(inputs: $inputs) { ...told } } fragment told on AppendPayload { recorded }",
    { inputs: input },
  ],
])("a mutation takes its variables: %s", async (_name, query, variables) => {
  const { data } = await ask(query, variables);
  expect([data.append].flat()).toEqual([{ recorded: true }]);
});

test("of several operations in one document, each takes its own", async () => {
  const query = `
    mutation One($input: AppendInput!) { append(input: $input) { event { kind } } }
    mutation Two($input: RegisterSessionInput!) { registerSession(input: $input) { session { label } } }`;
  expect(await ask(query, { input }, "One")).toEqual({ data: { append: { event: { kind: "GOAL_CHANGED" } } } });
  const session = { sessionKey: input.sessionKey, label: "told" };
  expect(await ask(query, { input: session }, "Two")).toEqual({
    data: { registerSession: { session: { label: "told" } } },
  });
});

test("what is refused once is refused each time, in the same words, and what is good is taken between", async () => {
  const query = "mutation ($input: AppendInput!) { append(input: $input) { recorded } }";
  const refusals = new Set<string>();
  for (let time = 0; time < 3; time += 1) {
    refusals.add(JSON.stringify(await ask(query, { input: { ...input, actor: { type: "NOBODY" } } })));
    expect(await ask(query, { input })).toEqual({ data: { append: { recorded: true } } });
  }
  expect([...refusals]).toEqual([expect.stringContaining('"code":"BAD_USER_INPUT","field":"actor.type"')]);
});

test("no type is shown but those of the contract", async () => {
  const { data } = await ask("mutation ($input: AppendInput!) { append(input: $input) { __typename } }", { input });
  expect(data).toEqual({ append: { __typename: "AppendPayload" } });
  const types = await ask("{ __schema { types { name } } }", {});
  expect(JSON.stringify(types)).not.toContain("Coerced");
});
