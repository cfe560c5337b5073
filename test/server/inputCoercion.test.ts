import fc from "fast-check";
import {
  buildSchema,
  type GraphQLSchema,
  getVariableValues,
  isInputType,
  Kind,
  parseType,
  typeFromAST,
  type VariableDefinitionNode,
} from "graphql";
import { describe, expect, test } from "vitest";
import { schema as product } from "../../src/graphql/schema.js";
import { coercionOf } from "../../src/server/inputCoercion.js";

const everyShape = buildSchema(`
  enum Colour { RED GREEN }
  input Tree { name: String! colour: Colour = GREEN size: Int weight: Float = 1.5 open: Boolean! = true tags: [[ID!]] below: [Tree!] }
  input Either @oneOf { a: String b: Int }
  type Query { nothing(tree: Tree, either: Either): String }
`);

/** What graphql-js itself makes of it; null when it refuses. */
function byGraphql(schema: GraphQLSchema, type: string, value: unknown): { value: unknown } | null {
  const variable = { kind: Kind.VARIABLE, name: { kind: Kind.NAME, value: "v" } } as const;
  const definition: VariableDefinitionNode = { kind: Kind.VARIABLE_DEFINITION, variable, type: parseType(type) };
  const { coerced } = getVariableValues(schema, [definition], { v: value });
  return coerced === undefined ? null : { value: coerced.v };
}

function byUs(schema: GraphQLSchema, type: string, value: unknown): { value: unknown } | null {
  const input = typeFromAST(schema, parseType(type));
  if (!isInputType(input)) throw new Error(`${type} is no input`);
  try {
    return { value: coercionOf(input)(value) };
  } catch {
    return null;
  }
}

const scalar = fc.oneof(
  fc.constantFrom<unknown>(null, true, "RED", "", "GOAL_CHANGED", "2026-01-01T00:00:00Z", 1, -1, 2 ** 31, 1.5, 2 ** 53),
  fc.string(),
);
const anyJson = fc.jsonValue({ maxDepth: 3 });
const some = (value: fc.Arbitrary<unknown>) => fc.oneof({ weight: 4, arbitrary: value }, scalar, anyJson);
const tree = fc.letrec((tie) => ({
  tree: fc.record(
    {
      name: some(fc.string()),
      colour: scalar,
      size: scalar,
      weight: scalar,
      open: some(fc.boolean()),
      tags: fc.oneof(scalar, fc.array(fc.oneof(scalar, fc.array(scalar)))),
      below: fc.oneof({ depthSize: "small" }, scalar, tie("tree"), fc.array(tie("tree"), { maxLength: 2 })),
      surplus: scalar,
    },
    { requiredKeys: [] },
  ),
})).tree;
const append = fc.record(
  {
    sessionKey: some(fc.string()),
    agentId: scalar,
    kind: some(fc.constant("GOAL_CHANGED")),
    actor: some(fc.record({ type: some(fc.constant("HUMAN")), id: scalar }, { requiredKeys: ["type"] })),
    outcome: scalar,
    payload: some(fc.dictionary(fc.oneof(fc.string(), fc.constant("__proto__")), scalar)),
    occurredAt: scalar,
    ["__proto__"]: scalar,
  },
  { requiredKeys: ["sessionKey", "kind", "actor"] },
);

describe("an input is coerced as graphql-js does, or refused as it is", () => {
  test.each<[string, GraphQLSchema, string, fc.Arbitrary<unknown>]>([
    ["one event", product, "AppendInput!", append],
    ["many events", product, "[AppendInput!]!", fc.array(append, { maxLength: 3 })],
    ["a watch", product, "WatchInput!", some(fc.record({ watcherSessionKey: scalar, targetSessionKey: scalar }))],
    ["a type of every shape", everyShape, "Tree", tree],
    ["lists of it", everyShape, "[[Tree!]!]", some(fc.array(fc.array(tree, { maxLength: 2 }), { maxLength: 2 }))],
  ])("%s", (_name, schema, type, values) => {
    fc.assert(
      fc.property(values, (value) => {
        // As it comes from a request.
        const given: unknown = JSON.parse(JSON.stringify(value));
        expect(byUs(schema, type, given)).toEqual(byGraphql(schema, type, given));
      }),
      { numRuns: 300 },
    );
  });

  test("one of several is left to graphql-js", () => {
    expect(byUs(everyShape, "Either!", { a: "x" })).toBeNull();
  });
});
