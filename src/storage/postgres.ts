import { createHash } from "node:crypto";
import { PrismaPg } from "@prisma/adapter-pg";
import type { Database } from "./database.js";
import { driverMessage, StorageError } from "./errors.js";
import { PrismaClient } from "./generated/postgresql/client.js";
import { newIdentityOfProcess, notifyStatement, watchNotifications } from "./postgresChangeSignal.js";
import { postgresDialect } from "./postgresDialect.js";
import { migratePostgres } from "./postgresMigrate.js";
import type { SessionIdentity } from "./records.js";
import { type Sql, type Statements, sql, type Transaction, toNumber } from "./sql.js";

/** Never wait longer than this for one statement, so that a database that hangs is known to. */
const statementMs = 10_000;
const connectMs = 5_000;
const connectionsMax = 10;
/** What a transaction whose turn came late still waits for a connection. */
const shortestWaitMs = 100;

type RawClient = Pick<PrismaClient, "$queryRaw" | "$executeRaw">;

/**
 * A pool on one PostgreSQL database that any number of processes share. The driver writes times without a zone and
 * reads them as UTC, so every connection runs in UTC.
 */
export async function openPostgres(url: string, options: { busyMs: number }): Promise<Database> {
  await migratePostgres(url);
  const adapter = new PrismaPg(
    {
      connectionString: url,
      max: connectionsMax,
      connectionTimeoutMillis: connectMs,
      query_timeout: statementMs,
      options: "-c timezone=UTC",
      application_name: "headsup",
    },
    // An idle connection that breaks is replaced at its next use; the statement that needs it says so if it cannot be.
    { onPoolError: () => undefined, onConnectionError: () => undefined },
  );
  const client = new PrismaClient({ adapter });
  const process = newIdentityOfProcess();

  let last: Promise<unknown> = Promise.resolve();
  return {
    kind: "postgresql",
    read: statementsOn(client),
    write(work, since = performance.now()) {
      const result = last.then(() => inTransaction(client, process, since + options.busyMs, work));
      last = result.catch(() => undefined);
      return result;
    },
    listen: (listenOptions) => watchNotifications(url, process, listenOptions),
    async close() {
      await last;
      await client.$disconnect();
    },
  };
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
  process: string,
  deadline: number,
  work: (transaction: Transaction) => Promise<Result>,
): Promise<Result> {
  /** What `work` itself threw goes to the caller as it is; anything else is the database's. */
  let thrown: { error: unknown } | undefined;
  try {
    return await client.$transaction(
      async (inner) => {
        try {
          return await work(transactionOn(inner, process));
        } catch (error) {
          thrown = { error };
          throw error;
        }
      },
      { maxWait: Math.max(deadline - performance.now(), shortestWaitMs), timeout: statementMs },
    );
  } catch (error) {
    throw thrown?.error ?? new StorageError(driverMessage(error), error);
  }
}

function transactionOn(inner: RawClient, process: string): Transaction {
  const statements = statementsOn(inner);
  return {
    ...statements,
    async lock(targets) {
      const keys = [...new Set(targets.map(lockKey))].sort((one, other) => (one < other ? -1 : one > other ? 1 : 0));
      if (keys.length === 0) return;
      // One order for everybody, so that two transactions never wait for each other.
      await statements.query(
        sql`SELECT COUNT(pg_advisory_xact_lock(key)) AS held FROM unnest(${keys.map(String)}::text[]::bigint[]) AS key`,
      );
    },
    async takeSequences(count) {
      const rows = await statements.query<{ n: unknown }>(
        sql`SELECT nextval('session_state_events_sequence_seq') AS n FROM generate_series(1, ${count}::int)`,
      );
      return rows.map((row) => toNumber(row.n)).sort((one, other) => one - other);
    },
    async tellOthers(targets) {
      await statements.query(notifyStatement(process, targets));
    },
  };
}

/** The advisory lock of a session: 64 bits of its identity. Two sessions that share one only wait for each other. */
function lockKey({ sessionKey, agentId }: SessionIdentity): bigint {
  return createHash("sha256").update(`${agentId}\n${sessionKey}`).digest().readBigInt64BE();
}
