import { randomUUID } from "node:crypto";
import pg from "pg";
import { driverMessage, StartError } from "./errors.js";
import { type Migration, outstanding, readMigrations } from "./migrate.js";

/** Prisma's own table, as `prisma migrate deploy` makes it on PostgreSQL. */
const historyTable = `CREATE TABLE IF NOT EXISTS "_prisma_migrations" (
  id VARCHAR(36) PRIMARY KEY NOT NULL, checksum VARCHAR(64) NOT NULL, finished_at TIMESTAMPTZ,
  migration_name VARCHAR(255) NOT NULL, logs TEXT, rolled_back_at TIMESTAMPTZ,
  started_at TIMESTAMPTZ NOT NULL DEFAULT now(), applied_steps_count INTEGER NOT NULL DEFAULT 0)`;

/** One number for everybody who migrates: the first does it, the others wait and find nothing left to do. */
const migrationLock = 7_203_418_365;
const oldestServer = 15;

/**
 * Brings a PostgreSQL database up to date, all or nothing. Refuses an older server than 15 and a database from a newer
 * version of headsup, which is only read.
 */
export async function migratePostgres(url: string): Promise<void> {
  const known = readMigrations("postgresql/migrations");
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 5_000, application_name: "headsup" });
  client.on("error", () => undefined);
  const where = placeOf(url);
  try {
    await client.connect();
    await checkServer(client, where);
    if (outstanding(known, await appliedNames(client), where).length === 0) return;
    await client.query("BEGIN");
    await client.query("SELECT pg_advisory_xact_lock($1)", [migrationLock]);
    await client.query(historyTable);
    for (const migration of outstanding(known, await appliedNames(client), where)) await apply(client, migration);
    await client.query("COMMIT");
  } catch (error) {
    if (error instanceof StartError) throw error;
    throw new StartError(`DATABASE_URL: cannot open the database ${where}: ${driverMessage(error)}`, error);
  } finally {
    await client.end().catch(() => undefined);
  }
}

async function checkServer(client: pg.Client, where: string): Promise<void> {
  const { rows } = await client.query<{ server_version_num: string }>("SHOW server_version_num");
  const major = Math.floor(Number(rows[0]?.server_version_num) / 10_000);
  if (major < oldestServer) {
    throw new StartError(`the database ${where} runs PostgreSQL ${major}; headsup needs ${oldestServer} or newer`);
  }
}

async function appliedNames(client: pg.Client): Promise<string[]> {
  const table = await client.query<{ found: string | null }>(`SELECT to_regclass('"_prisma_migrations"') AS found`);
  if (table.rows[0]?.found == null) return [];
  const applied = await client.query<{ migration_name: string }>(
    `SELECT migration_name FROM "_prisma_migrations" WHERE finished_at IS NOT NULL AND rolled_back_at IS NULL`,
  );
  return applied.rows.map((row) => row.migration_name);
}

async function apply(client: pg.Client, { name, script, checksum }: Migration): Promise<void> {
  await client.query(script);
  await client.query(
    `INSERT INTO "_prisma_migrations" (id, checksum, migration_name, finished_at, applied_steps_count)
      VALUES ($1, $2, $3, now(), 1)`,
    [randomUUID(), checksum, name],
  );
}

/** Where a database is, without user and password. */
function placeOf(url: string): string {
  try {
    const { host, pathname } = new URL(url);
    return `postgresql://${host}${pathname}`;
  } catch {
    return "that DATABASE_URL names";
  }
}
