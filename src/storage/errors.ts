/**
 * The database could not do what was asked: locked too long, full, gone, read-only. Nothing of the work was kept, unless
 * only the answer to its COMMIT was lost (see `Database.write`).
 */
export class StorageError extends Error {
  constructor(message: string, cause?: unknown) {
    super(message, { cause });
    this.name = "StorageError";
  }
}

/** A start that cannot go on. The message is one line for the person who starts the server. */
export class StartError extends Error {
  constructor(message: string, cause?: unknown) {
    super(message, { cause });
    this.name = "StartError";
  }
}

/** The first line of what a driver said, for a log or a start-up line. */
export function driverMessage(error: unknown): string {
  // A driver adapter keeps the database's own words in its cause.
  const cause = error instanceof Error ? error.cause : undefined;
  if (typeof cause === "object" && cause !== null && "originalMessage" in cause) return String(cause.originalMessage);
  const text = error instanceof Error ? error.message : String(error);
  if (text.includes("better_sqlite3.node")) {
    return "the native part of better-sqlite3 is not built: run npm rebuild better-sqlite3";
  }
  const lines = text.split("\n").map((line) => line.trim());
  // Prisma puts its own call frame first and the driver's words last.
  return lines.filter((line) => line !== "").at(-1) ?? "unknown error";
}
