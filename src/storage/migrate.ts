import { createHash, randomUUID } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { whileBusy } from "./busy.js";
import { driverMessage, StartError } from "./errors.js";
import type { SqliteConnection, SqliteFactory } from "./sqliteDriver.js";

export type Migration = { name: string; script: string; checksum: string };

/** Prisma's own table, so that `prisma migrate deploy` and this start agree about what was applied. */
const historyTable = `CREATE TABLE IF NOT EXISTS "_prisma_migrations" (
  "id" TEXT PRIMARY KEY NOT NULL, "checksum" TEXT NOT NULL, "finished_at" DATETIME, "migration_name" TEXT NOT NULL,
  "logs" TEXT, "rolled_back_at" DATETIME, "started_at" DATETIME NOT NULL DEFAULT current_timestamp,
  "applied_steps_count" INTEGER UNSIGNED NOT NULL DEFAULT 0)`;

/** The migrations that ship with the package, oldest first. `folder` is relative to `prisma/`. */
export function readMigrations(folder: string): Migration[] {
  const root = new URL(`../../prisma/${folder}/`, import.meta.url);
  const names = readdirSync(fileURLToPath(root), { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map((entry) => entry.name)
    .sort();
  return names.map((name) => {
    const script = readFileSync(new URL(`${name}/migration.sql`, root), "utf8");
    return { name, script, checksum: createHash("sha256").update(script).digest("hex") };
  });
}

/** What is still to apply; refuses a database that knows migrations which this version does not. */
export function outstanding(known: readonly Migration[], applied: readonly string[], where: string): Migration[] {
  const names = new Set(known.map((migration) => migration.name));
  const unknown = applied.find((name) => !names.has(name));
  if (unknown !== undefined) {
    throw new StartError(
      `the database ${where} was written by a newer version of headsup (migration ${unknown}); it was left alone`,
    );
  }
  return known.filter((migration) => !applied.includes(migration.name));
}

/**
 * Brings a SQLite file up to date, all or nothing, on a connection of its own, and into WAL mode, so that readers and
 * writers never wait for each other. Safe when several processes start at once: the first takes the write lock, the
 * others wait until `deadline` (in `performance.now()` milliseconds) and find nothing left to do. A database from a
 * newer version is only read.
 */
export async function migrateSqlite(factory: SqliteFactory, file: string, deadline: number): Promise<void> {
  const known = readMigrations("migrations");
  let connection: SqliteConnection | undefined;
  try {
    const opened = await factory.connect();
    connection = opened;
    const applied = await whileBusy(deadline, () => appliedNames(opened));
    const isCurrent = outstanding(known, applied, file).length === 0;
    // A file keeps its mode, but a copy or one that another tool made can come with another one.
    await useWal(opened, file, deadline);
    if (isCurrent) return;
    await whileBusy(deadline, () => opened.queryRaw(statement("BEGIN IMMEDIATE")));
    await opened.executeScript(historyTable);
    for (const migration of outstanding(known, await appliedNames(opened), file)) {
      await opened.executeScript(migration.script);
      await opened.executeScript(historyRow(migration));
    }
    await opened.executeScript("COMMIT");
  } catch (error) {
    if (error instanceof StartError) throw error;
    throw new StartError(`DATABASE_URL: cannot open the database ${file}: ${driverMessage(error)}`, error);
  } finally {
    await connection?.dispose();
  }
}

async function useWal(connection: SqliteConnection, file: string, deadline: number): Promise<void> {
  const refused = (because: string, cause?: unknown) =>
    new StartError(
      `DATABASE_URL: cannot put the database ${file} into WAL mode, which headsup needs: ${because}`,
      cause,
    );
  const answer = await whileBusy(deadline, () => connection.queryRaw(statement("PRAGMA journal_mode = WAL"))).catch(
    (error: unknown) => {
      throw refused(driverMessage(error), error);
    },
  );
  const mode = String(answer.rows[0]?.[0]);
  if (mode !== "wal") throw refused(`it stays in ${mode} mode`);
}

async function appliedNames(connection: SqliteConnection): Promise<string[]> {
  const table = await connection.queryRaw(
    statement("SELECT name FROM sqlite_master WHERE type = 'table' AND name = '_prisma_migrations'"),
  );
  if (table.rows.length === 0) return [];
  const applied = await connection.queryRaw(
    statement(
      `SELECT migration_name FROM "_prisma_migrations" WHERE finished_at IS NOT NULL AND rolled_back_at IS NULL`,
    ),
  );
  return applied.rows.map((row) => String(row[0]));
}

function historyRow({ name, checksum }: Migration): string {
  const now = Date.now();
  return `INSERT INTO "_prisma_migrations" (id, checksum, migration_name, started_at, finished_at, applied_steps_count)
    VALUES ('${randomUUID()}', '${checksum}', '${name}', ${now}, ${now}, 1)`;
}

const statement = (text: string) => ({ sql: text, args: [], argTypes: [] });
