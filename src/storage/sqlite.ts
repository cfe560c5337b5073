import { existsSync, mkdirSync } from "node:fs";
import { dirname } from "node:path";
import { whileBusy } from "./busy.js";
import type { Database } from "./database.js";
import { driverMessage, StartError, StorageError } from "./errors.js";
import { migrateSqlite } from "./migrate.js";
import { raw, type Sql, type Statements, sql, type Transaction, toNumber } from "./sql.js";
import { watchDataVersion } from "./sqliteChangeSignal.js";
import { sqliteDialect } from "./sqliteDialect.js";
import { CachingSqlite, type SqliteConnection } from "./sqliteDriver.js";

/** A reader waits for a lock only while another process recovers the file after a crash. */
const readerBusyMs = 250;

/**
 * Two connections on one file: one that writes, one that only reads. A read on the writing connection would see what
 * is not committed yet.
 *
 * Both go straight to Prisma's driver adapter: the client's way from text to driver and back costs more than the
 * statements themselves.
 */
export async function openSqlite(file: string, options: { busyMs: number }): Promise<Database> {
  try {
    makeFolder(dirname(file));
  } catch (error) {
    throw new StartError(
      `DATABASE_URL: cannot make the folder of the database ${file}: ${driverMessage(error)}`,
      error,
    );
  }
  const deadline = performance.now() + options.busyMs;
  const factory = new CachingSqlite(file, { timeout: 0 });
  await migrateSqlite(factory, file, deadline);
  const writer = statementsOn(await factory.connect());
  const reader = statementsOn(await new CachingSqlite(file, { timeout: readerBusyMs }).connect());
  try {
    await whileBusy(deadline, () => writer.execute(sql`PRAGMA synchronous = FULL`));
    await whileBusy(deadline, () => reader.execute(sql`PRAGMA query_only = ON`));
  } catch (error) {
    await Promise.all([writer.close(), reader.close()]);
    throw new StartError(`DATABASE_URL: cannot open the database ${file}: ${driverMessage(error)}`, error);
  }

  let last: Promise<unknown> = Promise.resolve();
  return {
    kind: "sqlite",
    read: reader,
    write(work, since = performance.now()) {
      const result = last.then(() => inTransaction(writer, since + options.busyMs, work));
      last = result.catch(() => undefined);
      return result;
    },
    tellChanged: nobodyElse,
    listen: (options) => watchDataVersion(writer, options),
    async close() {
      await last;
      await Promise.all([writer.close(), reader.close()]);
    },
  };
}

/** Node's own way of making parents as well never ends where the system refuses them with ENOENT, as below /proc. */
function makeFolder(folder: string): void {
  if (existsSync(folder)) return;
  makeFolder(dirname(folder));
  try {
    mkdirSync(folder);
  } catch (error) {
    if (!existsSync(folder)) throw error; // another process may have been quicker
  }
}

type Connection = Statements & Pick<Transaction, "executeOver"> & { close(): Promise<void> };

function statementsOn(connection: SqliteConnection): Connection {
  return {
    dialect: sqliteDialect,
    async query<Row>(statement: Sql) {
      const { columnNames, rows } = await connection.queryRaw(toQuery(statement)).catch(failed);
      return rows.map((row) => {
        const record: Record<string, unknown> = {};
        for (let index = 0; index < row.length; index += 1) record[columnNames[index] ?? ""] = row[index];
        return record;
      }) as Row[];
    },
    execute: (statement) => connection.executeRaw(toQuery(statement)).catch(failed),
    async executeOver(rows, columns, statement) {
      const [first] = rows;
      if (first === undefined) return;
      const names = Object.keys(columns);
      const { sql } = statement(sqliteDialect.rows("r", [first], columns));
      const args = rows.map((row) => names.map((name) => row[name]));
      await connection.executeRaw({ sql, args, argTypes: args.map(() => plainArgument) }).catch(failed);
    },
    close: () => connection.dispose(),
  };
}

function toQuery(statement: Sql) {
  return { sql: statement.sql, args: statement.values, argTypes: statement.values.map(() => plainArgument) };
}

/** Values go to the driver as they are; a Date becomes text as everywhere else. */
const plainArgument = { scalarType: "unknown", arity: "scalar" } as const;

function failed(error: unknown): never {
  throw new StorageError(driverMessage(error), error);
}

/**
 * BEGIN IMMEDIATE takes the write lock before anything is read, so what a transaction read cannot have changed when
 * it writes. Prisma's own transactions begin deferred and cannot promise that.
 */
async function inTransaction<Result>(
  writer: Connection,
  deadline: number,
  work: (transaction: Transaction) => Promise<Result>,
): Promise<Result> {
  await whileBusy(deadline, () => writer.execute(beginImmediate));
  try {
    const takeSequences = (count: number) => nextSequences(writer, count);
    const skipSequence = () => skippedSequence(writer);
    const result = await work({ ...writer, lock: nobodyElse, takeSequences, skipSequence, tellOthers: nobodyElse });
    await writer.execute(commit);
    return result;
  } catch (error) {
    // After some failures (a full disk) SQLite has already rolled back and says that no transaction is active.
    await writer.execute(rollback).catch(() => undefined);
    throw error;
  }
}

const beginImmediate = raw("BEGIN IMMEDIATE");
const commit = raw("COMMIT");
const rollback = raw("ROLLBACK");
const issuedNow = sql`SELECT ${sqliteDialect.issued} AS issued`;

/** The write lock keeps all others out, and the change counter tells them that something was committed. */
const nobodyElse = async (): Promise<void> => undefined;

/** The write lock is held: nobody else can hand out the same. */
async function nextSequences(writer: Connection, count: number): Promise<number[]> {
  const [row] = await writer.query<{ issued: unknown }>(issuedNow);
  const issued = toNumber(row?.issued);
  return Array.from({ length: count }, (_, index) => issued + 1 + index);
}

/** AUTOINCREMENT goes on behind what stands here. */
const skipOne = sql`UPDATE sqlite_sequence SET seq = seq + 1 WHERE name = 'session_state_events' RETURNING seq`;

async function skippedSequence(writer: Connection): Promise<number> {
  const [row] = await writer.query<{ seq: unknown }>(skipOne);
  if (row === undefined) throw new Error("a number is skipped only after one was given");
  return toNumber(row.seq);
}
