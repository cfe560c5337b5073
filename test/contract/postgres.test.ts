import { afterAll, beforeAll } from "vitest";
import { startPostgres, type TestPostgres } from "../support/postgres.js";
import { postgresDomains } from "../support/postgresDomain.js";
import { describeAppend } from "./appendContract.js";
import { describeChanges } from "./changesContract.js";
import { describeFeed } from "./feedContract.js";
import { describeNotices } from "./noticeContract.js";
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

for (const describeContract of [describeAppend, describeWatches, describeNotices, describeFeed, describeChanges]) {
  describeContract("PostgreSQL", open);
}
