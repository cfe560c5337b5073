import { type GraphQLSchema, lexicographicSortSchema, printSchema } from "graphql";
import { builder } from "./builder.js";
import { guarded } from "./permissions.js";
// Each noun adds its types and fields to the builder when it is loaded.
import "./scalars.js";
import "./events.js";
import "./sessions.js";
import "./sessionChanges.js";
import "./watches.js";
import "./notices.js";
import "./upstream.js";
import "./nodeWork.js";
import "./nodeReports.js";
import "./viewer.js";

/** The public contract as an executable schema, each field behind what it needs. */
export const schema: GraphQLSchema = guarded(builder.toSchema());

/** The text of `schema.graphql`: sorted, so that moving code about does not change it. */
export function printedSchema(): string {
  return `${printSchema(lexicographicSortSchema(schema))}\n`;
}
