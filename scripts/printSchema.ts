import { writeFileSync } from "node:fs";
import { printedSchema } from "../src/graphql/schema.js";

/** Writes schema.graphql, the reviewable face of the service. `test/graphql/schema.test.ts` fails when it is stale. */
writeFileSync(new URL("../schema.graphql", import.meta.url), printedSchema());
