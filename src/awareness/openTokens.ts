import { systemClock } from "../clock.js";
import type { DatabaseLocation } from "../storage/database.js";
import { openDatabase } from "../storage/openDatabase.js";
import type { Logger } from "./logger.js";
import { createTokens, type Tokens } from "./tokens.js";

type TokensOnly = { tokens: Tokens; close(): Promise<void> };

/**
 * The tokens of a database without the rest of the domain, for the command line: beside a server that runs on it, or
 * alone. Makes the database where it is missing. Rejects with `StartError`.
 */
export async function openTokens(
  location: DatabaseLocation,
  { busyMs, log }: { busyMs: number; log: Logger },
): Promise<TokensOnly> {
  const database = await openDatabase(location, { busyMs });
  // Nobody is let in here, so nothing is looked for.
  const tokens = createTokens({ database, clock: systemClock, log, pollMs: 0, adminSecret: null });
  return { tokens, close: () => database.close() };
}
