import { afterAll, beforeAll } from "vitest";
import { startPostgres, type TestPostgres } from "../support/postgres.js";
import { postgresDomains } from "../support/postgresDomain.js";
import { describeProperty } from "./describeProperty.js";

let server: TestPostgres | undefined;
beforeAll(async () => {
  server = await startPostgres();
}, 60_000);
afterAll(() => server?.stop(), 60_000);

const open = postgresDomains(() => {
  if (server === undefined) throw new Error("the server starts before the tests");
  return server;
});

// Each row has a database of its own, which costs more here.
describeProperty("PostgreSQL", open, 25);
