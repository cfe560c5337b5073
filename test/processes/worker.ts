import { pino } from "pino";
import { createAwareness } from "../../src/awareness/createAwareness.js";
import { nobody } from "../../src/awareness/observer.js";
import { limits, loadConfig } from "../../src/config.js";
import { type JobName, jobs } from "./jobs.js";

/**
 * A process of its own with the domain on one database, without a server around it. It does one job after the other
 * and tells of each batch of rows that it has pruned.
 */
export type WorkerOptions = { databaseUrl: string; retentionRows?: number; retentionBatchRows?: number };
export type Order = { job: JobName; input: never };
export type Report =
  | { kind: "pruned"; rows: number }
  | { kind: "done"; result: unknown }
  | { kind: "failed"; why: string };

const options: WorkerOptions = JSON.parse(process.argv[2] ?? "");
const config = loadConfig({ DATABASE_URL: options.databaseUrl });
const awareness = await createAwareness({
  database: config.database,
  retentionDays: config.retentionDays,
  retentionRows: options.retentionRows ?? config.retentionRows,
  limits: { ...limits, retentionBatchRows: options.retentionBatchRows ?? limits.retentionBatchRows },
  log: pino({ level: "silent" }),
  observe: { ...nobody, pruned: (rows) => report({ kind: "pruned", rows }) },
});

process.on("message", async ({ job, input }: Order) => {
  try {
    report({ kind: "done", result: await jobs[job](awareness, input) });
  } catch (error) {
    report({ kind: "failed", why: String(error) });
  }
});
process.on("disconnect", () => process.exit());
report({ kind: "done", result: "ready" });

function report(message: Report): void {
  process.send?.(message);
}
