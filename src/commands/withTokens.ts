import { existsSync } from "node:fs";
import { pino } from "pino";
import { openTokens } from "../awareness/openTokens.js";
import type { Tokens } from "../awareness/tokens.js";
import { type Config, limits } from "../config.js";
import { UsageError } from "./arguments.js";

/** What a command says: the answer on standard output, everything about it on standard error. */
export type Console = { out(text: string): void; err(text: string): void };

/**
 * Works on the tokens of the configured database, whether a server runs on it or not. The audit lines go to standard
 * error, as the server's do.
 */
export async function withTokens<Result>(
  config: Config,
  { mayMake, console }: { mayMake: boolean; console: Console },
  work: (tokens: Tokens) => Promise<Result>,
): Promise<Result> {
  const { database } = config;
  if (database.kind === "sqlite" && !existsSync(database.file)) {
    if (!mayMake) {
      throw new UsageError(
        `there is no database ${database.file}; start the server once, or set DATABASE_URL as it has it`,
      );
    }
    console.err(`making the database ${database.file}\n`);
  }
  const log = pino({ level: config.logLevel }, pino.destination({ dest: 2, sync: true }));
  const { tokens, close } = await openTokens(database, { busyMs: limits.databaseBusyMs, log });
  try {
    return await work(tokens);
  } finally {
    await close();
  }
}
