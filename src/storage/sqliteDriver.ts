import { PrismaBetterSqlite3 } from "@prisma/adapter-better-sqlite3";
import type { ColumnDefinition, Database, Statement } from "better-sqlite3";

export type SqliteFactory = PrismaBetterSqlite3;
export type SqliteConnection = Awaited<ReturnType<SqliteFactory["connect"]>>;

/** The product has a few dozen statement texts; more than this many means that some are made up anew each time. */
const statementsMax = 200;

/**
 * Prisma's driver adapter for a SQLite file, with statements that are prepared once. The adapter prepares anew at every
 * call, which costs more than running most of them, and has no option for it.
 */
export class CachingSqlite extends PrismaBetterSqlite3 {
  constructor(file: string, options: { timeout: number }) {
    super({ url: `file:${file}`, ...options });
  }

  override async connect(): Promise<SqliteConnection> {
    const connection = await super.connect();
    // The adapter keeps its driver in `client`, which its types leave out.
    rememberStatements((connection as SqliteConnection & { client: Database }).client);
    return connection;
  }
}

function rememberStatements(client: Database): void {
  const prepare = client.prepare.bind(client);
  const remembered = new Map<string, Reusable>();
  const prepareOnce = (text: string): Reusable => {
    const known = remembered.get(text);
    if (known !== undefined) return known;
    const [oldest] = remembered.keys();
    if (oldest !== undefined && remembered.size >= statementsMax) remembered.delete(oldest);
    const statement = new Reusable(prepare(text));
    remembered.set(text, statement);
    return statement;
  };
  // What the adapter calls of a statement is all that a Reusable has.
  client.prepare = prepareOnce as unknown as Database["prepare"];
}

/**
 * A statement that can be bound again: the driver's own `bind` holds for its whole life. Values that are lists themselves
 * are rows, and the statement runs once for each: through the adapter, each run costs as much again as an insert.
 */
class Reusable {
  readonly #statement: Statement;
  #columns: ColumnDefinition[] | undefined;
  #values: readonly unknown[] = [];

  constructor(statement: Statement) {
    this.#statement = statement;
  }

  get reader(): boolean {
    return this.#statement.reader;
  }

  bind(values: readonly unknown[]): this {
    this.#values = values;
    return this;
  }

  raw(): this {
    this.#statement.raw();
    return this;
  }

  /** Asked for once: every text names its columns, so they stay the same. */
  columns(): ColumnDefinition[] {
    this.#columns ??= this.#statement.columns();
    return this.#columns;
  }

  all(): unknown[] {
    return this.#statement.all(...this.#values);
  }

  run(): { changes: number } {
    if (!Array.isArray(this.#values[0])) return this.#statement.run(...this.#values);
    let changes = 0;
    for (const row of this.#values) changes += this.#statement.run(row).changes;
    return { changes };
  }
}
