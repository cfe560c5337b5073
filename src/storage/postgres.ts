import { createHash } from "node:crypto";
import { PrismaPg } from "@prisma/adapter-pg";
import pg from "pg";
import type { Database } from "./database.js";
import { driverMessage, StorageError } from "./errors.js";
import { PrismaClient } from "./generated/postgresql/client.js";
import { identityOf } from "./newEvent.js";
import { changedStatement, newIdentityOfProcess, notifyStatement, watchNotifications } from "./postgresChangeSignal.js";
import { postgresDialect } from "./postgresDialect.js";
import { migratePostgres } from "./postgresMigrate.js";
import type { SessionIdentity } from "./records.js";
import { type Sql, type Statements, sql, type Transaction, toNumber } from "./sql.js";

/** Never wait longer than this for one statement, unless told otherwise, so that a database that hangs is known to. */
const defaultStatementMs = 10_000;
/** A transaction whose process says nothing for this long is given up by the database: it may have lost its way here. */
const abandonedMs = 3_000;
const connectMs = 5_000;
const namesMax = 500;
const connectionsMax = 10;
/** What a transaction whose turn came late still waits: for a connection, and for locks (where waits would add up). */
const shortestMs = { connection: 100, lock: 10 };

export type PostgresOptions = { busyMs: number; statementMs?: number };
type RawClient = Pick<PrismaClient, "$queryRaw" | "$executeRaw">;

/**
 * A pool on one PostgreSQL database that any number of processes share. The driver writes times without a zone and
 * reads them as UTC, so every connection runs in UTC.
 */
export async function openPostgres(url: string, options: PostgresOptions): Promise<Database> {
  const { busyMs, statementMs = defaultStatementMs } = options;
  await migratePostgres(url);
  const pool = openPool(url, statementMs);
  // An idle connection that breaks is replaced at its next use; the statement that needs it says so if it cannot be.
  const adapter = new PrismaPg(pool, {
    disposeExternalPool: true,
    statementNameGenerator: ({ sql: text }) => nameOf(text),
    onPoolError: () => undefined,
    onConnectionError: () => undefined,
  });
  const client = new PrismaClient({ adapter });
  const process = newIdentityOfProcess();

  const read = statementsOn(client);
  let last: Promise<unknown> = Promise.resolve();
  return {
    kind: "postgresql",
    read,
    write(work, since = performance.now()) {
      const result = last.then(() => inTransaction(client, { process, deadline: since + busyMs, statementMs }, work));
      last = result.catch(() => undefined);
      return result;
    },
    async tellChanged(changed) {
      await read.query(changedStatement(process, changed));
    },
    listen: (listenOptions) => watchNotifications(url, process, listenOptions),
    async close() {
      await last;
      await client.$disconnect();
    },
  };
}

function openPool(url: string, statementMs: number): pg.Pool {
  // The database gives up a little before its client does, so that the connection stays usable.
  const settings = {
    timezone: "UTC",
    statement_timeout: Math.ceil(statementMs * 0.9),
    idle_in_transaction_session_timeout: Math.min(statementMs, abandonedMs),
  };
  const pool = new pg.Pool({
    connectionString: url,
    max: connectionsMax,
    connectionTimeoutMillis: connectMs,
    query_timeout: statementMs,
    options: Object.entries(settings)
      .map(([name, value]) => `-c ${name}=${value}`)
      .join(" "),
    application_name: "headsup",
  });
  // Prisma hands a connection back also when not even its ROLLBACK was answered. The transaction on it may still be
  // open: the next user would commit what was refused.
  pool.on("release", (_, used) => {
    if (used instanceof pg.Client && used.getTransactionStatus() !== "I") void used.end();
  });
  return pool;
}

function statementsOn(client: RawClient): Statements {
  return {
    dialect: postgresDialect,
    query: <Row>(statement: Sql) => client.$queryRaw<Row[]>(statement).catch(failed),
    execute: (statement) => client.$executeRaw(statement).catch(failed),
  };
}

function failed(error: unknown): never {
  throw new StorageError(driverMessage(error), error);
}

async function inTransaction<Result>(
  client: PrismaClient,
  { process, deadline, statementMs }: { process: string; deadline: number; statementMs: number },
  work: (transaction: Transaction) => Promise<Result>,
): Promise<Result> {
  const leftMs = (atLeast: number) => Math.max(deadline - performance.now(), atLeast);
  /** What `work` itself threw goes to the caller as it is; anything else is the database's. */
  let thrown: { error: unknown } | undefined;
  try {
    return await client.$transaction(
      async (inner) => {
        try {
          return await work(transactionOn(inner, process, () => leftMs(shortestMs.lock)));
        } catch (error) {
          thrown = { error };
          throw error;
        }
      },
      { maxWait: leftMs(shortestMs.connection), timeout: statementMs },
    );
  } catch (error) {
    throw thrown?.error ?? new StorageError(driverMessage(error), error);
  }
}

/** `patience` is how long a lock may be waited for, in milliseconds. */
function transactionOn(inner: RawClient, process: string, patience: () => number): Transaction {
  const statements = statementsOn(inner);
  return {
    ...statements,
    async lock(targets) {
      const keys = [...new Set(targets.map(lockKey))].sort((one, other) => (one < other ? -1 : one > other ? 1 : 0));
      if (keys.length === 0) return;
      // One order for everybody, so that two transactions never wait for each other. The timeout is set by the same
      // statement: locks are taken of the joined rows, so after it.
      await statements.query(
        sql`SELECT COUNT(pg_advisory_xact_lock(key)) AS held
          FROM (SELECT set_config('lock_timeout', ${String(Math.ceil(patience()))}, true)) AS patience,
            unnest(${keys.map(String)}::text[]::bigint[]) AS key`,
      );
    },
    async takeSequences(count) {
      const rows = await statements.query<{ n: unknown }>(
        sql`SELECT nextval('session_state_events_sequence_seq') AS n FROM generate_series(1, ${count}::int)`,
      );
      return rows.map((row) => toNumber(row.n)).sort((one, other) => one - other);
    },
    async executeOver(rows, columns, statement) {
      await statements.execute(statement(postgresDialect.rows("r", rows, columns)));
    },
    async skipSequence() {
      const [row] = await statements.query<{ n: unknown }>(
        sql`SELECT nextval('session_state_events_sequence_seq') AS n`,
      );
      return toNumber(row?.n);
    },
    async tellOthers(targets) {
      await statements.query(notifyStatement(process, targets()));
    },
  };
}

const names = new Map<string, string>();

/**
 * A named statement is planned once per connection. The product has a few dozen texts; when there are more, some are made
 * up anew each time, and naming starts over.
 */
function nameOf(text: string): string {
  const known = names.get(text);
  if (known !== undefined) return known;
  if (names.size >= namesMax) names.clear();
  const name = createHash("sha256").update(text).digest("base64url").slice(0, 32);
  names.set(text, name);
  return name;
}

/** The advisory lock of a session: 64 bits of its identity. Two sessions that share one only wait for each other. */
function lockKey(session: SessionIdentity): bigint {
  return createHash("sha256").update(identityOf(session)).digest().readBigInt64BE();
}
