import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync, writeFileSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { circumstances } from "./machine.js";
import { profiling } from "./processes.js";
import { asMarkdown, onScreen } from "./results.js";
import type { Line, Row } from "./row.js";
import { rows } from "./rows/index.js";
import type { Reply } from "./worker.js";

/**
 * `npm run bench`: measures every row and writes the table to the screen and to RESULTS.md.
 *   --only <text>   only rows whose name holds this text; RESULTS.md stays as it is
 *   --quick         small sizes and few samples, for trying out; RESULTS.md stays as it is
 * HEADSUP_BENCH_PROFILE=<folder> leaves CPU profiles of the servers and of the rows' own processes there.
 */
const samplesInFull = 7;
const samplesInQuick = 2;
const rowAtMostMs = 180_000;
const leaveAtMostMs = 5_000;

const { values: options } = parseArgs({
  options: { only: { type: "string", default: "" }, quick: { type: "boolean", default: false } },
});
const samples = options.quick ? samplesInQuick : samplesInFull;

/** The process of the row under way and all that it started are one group, ended as one. */
let running: ChildProcess | undefined;
const endRow = () => {
  if (running?.pid === undefined) return;
  try {
    process.kill(-running.pid, "SIGKILL");
  } catch {
    // nothing of it is left
  }
  running = undefined;
};
process.once("exit", endRow);
for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => process.exit(1));

async function measure(row: Row): Promise<Line[]> {
  const program = fileURLToPath(new URL("runRow.ts", import.meta.url));
  const child = spawn(process.execPath, [...profiling(), "--import", "tsx", program], {
    stdio: ["ignore", "inherit", "inherit", "ipc"],
    detached: true,
  });
  running = child;
  const timer = setTimeout(endRow, rowAtMostMs);
  try {
    child.once("message", () =>
      child.send({ call: 1, name: "measure", argument: { name: row.name, quick: options.quick, samples } }),
    );
    return await Promise.race([answerOf(child), deathOf(child)]);
  } finally {
    clearTimeout(timer);
    await leave(child);
    endRow();
  }
}

/** It ends by itself when it is let go, and only then writes the profile it may have been asked for. */
async function leave(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const ended = once(child, "exit");
  child.disconnect();
  await Promise.race([ended, sleep(leaveAtMostMs)]);
}

function answerOf(child: ChildProcess): Promise<Line[]> {
  return new Promise((resolve, reject) => {
    child.on("message", (reply: Reply | "ready") => {
      if (reply === "ready") return;
      if (reply.error !== undefined) reject(new Error(reply.error));
      else resolve(reply.value as Line[]); // what `runRow.ts` returns
    });
  });
}

async function deathOf(child: ChildProcess): Promise<never> {
  const [code, signal] = await once(child, "exit");
  throw new Error(
    signal === "SIGKILL" ? `took longer than ${rowAtMostMs / 1_000} s` : `its process ended with ${code}`,
  );
}

async function main(): Promise<void> {
  const chosen = rows.filter(({ name }) => name.toLowerCase().includes(options.only.toLowerCase()));
  if (chosen.length === 0) throw new Error(`no row holds "${options.only}"`);
  const where = circumstances();
  const lines: Line[] = [];
  const failed: string[] = [];
  for (const [index, row] of chosen.entries()) {
    process.stderr.write(`[${index + 1}/${chosen.length}] ${row.name}\n`);
    try {
      lines.push(...(await measure(row)));
    } catch (error) {
      failed.push(`${row.name}: ${error instanceof Error ? error.message : String(error)}`);
      process.stderr.write(`${failed.at(-1)}\n`);
    }
  }
  process.stdout.write(`\n${where.map(([name, value]) => `${name}: ${value}`).join("\n")}\n\n${onScreen(lines)}\n`);
  if (!options.quick && options.only === "") write(where, lines, failed);
  if (failed.length > 0) process.exitCode = 1;
}

function write(where: [string, string][], lines: Line[], failed: string[]): void {
  const beside = (name: string) => new URL(name, import.meta.url);
  const findings = readFileSync(beside("findings.md"), "utf8");
  const text = asMarkdown({ circumstances: where, samples, lines, failed, rows, findings });
  writeFileSync(beside("RESULTS.md"), text);
}

await main();
