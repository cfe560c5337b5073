import { afterAll, beforeAll } from "vitest";
import { startPostgres, type TestPostgres } from "../support/postgres.js";
import { describeDeadlocks } from "./describeDeadlocks.js";
import { describeLostConnection } from "./describeLostConnection.js";
import { describeOrder } from "./describeOrder.js";
import { describeRetention } from "./describeRetention.js";

let server: TestPostgres | undefined;
beforeAll(async () => {
  server = await startPostgres();
}, 60_000);
afterAll(() => server?.stop(), 60_000);

for (const describeIt of [describeOrder, describeDeadlocks, describeRetention, describeLostConnection]) {
  describeIt(() => {
    if (server === undefined) throw new Error("the server starts before the tests");
    return server;
  });
}
