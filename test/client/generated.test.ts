import { readdir, readFile } from "node:fs/promises";
import { basename, resolve } from "node:path";
import { generate } from "@graphql-codegen/cli";
import { buildSchema, Kind, type OperationDefinitionNode, parse } from "graphql";
import { describe, expect, test } from "vitest";
import config from "../../codegen.js";
import { createClient } from "../../src/client/index.js";

const root = resolve(import.meta.dirname, "../..");
const committed = resolve(root, "src/client/generated");

async function operationsOfTheClient(): Promise<OperationDefinitionNode[]> {
  const { definitions } = parse(await readFile(resolve(root, "src/client/operations.graphql"), "utf8"));
  return definitions.filter((definition) => definition.kind === Kind.OPERATION_DEFINITION);
}

describe("the generated part of the client", () => {
  test("it is what code generation makes of schema.graphql and operations.graphql now (npm run codegen)", async () => {
    const files: { filename: string; content: string }[] = await generate(
      { ...config, cwd: root, silent: true },
      false,
    );
    expect(files.map(({ filename }) => basename(filename))).toEqual(await readdir(committed));
    for (const { filename, content } of files) {
      expect(content).toBe(await readFile(resolve(root, filename), "utf8"));
    }
  });

  test("it has no any", async () => {
    for (const name of await readdir(committed)) {
      expect(await readFile(resolve(committed, name), "utf8")).not.toMatch(/\bany\b/);
    }
  });

  test("every field of Query, Mutation and Subscription is an operation and a method of the client", async () => {
    const schema = buildSchema(await readFile(resolve(root, "schema.graphql"), "utf8"));
    const fields = [schema.getQueryType(), schema.getMutationType(), schema.getSubscriptionType()].flatMap((type) =>
      Object.keys(type?.getFields() ?? {}),
    );
    const operations = (await operationsOfTheClient()).flatMap(({ selectionSet }) =>
      selectionSet.selections.flatMap((selection) => (selection.kind === Kind.FIELD ? selection.name.value : [])),
    );
    expect([...new Set(operations)].sort()).toEqual(fields.sort());
    const methods = Object.keys(createClient({ url: "http://localhost/graphql" }));
    expect(methods).toEqual(
      expect.arrayContaining(
        fields.map((name) => ({ staleNotice: "staleNotices", sessionChanged: "sessionChanges" })[name] ?? name),
      ),
    );
  });
});
