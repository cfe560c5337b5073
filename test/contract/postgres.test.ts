import { afterAll, beforeAll } from "vitest";
import { startPostgres, type TestPostgres } from "../support/postgres.js";
import { postgresDomains } from "../support/postgresDomain.js";
import { describeAppend } from "./appendContract.js";
import { describeChanges } from "./changesContract.js";
import { describeFeed } from "./feedContract.js";
import { describeNotices } from "./noticeContract.js";
import { describePruning } from "./pruningContract.js";
import { describeWatches } from "./watchContract.js";

let server: TestPostgres | undefined;
beforeAll(async () => {
  server = await startPostgres();
}, 60_000);
afterAll(() => server?.stop());

const open = postgresDomains(() => {
  if (server === undefined) throw new Error("the server starts before the tests");
  return server;
});

const contracts = [describeAppend, describeWatches, describeNotices, describeFeed, describeChanges, describePruning];
for (const describeContract of contracts) {
  describeContract("PostgreSQL", open);
}
