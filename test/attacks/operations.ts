import { describe, expect, test } from "vitest";
import type { Target } from "./target.js";
import { ask, transports } from "./transports.js";

const nested = (open: string, close: string, levels: number) => open.repeat(levels) + close.repeat(levels);
const many = (count: number, each: (index: number) => string) =>
  Array.from({ length: count }, (_, at) => each(at)).join(" ");
const appendInto = (payload: string) =>
  `mutation { append(input: { sessionKey: "agent:attacked:main", kind: GOAL_CHANGED, actor: { type: HUMAN }, payload: ${payload} }) { recorded } }`;
const appendGiven = "mutation ($input: AppendInput!) { append(input: $input) { recorded } }";
const input = { sessionKey: "agent:attacked:main", kind: "GOAL_CHANGED", actor: { type: "HUMAN" } };
/** The text of a JSON value that JSON.stringify itself could not write. */
const deepJson = nested("[", "]", 100_000);

type Attack = { name: string; query: string; variables?: string; code: string; field?: string };

const attacks: Attack[] = [
  { name: "nesting 10,000 deep", query: nested("{ a", "}", 10_000), code: "LIMIT_EXCEEDED" },
  { name: "nesting 200 deep", query: nested("{ a", "}", 200), code: "LIMIT_EXCEEDED" },
  {
    name: "100,000 nested lists in a literal",
    query: appendInto(`{ x: ${deepJson} }`),
    code: "LIMIT_EXCEEDED",
  },
  {
    name: "400 nested lists in a literal",
    query: appendInto(`{ x: ${nested("[", "]", 400)} }`),
    code: "LIMIT_EXCEEDED",
  },
  {
    name: "100,000 nested lists in a variable, as a payload",
    query: appendGiven,
    variables: JSON.stringify({ input: { ...input, payload: { x: "deep" } } }).replace('"deep"', deepJson),
    code: "BAD_USER_INPUT",
    field: "payload.x",
  },
  {
    name: "100,000 nested lists in a variable, as an input",
    query: "mutation ($inputs: [AppendInput!]!) { appendMany(inputs: $inputs) { recorded } }",
    variables: `{ "inputs": ${deepJson} }`,
    code: "BAD_USER_INPUT",
    field: "inputs[0]",
  },
  {
    name: "100,000 nested lists in a variable, as a key",
    query: "query ($key: ID!) { sessionStatus(sessionKey: $key) { stateVersion } }",
    variables: `{ "key": ${deepJson} }`,
    code: "BAD_USER_INPUT",
    field: "sessionKey",
  },
  {
    name: "a ring of fragments",
    query: "{ ...a } fragment a on Query { __typename ...b } fragment b on Query { __typename ...a }",
    code: "BAD_USER_INPUT",
  },
  {
    name: "a ring of 100 fragments",
    query: `{ ...f0 } ${many(100, (at) => `fragment f${at} on Query { __typename ...f${(at + 1) % 100} }`)}`,
    code: "BAD_USER_INPUT",
  },
  {
    name: "fragments that double 90 times",
    query: `{ ...f0 } ${many(90, (at) => `fragment f${at} on Query { ...f${at + 1} ...f${at + 1} }`)} fragment f90 on Query { __typename }`,
    code: "LIMIT_EXCEEDED",
  },
  {
    name: "1,000 aliases of a query",
    query: `{ ${many(1_000, (at) => `a${at}: sessionsList(first: 1) { nodes { label } }`)} }`,
    code: "LIMIT_EXCEEDED",
  },
  {
    name: "1,000 aliases of a mutation",
    query: `mutation { ${many(1_000, (at) => `a${at}: registerSession(input: { sessionKey: "agent:attacked:${at}" }) { session { label } }`)} }`,
    code: "LIMIT_EXCEEDED",
  },
  {
    name: "300 aliases of nothing much",
    query: `{ ${many(300, (at) => `a${at}: __typename`)} }`,
    code: "LIMIT_EXCEEDED",
  },
  {
    name: "the same list 100 times without an alias",
    query: `{ ${many(100, () => "sessionsList { nodes { label } }")} }`,
    code: "LIMIT_EXCEEDED",
  },
  {
    name: "10,000 directives",
    query: `{ __typename ${many(10_000, () => "@skip(if: false)")} }`,
    code: "LIMIT_EXCEEDED",
  },
  { name: "100 directives", query: `{ __typename ${many(100, (at) => `@a${at}`)} }`, code: "LIMIT_EXCEEDED" },
  {
    name: "ten whole lists at once",
    query: `{ ${many(10, (at) => `a${at}: sessionsList(first: 200) { nodes { sessionKey agentId label createdAt updatedAt } }`)} }`,
    code: "LIMIT_EXCEEDED",
  },
  {
    name: "the fields of the types of fields, under many names",
    query: `{ __schema { types { fields { type { ${many(16, (at) => `a${at}: fields { name description type { name } }`)} } } } } }`,
    code: "LIMIT_EXCEEDED",
  },
  {
    name: "types of fields of types without end",
    query: `{ __schema { types ${nested("{ fields { type", "} }", 6)} } }`,
    code: "BAD_USER_INPUT",
  },
  { name: "a comment of 900 kB", query: `{ __typename } # ${"x".repeat(900_000)}`, code: "LIMIT_EXCEEDED" },
  {
    name: "a text of 400,000 lines",
    query: `{ sessionsList(search: """${"\n".repeat(400_000)}""") { nodes { label } } }`,
    code: "LIMIT_EXCEEDED",
  },
  {
    name: "hundreds of mistakes after thousands of lines",
    query: `{ ${"\n".repeat(15_000)} ${many(900, (at) => `a${at}`)} }`,
    code: "BAD_USER_INPUT",
  },
  {
    name: "hundreds of variables of no type",
    query: `query (${many(200, (at) => `$a${at}: Nothing`)}) { __typename }`,
    code: "BAD_USER_INPUT",
  },
];

/** Well below this in truth; on a machine that has other things to do, CPU time is still what it is. */
const refusalMaxMs = 50;
const rounds = 5;

export function operationAttacks(target: () => Target): void {
  describe.each(transports)("over %s", (transport) => {
    test.each(attacks)("$name is refused", async ({ query, variables = "{}", code, field }) => {
      const before = target().content();
      const { errors, data } = await ask(target(), transport, { query, variables });
      expect(errors?.[0]?.extensions).toMatchObject(field === undefined ? { code } : { code, field });
      expect(data ?? null).toBeNull();
      expect(errors.length).toBeLessThanOrEqual(6);
      expect(target().content()).toEqual(before);
      expect(await target().gql("{ __typename }")).toEqual({ data: { __typename: "Query" } });
    });

    test("each refusal costs less than 50 ms", async () => {
      const dear: string[] = [];
      for (const { name, query, variables = "{}" } of attacks) {
        const before = await target().figure("process_cpu_seconds_total");
        for (let round = 0; round < rounds; round += 1) await ask(target(), transport, { query, variables });
        const spentMs = ((await target().figure("process_cpu_seconds_total")) - before) * 1_000;
        if (spentMs / rounds > refusalMaxMs) dear.push(`${name}: ${Math.round(spentMs / rounds)} ms`);
      }
      expect(dear).toEqual([]);
    });
  });

  test("a normal client beside all of them is served, and the event loop never stood still for long", async () => {
    await target().metrics(); // the delays are those since the scrape before
    let abusing = true;
    const abuse = async (transport: (typeof transports)[number]) => {
      while (abusing)
        for (const { query, variables = "{}" } of attacks) await ask(target(), transport, { query, variables });
    };
    const abuses = Promise.all(transports.map(abuse));
    for (let call = 0; call < 50; call += 1) {
      const { data } = await target().gql(appendGiven, { input: { ...input, dedupeKey: `call ${call}` } });
      expect(data).toEqual({ append: { recorded: true } });
    }
    abusing = false;
    await abuses;
    expect(await target().figure('headsup_event_loop_delay_seconds{quantile="1"}')).toBeLessThan(3);
  });

  test("arrays of operations are refused, however few", async () => {
    for (const count of [1, 2, 1_000]) {
      const operation = JSON.stringify({ query: appendInto("null") });
      const before = target().content();
      const { status, body } = await target().post(`[${many(count, () => operation).replaceAll("} {", "},{")}]`);
      expect([status, body.errors[0].extensions.code]).toEqual([400, "BAD_USER_INPUT"]);
      expect(target().content()).toEqual(before);
    }
    const client = await target().socket();
    client.send(`[${JSON.stringify({ type: "subscribe", id: "a", payload: { query: "{ __typename }" } })}]`);
    expect((await client.closed).code).toBe(4400);
  });

  test("GraphiQL's introspection is answered under the same limits", async () => {
    const { getIntrospectionQuery } = await import("graphql");
    const query = getIntrospectionQuery({ descriptions: true, schemaDescription: true, inputValueDeprecation: true });
    for (const transport of transports) {
      const { data, errors } = await ask(target(), transport, { query });
      expect(errors).toBeUndefined();
      expect(data.__schema.queryType.name).toBe("Query");
    }
  });
}
