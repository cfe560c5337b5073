import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll } from "vitest";
import { openSqliteDomain, startOn, startOnFile } from "../support/domain.js";
import { startPostgres, type TestPostgres } from "../support/postgres.js";
import { postgresDomains } from "../support/postgresDomain.js";
import { describeAcross, describeSessionChanges } from "./describeSessionChanges.js";

let server: TestPostgres;
const endings: (() => Promise<void>)[] = [];
beforeAll(async () => {
  server = await startPostgres();
}, 60_000);
afterAll(async () => {
  for (const end of endings) await end();
  await server.stop();
});

describeSessionChanges("SQLite", openSqliteDomain);
describeSessionChanges(
  "PostgreSQL",
  postgresDomains(() => server),
);

describeAcross("SQLite", async (options) => {
  const folder = await mkdtemp(join(tmpdir(), "headsup-"));
  const file = join(folder, "test.db");
  const [here, there] = [await startOnFile(file, options), await startOnFile(file, options)];
  endings.push(async () => {
    await Promise.all([here.stop(), there.stop()]);
    await rm(folder, { recursive: true, force: true });
  });
  return [here, there];
});

describeAcross("PostgreSQL", async (options) => {
  const url = await server.createDatabase();
  const [here, there] = [await startOn(url, options), await startOn(url, options)];
  endings.push(async () => void (await Promise.all([here.stop(), there.stop()])));
  return [here, there];
});
