import { refusingOnceClosed } from "./closable.js";
import type { Database, DatabaseLocation } from "./database.js";
import { openPostgres } from "./postgres.js";
import { openSqlite } from "./sqlite.js";

/**
 * Opens the database, creates it where it is missing, and applies migrations.
 * `busyMs` bounds how long a write waits for another process's lock; `statementMs` (PostgreSQL) how long a statement
 * waits for its answer.
 * Once closed it refuses with `StorageError`. Rejects with `StartError`, one line for the person who starts the server.
 */
export async function openDatabase(
  location: DatabaseLocation,
  options: { busyMs: number; statementMs?: number },
): Promise<Database> {
  const opening = location.kind === "sqlite" ? openSqlite(location.file, options) : openPostgres(location.url, options);
  return refusingOnceClosed(await opening);
}
