import type { AppendOutcome } from "../storage/batches.js";
import type { NewEvent } from "../storage/newEvent.js";

/** What waits in the writer's queue. */

export type AppendJob = {
  kind: "append";
  queuedAt: number;
  events: readonly NewEvent[];
  resolve(outcomes: AppendOutcome[]): void;
  reject(error: unknown): void;
};

export type WriteJob = { kind: "write"; run(): Promise<void>; reject(error: unknown): void };

export async function runWrite(job: WriteJob): Promise<void> {
  await job.run().catch(job.reject);
  // SQLite's driver answers without a turn of its own: sockets must be read between two jobs.
  await nextTurn();
}

/** Everything that can happen without waiting has happened. */
export function nextTurn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
