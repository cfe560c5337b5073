import { startPostgres, type TestPostgres } from "../test/support/postgres.js";

/** A real PostgreSQL for the rows that need one, gone when `work` is done. */
export async function withPostgres<T>(work: (postgres: TestPostgres) => Promise<T>): Promise<T> {
  const postgres = await startPostgres();
  try {
    return await work(postgres);
  } finally {
    await postgres.stop();
  }
}
