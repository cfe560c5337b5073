import { afterAll, beforeAll } from "vitest";
import { startPostgres, type TestPostgres } from "../support/postgres.js";
import { describeCrossing } from "./describeCrossing.js";
import { describeDatabaseStop } from "./describeDatabaseStop.js";
import { describeKilledServer } from "./describeKilledServer.js";
import { describeListener } from "./describeListener.js";
import { sharedPair } from "./pair.js";

let server: TestPostgres | undefined;
beforeAll(async () => {
  server = await startPostgres();
}, 60_000);
afterAll(() => server?.stop(), 60_000);

function running(): TestPostgres {
  if (server === undefined) throw new Error("the server starts before the tests");
  return server;
}

const pair = sharedPair(() => running().createDatabase());
describeCrossing(pair, 200);
describeListener(pair, running);
describeKilledServer(pair);
describeDatabaseStop(pair, running);
