import { Prisma } from "./generated/sqlite/client.js";
import type { SessionIdentity } from "./records.js";

/**
 * SQL as text with parameters. The tag renders `?` or `$n` as the database wants, so one text serves both.
 */
export type Sql = Prisma.Sql;
export const Sql = Prisma.Sql;
export const sql = Prisma.sql;
export const raw = Prisma.raw;
export const join = Prisma.join;
export const nothing = Prisma.empty;

/** Runs single statements. Errors of the driver arrive as `StorageError`. */
export type Statements = {
  readonly dialect: Dialect;
  query<Row>(statement: Sql): Promise<Row[]>;
  /** Returns the number of rows touched. */
  execute(statement: Sql): Promise<number>;
};

/** Statements that become durable together, or not at all. */
export type Transaction = Statements & {
  /**
   * Holds the logs and cursors of these target sessions for the rest of the transaction. Everything that moves a head
   * or a cursor takes it first and reads afterwards: that is what puts an append and a watch, or an append and a
   * drain, in an order. On SQLite the transaction itself is that lock.
   */
  lock(targets: readonly SessionIdentity[]): Promise<void>;
  /** The next `count` sequences, ascending, never handed out before. Call it after `lock`. */
  takeSequences(count: number): Promise<number[]>;
  /**
   * Runs a statement that reads its rows from `r`, all at once or one after the other, whichever is faster: no row may
   * need another. It has no parameters but these rows.
   */
  executeOver(rows: readonly Row[], columns: Record<string, ColumnType>, statement: (r: Sql) => Sql): Promise<void>;
  /** A number that no event ever has, above every one handed out before. Call it after `lock`. */
  skipSequence(): Promise<number>;
  /** When this transaction commits, other processes hear that what is pending on these targets has changed. */
  tellOthers(targets: () => readonly SessionIdentity[]): Promise<void>;
};

export type Row = Readonly<Record<string, string | number | null>>;
export type ColumnType = "text" | "integer" | "time";

/** The few places where the two databases want different words. */
export type Dialect = {
  readonly kind: "sqlite" | "postgresql";
  /** A relation `alias` of these rows, one column per key. Many rows travel as one JSON parameter. */
  rows(alias: string, values: readonly Row[], columns: Record<string, ColumnType>): Sql;
  /** One JSON array of the tuples `values` of a relation: half the work of objects, on both sides. */
  jsonTuples(values: readonly Sql[], from: Sql): Sql;
  /** The larger of two expressions. */
  greatest(a: Sql, b: Sql): Sql;
  /** One JSON array of the objects `fields` of a relation. */
  jsonArray(fields: Record<string, Sql>, from: Sql): Sql;
  /** A time as a parameter where its type does not follow from a column. */
  timeValue(value: Date): Sql;
  /** Ends a SELECT that locks its rows in its order, where others could take the same rows in another. */
  readonly forUpdate: Sql;
  /** What a unique index holds of a long text: the text itself, or its digest. A comparison needs both. */
  digest(text: Sql): Sql;
  /** The highest sequence ever handed out, 0 when none. */
  readonly issued: Sql;
  /** True where a text column holds `part`, whatever the case of either: the same on both databases. */
  holds(text: Sql, part: string): Sql;
  /** How a time is put into the JSON of `rows`. */
  time(value: Date): string;
};

/** A number column: the drivers hand over BigInt, number or text. */
export function toNumber(value: unknown): number {
  return Number(value);
}

/** A time column: a Date from a typed column, text from an expression. */
export function toDate(value: unknown): Date {
  return value instanceof Date ? value : new Date(String(value));
}

export function toDateOrNull(value: unknown): Date | null {
  return value === null || value === undefined ? null : toDate(value);
}
