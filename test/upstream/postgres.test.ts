import { afterAll, beforeAll } from "vitest";
import { startPostgres, type TestPostgres } from "../support/postgres.js";
import { describeAdoption } from "./describeAdoption.js";
import { describeChecks } from "./describeChecks.js";
import { postgresWorld } from "./world.js";

let server: TestPostgres;
beforeAll(async () => {
  server = await startPostgres();
});
afterAll(() => server?.stop());

const open = postgresWorld(() => server);
describeAdoption("PostgreSQL", open);
describeChecks("PostgreSQL", open);
