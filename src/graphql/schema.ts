import { type GraphQLSchema, lexicographicSortSchema, printSchema } from "graphql";
import { builder } from "./builder.js";
// Each noun adds its types and fields to the builder when it is loaded.
import "./scalars.js";
import "./events.js";
import "./sessions.js";
import "./watches.js";
import "./notices.js";

/** The public contract as an executable schema. */
export const schema: GraphQLSchema = builder.toSchema();

/** The text of `schema.graphql`: sorted, so that moving code about does not change it. */
export function printedSchema(): string {
  return `${printSchema(lexicographicSortSchema(schema))}\n`;
}
