import { readFileSync } from "node:fs";
import { isInputObjectType, isObjectType } from "graphql";
import { expect, test } from "vitest";
import { printedSchema, schema } from "../../src/graphql/schema.js";

test("schema.graphql is what the code says (else run scripts/printSchema.ts)", () => {
  const committed = readFileSync(new URL("../../schema.graphql", import.meta.url), "utf8");
  expect(printedSchema()).toBe(committed);
});

test("every type, field and argument of the contract is described", () => {
  const silent: string[] = [];
  for (const type of Object.values(schema.getTypeMap())) {
    if (type.name.startsWith("__")) continue;
    if (!type.description) silent.push(type.name);
    if (!isObjectType(type) && !isInputObjectType(type)) continue;
    for (const field of Object.values(type.getFields())) {
      if (!field.description) silent.push(`${type.name}.${field.name}`);
      for (const arg of "args" in field ? field.args : []) {
        if (!arg.description) silent.push(`${type.name}.${field.name}(${arg.name})`);
      }
    }
  }
  expect(silent).toEqual([]);
});
