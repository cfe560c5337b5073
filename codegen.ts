import type { CodegenConfig } from "@graphql-codegen/cli";
import { preset } from "@graphql-codegen/client-preset";
import { concatAST, type DocumentNode, type GraphQLSchema, print, separateOperations } from "graphql";

type Preset = typeof preset;

/** Emits each operation as a plain string that carries its types: the client needs no `graphql` at run time. */
const typedDocuments = {
  plugin(_schema: GraphQLSchema, sources: { document?: DocumentNode }[]) {
    const everything = concatAST(sources.flatMap(({ document }) => document ?? []));
    const constants = Object.entries(separateOperations(everything)).map(([name, document]) => {
      const type = `${name}${operationSuffix(document)}`;
      const text = print(document).replaceAll("`", "\\`").replaceAll("${", "\\${");
      return `export const ${name}Document: TypedDocument<${type}, ${type}Variables> = \`${text}\`;\n`;
    });
    return {
      prepend: ['import type { TypedDocument } from "../typedDocument.js";'],
      content: constants.join("\n"),
    };
  },
};

function operationSuffix(document: DocumentNode): "Query" | "Mutation" | "Subscription" {
  const operation = document.definitions.find((definition) => definition.kind === "OperationDefinition");
  if (operation?.operation === "mutation") return "Mutation";
  return operation?.operation === "subscription" ? "Subscription" : "Query";
}

/**
 * The client preset reduced to one file of types and documents. Its own documents are a class with `any` in it that
 * needs one more package, and its `gql()` tag would be a second way to say the same.
 */
const typesAndDocuments: Preset = {
  ...preset,
  async buildGeneratesSection(options) {
    const sections = await preset.buildGeneratesSection(options);
    return sections
      .filter(({ filename }) => filename.endsWith("graphql.ts"))
      .map((section) => ({
        ...section,
        pluginMap: { ...section.pluginMap, "typed-document-node": typedDocuments },
      }));
  },
};

/** schema.graphql and operations.graphql in, the client's types and documents out. A test fails on drift. */
const config: CodegenConfig = {
  schema: "schema.graphql",
  documents: "src/client/operations.graphql",
  generates: {
    "src/client/generated/": {
      preset: typesAndDocuments,
      presetConfig: { fragmentMasking: false, skipIndexFile: true },
      config: {
        documentMode: "string",
        enumType: "string-literal",
        arrayInputCoercion: false,
        strictScalars: true,
        useTypeImports: true,
        scalars: {
          DateTime: "string",
          ID: "string",
          JSONObject: "Record<string, string | number | boolean | null>",
          StateVersion: "number",
        },
      },
    },
  },
};

export default config;
