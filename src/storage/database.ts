import type { Statements, Transaction } from "./sql.js";
import { openSqlite } from "./sqlite.js";

/** One open database, SQLite or PostgreSQL, brought up to date. */
export type Database = {
  readonly kind: "sqlite" | "postgresql";
  /** Committed state only; a single statement reads one consistent snapshot. Never waits for a writer. */
  readonly read: Statements;
  /**
   * Runs `work` in one write transaction; calls of one process run one after the other. Durable when it resolves.
   * Rejects with `StorageError` when the database cannot, and then nothing of `work` was kept.
   */
  write<Result>(work: (transaction: Transaction) => Promise<Result>): Promise<Result>;
  /** A number that changes when another process has committed something; nothing of ours moves it. */
  changesElsewhere(): Promise<number>;
  close(): Promise<void>;
};

export type DatabaseLocation =
  | { readonly kind: "sqlite"; readonly file: string }
  | { readonly kind: "postgresql"; readonly url: string };

/**
 * Opens the database, creates it where it is missing, and applies migrations.
 * `busyMs` bounds how long a write waits for another process's lock.
 * Rejects with `StartError`, one line for the person who starts the server.
 */
export async function openDatabase(location: DatabaseLocation, options: { busyMs: number }): Promise<Database> {
  if (location.kind === "sqlite") return openSqlite(location.file, options);
  throw new Error("PostgreSQL is not built in yet");
}
