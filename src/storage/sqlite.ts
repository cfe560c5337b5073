import { mkdirSync } from "node:fs";
import { dirname } from "node:path";
import { PrismaBetterSqlite3 } from "@prisma/adapter-better-sqlite3";
import { sleep } from "../clock.js";
import type { Database } from "./database.js";
import { driverMessage, StartError, StorageError } from "./errors.js";
import { PrismaClient } from "./generated/sqlite/client.js";
import { migrateSqlite } from "./migrate.js";
import type { Sql, Statements, Transaction } from "./sql.js";
import { sql, toNumber } from "./sql.js";
import { watchDataVersion } from "./sqliteChangeSignal.js";
import { sqliteDialect } from "./sqliteDialect.js";

const busyRetryMs = 5;

/**
 * Two connections on one file: one that writes, one that only reads. A read on the writing connection would see what
 * is not committed yet. The driver's own waiting for a lock blocks the whole process, so it is switched off on the
 * writer and done here, between other work.
 */
export async function openSqlite(file: string, options: { busyMs: number }): Promise<Database> {
  try {
    mkdirSync(dirname(file), { recursive: true });
  } catch (error) {
    throw new StartError(`cannot make the folder of the database ${file}: ${driverMessage(error)}`, error);
  }
  const adapter = new PrismaBetterSqlite3({ url: `file:${file}`, timeout: 0 });
  await migrateSqlite(adapter, file, options.busyMs);

  const writer = new PrismaClient({ adapter });
  const reader = new PrismaClient({ adapter: new PrismaBetterSqlite3({ url: `file:${file}`, timeout: 250 }) });
  const onWriter = statementsOn(writer);
  await writer.$executeRawUnsafe("PRAGMA synchronous = FULL");
  await reader.$executeRawUnsafe("PRAGMA query_only = ON");

  let last: Promise<unknown> = Promise.resolve();
  return {
    kind: "sqlite",
    read: statementsOn(reader),
    write(work) {
      const result = last.then(() => inTransaction(writer, onWriter, options.busyMs, work));
      last = result.catch(() => undefined);
      return result;
    },
    listen: (options) => watchDataVersion(writer, options),
    async close() {
      await last;
      await Promise.all([writer.$disconnect(), reader.$disconnect()]);
    },
  };
}

function statementsOn(client: PrismaClient): Statements {
  return {
    dialect: sqliteDialect,
    query: <Row>(statement: Sql) => client.$queryRaw<Row[]>(statement).catch(failed),
    execute: (statement) => client.$executeRaw(statement).catch(failed),
  };
}

function failed(error: unknown): never {
  throw new StorageError(driverMessage(error), error);
}

/**
 * BEGIN IMMEDIATE takes the write lock before anything is read, so what a transaction read cannot have changed when
 * it writes. Prisma's own transactions begin deferred and cannot promise that.
 */
async function inTransaction<Result>(
  writer: PrismaClient,
  statements: Statements,
  busyMs: number,
  work: (transaction: Transaction) => Promise<Result>,
): Promise<Result> {
  await begin(writer, busyMs);
  try {
    const result = await work({ ...statements, lock: nobodyElse, takeSequences, tellOthers: nobodyElse });
    await writer.$executeRawUnsafe("COMMIT").catch(failed);
    return result;
  } catch (error) {
    // After some failures (a full disk) SQLite has already rolled back and says that no transaction is active.
    await writer.$executeRawUnsafe("ROLLBACK").catch(() => undefined);
    throw error;
  }

  async function takeSequences(count: number): Promise<number[]> {
    const [row] = await statements.query<{ issued: unknown }>(issuedNow);
    const issued = toNumber(row?.issued);
    return Array.from({ length: count }, (_, index) => issued + 1 + index);
  }
}

/** The write lock keeps all others out, and the change counter tells them that something was committed. */
const nobodyElse = async (): Promise<void> => undefined;

const issuedNow = sql`SELECT ${sqliteDialect.issued} AS issued`;

async function begin(writer: PrismaClient, busyMs: number): Promise<void> {
  const deadline = performance.now() + busyMs;
  for (;;) {
    try {
      await writer.$executeRawUnsafe("BEGIN IMMEDIATE");
      return;
    } catch (error) {
      if (!isBusy(error) || performance.now() >= deadline) failed(error);
      await sleep(busyRetryMs);
    }
  }
}

/** True when another connection holds the lock. */
export function isBusy(error: unknown): boolean {
  return /database is locked|SQLITE_BUSY|SocketTimeout|P1008/.test(
    `${error instanceof Error ? error.message : ""} ${errorCode(error)}`,
  );
}

function errorCode(error: unknown): string {
  return typeof error === "object" && error !== null && "code" in error ? String(error.code) : "";
}
