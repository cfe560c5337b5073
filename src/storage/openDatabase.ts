import type { Database, DatabaseLocation } from "./database.js";
import { openPostgres } from "./postgres.js";
import { openSqlite } from "./sqlite.js";

/**
 * Opens the database, creates it where it is missing, and applies migrations.
 * `busyMs` bounds how long a write waits for another process's lock; `statementMs` (PostgreSQL) how long a statement
 * waits for its answer.
 * Rejects with `StartError`, one line for the person who starts the server.
 */
export async function openDatabase(
  location: DatabaseLocation,
  options: { busyMs: number; statementMs?: number },
): Promise<Database> {
  if (location.kind === "sqlite") return openSqlite(location.file, options);
  return openPostgres(location.url, options);
}
