import pg from "pg";

const longestWaitMs = 25_000;

/** Runs one statement on a connection of its own, as an administrator would. */
export function runSql<Row extends pg.QueryResultRow>(url: string, text: string, values: unknown[] = []) {
  return connected(url, async (client) => (await client.query<Row>(text, values)).rows);
}

/** Asks the database until it has rows to show. */
export function untilRows(url: string, text: string, values: unknown[] = []): Promise<void> {
  return connected(url, async (client) => {
    const bound = AbortSignal.timeout(longestWaitMs);
    while ((await client.query(text, values)).rows.length === 0) bound.throwIfAborted();
  });
}

async function connected<Result>(url: string, use: (client: pg.Client) => Promise<Result>): Promise<Result> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    return await use(client);
  } finally {
    await client.end();
  }
}
