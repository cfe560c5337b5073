#!/usr/bin/env node
import { readFileSync } from "node:fs";
import { pino } from "pino";
import { UsageError } from "./commands/arguments.js";
import { help, nodeHelp } from "./commands/help.js";
import { loginHelp, runLogin } from "./commands/login.js";
import { runToken, tokenHelp } from "./commands/token.js";
import { loadConfig } from "./config.js";
import type { Service } from "./service.js";

/** Closing takes `limits.stopGraceMs` and a moment for the database; a supervisor kills after 10 s. */
const exitAtLatestMs = 9_500;
const signalNumbers = { SIGINT: 2, SIGTERM: 15 } as const;

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
  return error instanceof Error && ["ConfigError", "StartError", "UsageError", "Refusal"].includes(error.name);
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

  // graphql reads this when it is loaded, and then checks each type once instead of twice: a fifth of an execution's time.
  process.env.NODE_ENV ||= "production";
  // Loaded when it is needed, so that the other commands are quick.
  const starting = import("./service.js").then(({ startService }) => startService(config, { log }));
  stopOnSignals(starting, log);
  const service = await starting;
  process.stdout.write(`headsup ready at ${service.url}\n`);
  if (service.firstLogin !== null) {
    const { link, tokenFile } = service.firstLogin;
    process.stdout.write(`log in, once and within 10 minutes: ${link}\nthe admin's token is in ${tokenFile}\n`);
  }
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

const standardStreams = {
  out: (text: string) => process.stdout.write(text),
  err: (text: string) => process.stderr.write(text),
};

async function run([command, ...rest]: readonly string[]): Promise<void> {
  const asksForHelp = rest.some((word) => word === "--help" || word === "-h");
  const say = (text: string) => standardStreams.out(text);
  if (command === "token") {
    if (asksForHelp) say(tokenHelp);
    else await runToken(rest, loadConfig(process.env), standardStreams);
  } else if (command === "login") {
    if (asksForHelp) say(loginHelp);
    else await runLogin(rest, loadConfig(process.env), standardStreams);
  } else if (command === "node") {
    if (asksForHelp) say(nodeHelp);
    // Loaded when it is needed, as the server is.
    else
      await (await import("./commands/node.js")).runNode(rest, loadConfig(process.env), process.env, standardStreams);
  } else if (command === "serve" && asksForHelp) say(help);
  else if (rest.length > 0) throw new UsageError(`"${rest[0]}" is not understood; see headsup --help`);
  else if (command === undefined || command === "serve") await serve();
  else if (command === "--help" || command === "-h" || command === "help") say(help);
  else if (command === "--version") say(`${version()}\n`);
  else throw new UsageError(`there is no command "${command}"; see headsup --help`);
}

run(process.argv.slice(2)).catch((error: unknown) => {
  if (isForTheOperator(error)) exitWith(error.message, 1);
  pino(pino.destination({ dest: 2, sync: true })).fatal({ err: error }, "could not go on");
  process.exit(1);
});
