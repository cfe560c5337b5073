import type { SessionIdentity } from "./records.js";
import type { Changed } from "./sessionChanges.js";
import type { Statements, Transaction } from "./sql.js";

/** One open database, SQLite or PostgreSQL, brought up to date. */
export type Database = {
  readonly kind: "sqlite" | "postgresql";
  /** Committed state only; a single statement reads one consistent snapshot. Never waits for a writer. */
  readonly read: Statements;
  /**
   * Runs `work` in one write transaction; calls of one process run one after the other. Durable when it resolves.
   * Rejects with `StorageError` when the database cannot, and then nothing of `work` was kept, with one exception: when
   * PostgreSQL's answer to COMMIT is lost, all of it may have been. Waiting for another process counts from `since` (in
   * `performance.now()` milliseconds; now when left out), so that waits do not add up.
   */
  write<Result>(work: (transaction: Transaction) => Promise<Result>, since?: number): Promise<Result>;
  /**
   * Other processes may want to know that these sessions have changed (null: more than can be named). Only a hint, so it
   * is sent outside of any transaction. Rejects with `StorageError`.
   */
  tellChanged(changed: Changed | null): Promise<void>;
  /**
   * Calls `hint` when another process may have changed what is pending: on these targets, or anywhere (null). A hint
   * can come late, twice or for nothing; a lost one costs time, never a notice. While `wanted` says no, nothing is
   * looked for.
   */
  listen(options: ListenOptions): Listener;
  close(): Promise<void>;
};

export type ListenOptions = {
  hint(targets: readonly SessionIdentity[] | null): void;
  /** As `hint`, for anything about sessions that another process has changed, not only for what is pending. */
  changed(changed: Changed | null): void;
  wanted(): boolean;
  /** Tells of trouble on the way; listening goes on by itself. */
  trouble(error: unknown): void;
  /** Listening works, or works again. */
  well(): void;
  /** How often SQLite's change counter is looked at, in milliseconds. */
  pollMs: number;
  /** How often a PostgreSQL listener says "look at everything" in case a hint was lost, in milliseconds. */
  slowPollMs: number;
};
export type Listener = { stop(): Promise<void> };

export type DatabaseLocation =
  | { readonly kind: "sqlite"; readonly file: string }
  | { readonly kind: "postgresql"; readonly url: string };
