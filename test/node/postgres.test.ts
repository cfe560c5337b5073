import { afterAll, beforeAll } from "vitest";
import { startPostgres, type TestPostgres } from "../support/postgres.js";
import { postgresWorld } from "../upstream/world.js";
import { describeDesk } from "./describeDesk.js";

let server: TestPostgres;
beforeAll(async () => {
  server = await startPostgres();
});
afterAll(() => server?.stop());

describeDesk(
  "PostgreSQL",
  postgresWorld(() => server),
);
