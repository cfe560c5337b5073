import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { PrismaBetterSqlite3 } from "@prisma/adapter-better-sqlite3";
import { PrismaPg } from "@prisma/adapter-pg";
import Database from "better-sqlite3";
import pg from "pg";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { RunningAwareness } from "../../src/awareness/createAwareness.js";
import { openDatabase } from "../../src/storage/openDatabase.js";
import { completed } from "../contract/domainContract.js";
import { startOn, startOnFile } from "../support/domain.js";
import { startPostgres, type TestPostgres } from "../support/postgres.js";
import { ddlOf } from "../support/schemaEngine.js";

describe("migrations on SQLite", () => {
  const folder = mkdtempSync(join(tmpdir(), "headsup-"));
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  test("the migrations amount to what the Prisma schema says", async () => {
    const file = join(folder, "migrated.db");
    await (await openDatabase({ kind: "sqlite", file }, { busyMs: 1000 })).close();
    const expected = new Database(":memory:");
    expected.exec(await ddlOf("prisma/schema.prisma", new PrismaBetterSqlite3({ url: ":memory:" })));
    const migrated = new Database(file, { readonly: true });
    expect(sqliteShape(migrated)).toEqual(sqliteShape(expected));
    migrated.close();
  });

  test("applying them again finds nothing to do and changes nothing", async () => {
    const file = join(folder, "again.db");
    await (await openDatabase({ kind: "sqlite", file }, { busyMs: 1000 })).close();
    const rows = () => {
      const db = new Database(file, { readonly: true });
      const history = db.prepare('SELECT * FROM "_prisma_migrations" ORDER BY migration_name').all();
      db.close();
      return history;
    };
    const before = rows();
    await (await openDatabase({ kind: "sqlite", file }, { busyMs: 1000 })).close();
    expect(rows()).toEqual(before);
    expect(before.length).toBeGreaterThan(0);
  });

  test("a session that was deleted before there were lines gets one above all that it had", async () => {
    const file = join(folder, "lines.db");
    await (await startOnFile(file)).stop();
    const db = new Database(file);
    db.exec(`INSERT INTO sqlite_sequence (name, seq) VALUES ('session_state_events', 7); ${deletedBefore}`);
    db.close();
    await expectLine(await startOnFile(file));
  });

  describe("a file that is up to date but not in WAL mode", () => {
    /** A copy as a backup makes it. */
    async function copyOf(name: string): Promise<string> {
      const [file, copy] = [join(folder, `${name}.db`), join(folder, `${name}-copy.db`)];
      await (await openDatabase({ kind: "sqlite", file }, { busyMs: 1000 })).close();
      const db = new Database(file);
      db.exec(`VACUUM INTO '${copy}'`);
      db.close();
      return copy;
    }

    test("is put into it, also by several that start at once: appends do not wait for a reader", async () => {
      const copy = await copyOf("several");
      const servers = await Promise.all([1, 2, 3].map(() => startOnFile(copy, { busyMs: 5000 })));
      const reader = new Database(copy, { readonly: true });
      expect(reader.pragma("journal_mode", { simple: true })).toBe("wal");
      reader.exec("BEGIN");
      reader.prepare("SELECT COUNT(*) FROM sessions").get();
      const answers = await Promise.all(servers.map((server) => server.append(completed("agent:worker:main"))));
      expect(answers.map(({ recorded }) => recorded)).toEqual([true, true, true]);
      reader.close();
      await Promise.all(servers.map((server) => server.stop()));
    });

    test("stops the start with one line while others keep it in another mode", async () => {
      const copy = await copyOf("held");
      const reader = new Database(copy, { readonly: true });
      reader.exec("BEGIN");
      reader.prepare("SELECT COUNT(*) FROM sessions").get();
      await expect(openDatabase({ kind: "sqlite", file: copy }, { busyMs: 50 })).rejects.toMatchObject({
        name: "StartError",
        message: expect.stringMatching(/^DATABASE_URL: cannot put the database [^\n]+ WAL mode[^\n]+locked$/),
      });
      reader.close();
    });

    test("stops the start with one line where there is no such mode", async () => {
      await expect(openDatabase({ kind: "sqlite", file: ":memory:" }, { busyMs: 50 })).rejects.toMatchObject({
        name: "StartError",
        message: expect.stringMatching(/^DATABASE_URL: cannot put the database :memory: [^\n]+ memory mode$/),
      });
    });
  });

  test("a file that is no database stops the start with one line", async () => {
    await expect(openDatabase({ kind: "sqlite", file: "package.json" }, { busyMs: 100 })).rejects.toMatchObject({
      name: "StartError",
      message: expect.stringMatching(/^DATABASE_URL: cannot open the database package\.json: [^\n]+$/),
    });
  });
});

describe("migrations on PostgreSQL", () => {
  let server: TestPostgres | undefined;
  beforeAll(async () => {
    server = await startPostgres();
  }, 60_000);
  afterAll(() => server?.stop());
  const database = () => server?.createDatabase() ?? Promise.reject(new Error("the server starts before the tests"));

  test("the schema is the SQLite one with PostgreSQL's types: the generated file is not stale", () => {
    execFileSync("npx", ["tsx", "scripts/postgresSchema.ts", "--check"], { stdio: "pipe" });
  });

  test("the migrations amount to what the Prisma schema says", async () => {
    const [migrated, expected] = [await database(), await database()];
    await (await openDatabase({ kind: "postgresql", url: migrated }, { busyMs: 1000 })).close();
    const adapter = new PrismaPg({ connectionString: expected });
    await rowsOf(expected, await ddlOf("prisma/postgresql/schema.prisma", adapter));
    expect(await postgresShape(migrated)).toEqual(await postgresShape(expected));
  });

  test("several processes that start at once on a fresh database apply them once", async () => {
    const url = await database();
    const opened = await Promise.all(
      Array.from({ length: 4 }, () => openDatabase({ kind: "postgresql", url }, { busyMs: 1000 })),
    );
    await Promise.all(opened.map((each) => each.close()));
    const history = await rowsOf(url, 'SELECT migration_name, COUNT(*)::int AS n FROM "_prisma_migrations" GROUP BY 1');
    expect(history.map(({ n }) => n)).toEqual(history.map(() => 1));
    expect(history.length).toBeGreaterThan(0);
  });

  test("a database from a newer version is refused with one clear line and left alone", async () => {
    const url = await database();
    await (await openDatabase({ kind: "postgresql", url }, { busyMs: 1000 })).close();
    await rowsOf(
      url,
      `INSERT INTO "_prisma_migrations" (id, checksum, migration_name, finished_at) VALUES ('x', 'x', '99990101000000_future', now())`,
    );
    await expect(openDatabase({ kind: "postgresql", url }, { busyMs: 100 })).rejects.toMatchObject({
      name: "StartError",
      message: expect.stringMatching(
        /^the database postgresql:\/\/127[^\n]+newer version[^\n]+99990101000000_future[^\n]+$/,
      ),
    });
  });

  test("a session that was deleted before there were lines gets one above all that it had", async () => {
    const url = await database();
    await (await startOn(url)).stop();
    await rowsOf(url, `SELECT setval('session_state_events_sequence_seq', 7); ${deletedBefore}`);
    await expectLine(await startOn(url));
  });

  test("a server that is not there stops the start with one line that holds no password", async () => {
    const url = "postgresql://someone:secret@127.0.0.1:1/none";
    await expect(openDatabase({ kind: "postgresql", url }, { busyMs: 100 })).rejects.toMatchObject({
      name: "StartError",
      message: expect.not.stringContaining("secret"),
    });
  });
});

/** The worker's session was deleted at the last number of all, 7, before the migration that draws lines. */
const deletedBefore = `DELETE FROM "_prisma_migrations" WHERE migration_name LIKE '%_deleted_lines';
  INSERT INTO deleted_sessions (session_key, agent_id, sequence, deleted_at)
    VALUES ('agent:worker:main', 'worker', 7, '2999-01-01T00:00:00.000+00:00');`;

async function expectLine(server: RunningAwareness): Promise<void> {
  const worker = { sessionKey: "agent:worker:main" };
  const changes = async (changesSince: number) =>
    (await server.sessionStatus({ ...worker, changesSince })).stateChanges;
  expect(await changes(7)).toMatchObject({ historyGap: true, nextChangesSince: 8 });
  expect(await changes(8)).toMatchObject({ historyGap: false, nextChangesSince: 8 });
  const { event } = await server.append(completed("agent:worker:main"));
  expect(event?.sequence).toBe(9);
  await server.stop();
}

/** Tables with their columns, and the columns of plain and unique indexes; partial ones exist only in the migrations. */
function sqliteShape(db: Database.Database) {
  const names = db
    .prepare(
      "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite%' AND name NOT LIKE '\\_%' ESCAPE '\\' ORDER BY name",
    )
    .pluck()
    .all() as string[];
  return names.map((table) => {
    const columns = db.prepare(`SELECT name, type, "notnull", pk FROM pragma_table_info(?) ORDER BY name`).all(table);
    const indexes = db
      .prepare(
        `SELECT name FROM pragma_index_list(?) WHERE origin = 'c' AND partial = 0 AND "unique" = 0 ORDER BY name`,
      )
      .pluck()
      .all(table);
    return { table, columns: columns.map(numberKey), indexes };
  });
}

/** A rowid key must say INTEGER, where Prisma says BIGINT: the one difference in type. */
function numberKey(column: unknown): unknown {
  const { type, ...rest } = column as { type: string };
  return { ...rest, type: type === "BIGINT" || type === "INTEGER" ? "number" : type };
}

async function postgresShape(url: string) {
  const columns = await rowsOf(
    url,
    `SELECT table_name, column_name, data_type, datetime_precision, is_nullable, column_default FROM information_schema.columns
      WHERE table_schema = 'public' AND table_name <> '_prisma_migrations' ORDER BY table_name, column_name`,
  );
  const indexes = await rowsOf(
    url,
    `SELECT tablename, indexname FROM pg_indexes WHERE schemaname = 'public' AND tablename <> '_prisma_migrations'
      AND indexdef NOT LIKE '% WHERE %' AND indexdef NOT LIKE '%md5(%' AND indexname NOT LIKE '%\\_key' ORDER BY 1, 2`,
  );
  return { columns, indexes };
}

async function rowsOf(url: string, query: string): Promise<Record<string, unknown>[]> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    return (await client.query(query)).rows;
  } finally {
    await client.end();
  }
}
