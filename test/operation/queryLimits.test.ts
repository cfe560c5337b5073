import { buildSchema, getIntrospectionQuery, parse } from "graphql";
import { describe, expect, test } from "vitest";
import { loadConfig } from "../../src/config.js";
import { schema } from "../../src/graphql/schema.js";
import { weigh } from "../../src/server/queryCost.js";
import { shapeProblem } from "../../src/server/queryLimits.js";

const { max } = loadConfig({});
const problem = (text: string, limits: Partial<typeof max> = {}) => shapeProblem(parse(text), { ...max, ...limits });
const cost = (text: string, variableValues?: Record<string, unknown>) =>
  weigh({ schema, document: parse(text), variableValues }).cost;
const mutations = (text: string) => weigh({ schema, document: parse(text) }).mutations;

/** GraphiQL asks with every option that there is. */
const introspection = getIntrospectionQuery({
  descriptions: true,
  specifiedByUrl: true,
  directiveIsRepeatable: true,
  schemaDescription: true,
  inputValueDeprecation: true,
  oneOf: true,
});

describe("shape", () => {
  test("GraphiQL's introspection query fits, and so does every query of the explorer's story", () => {
    expect(problem(introspection)).toBeNull();
    expect(cost(introspection)).toBeLessThan(max.queryCost / 2);
    expect(parse(introspection, { maxTokens: max.queryTokens })).toBeDefined();
  });

  test.each([
    ["fields", "{ a { b { c { d } } } }", 4],
    ["fields in fragments, where they are spread", "{ a { ...f } } fragment f on T { b { c { d } } }", 4],
    ["fields in inline fragments", "{ a { ... on T { b { ... { c } } } } }", 3],
    ["the deepest of several operations", "query A { a } query B { a { b } }", 2],
    ["literals", "{ a(x: [[[1]]]) }", 3],
    ["literals with objects", "{ a(x: {y: {z: [1]}}) }", 3],
    ["defaults of variables", "query ($x: I = [[1]]) { a }", 2],
    ["types of variables", "query ($x: [[[I]]]) { a }", 3],
  ])("depth is that of %s", (_what, text, depth) => {
    expect(problem(text, { queryDepth: depth })).toBeNull();
    expect(problem(text, { queryDepth: depth - 1 })).toMatchObject({ code: "LIMIT_EXCEEDED" });
  });

  test.each([
    ["aliases", "{ x: a y: a }", 2],
    ["aliases in fragments, once", "{ ...f ...f } fragment f on Q { x: a }", 1],
    ["fields that are repeated", "{ a a a }", 2],
    ["repetitions in each selection", "{ a { b b } c { b b } }", 2],
    ["the alias __proto__", "{ __proto__: a }", 1],
  ])("aliases are %s", (_what, text, aliases) => {
    expect(problem(text, { queryAliases: aliases })).toBeNull();
    expect(problem(text, { queryAliases: aliases - 1 })).toMatchObject({ code: "LIMIT_EXCEEDED" });
  });

  test("directives are counted wherever they stand", () => {
    const text = "query ($x: I @a) @b { a @c ...f @d ... @e { b } } fragment f on Q @g { c }";
    expect(problem(text, { queryDirectives: 6 })).toBeNull();
    expect(problem(text, { queryDirectives: 5 })).toMatchObject({ code: "LIMIT_EXCEEDED" });
  });

  test("rings of fragments, unknown fragments and the type language end without harm", () => {
    expect(problem("{ ...a } fragment a on Q { x { ...b } } fragment b on Q { y { ...a } }")).toBeNull();
    expect(problem("{ ...a } fragment a on Q { ...a }")).toBeNull();
    expect(problem("{ ...nobody }")).toBeNull();
    expect(problem("type T { a: Int }")).toBeNull();
  });
});

describe("cost", () => {
  const nodes = "nodes { sessionKey label }";

  test.each([
    ["a field", "{ __typename }", {}, 1],
    ["a list as long as `first` says", `{ sessionsList(first: 10) { ${nodes} } }`, {}, 22],
    ["`first` in a variable", `query ($n: Int) { sessionsList(first: $n) { ${nodes} } }`, { n: 10 }, 22],
    ["`first` in a variable's default", `query ($n: Int = 10) { sessionsList(first: $n) { ${nodes} } }`, {}, 22],
    ["the schema's default", `{ sessionsList { ${nodes} } }`, {}, 102],
    ["a variable that was not given", `query ($n: Int) { sessionsList(first: $n) { ${nodes} } }`, {}, 102],
    ["a negative number", `{ sessionsList(first: -5) { ${nodes} } }`, {}, 4],
    ["more than any list has", `{ sessionsList(first: 2000000000) { ${nodes} } }`, {}, 1002],
    ["a number that is none", `query ($n: Int) { sessionsList(first: $n) { ${nodes} } }`, { n: "many" }, 102],
    [
      "`limit` in an input",
      'mutation { drainNotices(input: { watcherSessionKey: "a", limit: 7 }) { remaining } }',
      {},
      9,
    ],
    [
      "a list that is given",
      'mutation { acknowledgeNotices(input: { watcherSessionKey: "a", noticeIds: ["1", "2"] }) { results { outcome } } }',
      {},
      6,
    ],
    [
      "a list in a variable",
      "mutation ($i: [AppendInput!]!) { appendMany(inputs: $i) { recorded reason } }",
      { i: [{}, {}, {}] },
      10,
    ],
    [
      "fragments",
      `{ ...f } fragment f on Query { sessionsList(first: 10) { ...g } } fragment g on SessionConnection { ${nodes} }`,
      {},
      22,
    ],
    [
      "the list that an argument further up is about, and of no other",
      `{ sessionStatus(sessionKey: "a", first: 100) { stateVersion stateChanges { events { sequence kind } } } }`,
      {},
      1 + 1 + 1 + 1 + 100 * 2,
    ],
    [
      "a list with a size of its own, whatever is further up",
      `{ sessionStatus(sessionKey: "a") { latestEvents(limit: 200) { sequence } } }`,
      {},
      1 + 1 + 200,
    ],
    ["inline fragments", `{ ... on Query { sessionsList(first: 10) { ... { ${nodes} } } } }`, {}, 22],
  ])("is that of %s", (_what, text, variables, expected) => expect(cost(text, variables)).toBe(expected));

  test("of 500 appends with everything about them is within the limit", () => {
    const event =
      "sequence sessionKey agentId sessionId kind actorType actorId runId outcome occurredAt summary payload";
    const text = `mutation ($i: [AppendInput!]!) { appendMany(inputs: $i) { recorded duplicate reason event { ${event} } } }`;
    expect(cost(text, { i: Array.from({ length: 500 }, () => ({})) })).toBeLessThan(max.queryCost);
  });

  test("of an introspection that asks for the fields of the types of fields under many names is beyond it", () => {
    const names = Array.from({ length: 16 }, (_, index) => `a${index}: fields { name description type { name } }`);
    expect(cost(`{ __schema { types { fields { type { ${names.join(" ")} } } } } }`)).toBeGreaterThan(max.queryCost);
  });

  test("of fragments that double at every step is found without walking them all", () => {
    const steps = Array.from(
      { length: 60 },
      (_, step) => `fragment f${step} on Query { ...f${step + 1} ...f${step + 1} }`,
    );
    expect(cost(`{ ...f0 } ${steps.join(" ")} fragment f60 on Query { __typename }`)).toBe(2 ** 60);
  });

  test("mutations are the fields that are asked for, however they are spread", () => {
    expect(mutations("{ __typename }")).toBe(0);
    expect(mutations("mutation { a b }")).toBe(2);
    expect(mutations("mutation { x: a ...f ... { c } ...f } fragment f on Mutation { a b }")).toBe(6);
  });

  test("names that every object has are no fields and no arguments", () => {
    const plain = buildSchema("type Query { constructor(limit: Int): [Query] }");
    const document = parse(
      "{ constructor(limit: 3) { __typename } toString { __typename } x: __proto__ { __typename } }",
    );
    expect(weigh({ schema: plain, document }).cost).toBe(1 + 3 + 1 + 1);
  });
});
