#!/usr/bin/env node
import { readFileSync } from "node:fs";
import { pino } from "pino";
import { loadConfig } from "./config.js";
import { type Service, startService } from "./service.js";

/** Closing takes `limits.stopGraceMs` and a moment for the database; a supervisor kills after 10 s. */
const exitAtLatestMs = 9_500;
const signalNumbers = { SIGINT: 2, SIGTERM: 15 } as const;

const help = `headsup: tells AI agents, once, when a session changed behind their backs.

Usage: headsup [--help | --version]

Starts the server. Everything is set by environment variables, all optional:
  DATABASE_URL      file:./data/headsup.db by default; postgresql://... for PostgreSQL
  HOST, PORT        127.0.0.1 and 4000 by default; PORT=0 takes any free port
  HEADSUP_...       retention, monitoring, folders, admin token, log level: see the README

Prints one line on standard output when it is ready; the log is on standard error.
SIGTERM and SIGINT stop it cleanly, a second one at once.
`;

function version(): string {
  // The same two levels from src/ and from dist/.
  const manifest: unknown = JSON.parse(readFileSync(new URL("../package.json", import.meta.url), "utf8"));
  return typeof manifest === "object" && manifest !== null && "version" in manifest ? String(manifest.version) : "";
}

function exitWith(line: string, code: number): never {
  process.stderr.write(`headsup: ${line}\n`);
  process.exit(code);
}

/** Errors that the operator can mend carry their whole story in one line; a stack would only hide it. */
function isForTheOperator(error: unknown): error is Error {
  return error instanceof Error && (error.name === "ConfigError" || error.name === "StartError");
}

async function serve(): Promise<void> {
  const config = loadConfig(process.env);
  const log = pino({ level: config.logLevel }, pino.destination({ dest: 2, sync: true }));
  const dieOf = (what: string) => (error: unknown) => {
    log.fatal({ err: error }, what);
    process.exit(1);
  };
  process.on("uncaughtException", dieOf("uncaught exception"));
  process.on("unhandledRejection", dieOf("unhandled rejection"));

  const starting = startService(config, { log });
  stopOnSignals(starting, log);
  const service = await starting;
  process.stdout.write(`headsup ready at ${service.url}\n`);
}

function stopOnSignals(starting: Promise<Service>, log: pino.Logger): void {
  let stopping = false;
  const onSignal = async (signal: keyof typeof signalNumbers) => {
    if (stopping) process.exit(128 + signalNumbers[signal]);
    stopping = true;
    log.info({ signal }, "stopping");
    setTimeout(() => exitWith("could not stop in time", 1), exitAtLatestMs).unref();
    try {
      await (await starting).stop();
      process.exit(0);
    } catch (error) {
      log.fatal({ err: error }, "stopping failed");
      process.exit(1);
    }
  };
  for (const signal of ["SIGINT", "SIGTERM"] as const) process.on(signal, onSignal);
}

const [argument, ...rest] = process.argv.slice(2);
if (argument === "--help" && rest.length === 0) process.stdout.write(help);
else if (argument === "--version" && rest.length === 0) process.stdout.write(`${version()}\n`);
else if (argument !== undefined)
  exitWith("takes no arguments but --help or --version; it is set by environment variables", 1);
else {
  serve().catch((error: unknown) => {
    if (isForTheOperator(error)) exitWith(error.message, 1);
    pino(pino.destination({ dest: 2, sync: true })).fatal({ err: error }, "could not start");
    process.exit(1);
  });
}
