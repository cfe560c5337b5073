import { badInput } from "./refusals.js";

type PartKind = "string" | "number";
type PartsOf<Shape extends readonly PartKind[]> = {
  -readonly [Index in keyof Shape]: Shape[Index] extends "string" ? string : number;
};

/** A forged cursor must not make the database stumble: it takes no NUL and no lone surrogate. */
const unstorable = /[\p{Control}\p{Surrogate}]/u;

/**
 * An opaque cursor for the place of a node in a list: strings without control characters, and integers.
 * `decodeCursor` reads it back.
 */
export function encodeCursor(parts: readonly (string | number)[]): string {
  return Buffer.from(JSON.stringify(parts)).toString("base64url");
}

/**
 * The parts of a cursor made by `encodeCursor`, one per entry of `shape`; null when `after` is absent. Throws
 * `BAD_USER_INPUT` for `field` on anything else. Cursors are not signed: the parts are as trustworthy as any input.
 */
export function decodeCursor<const Shape extends readonly PartKind[]>(
  after: string | null | undefined,
  shape: Shape,
  field = "after",
): PartsOf<Shape> | null {
  if (after === null || after === undefined) return null;
  const parts = parseParts(after);
  if (parts === null || !fits(parts, shape)) {
    throw badInput(field, `${field} is not a cursor of this list: pass one on exactly as an earlier page returned it.`);
  }
  return parts;
}

/**
 * How many items a caller asks for: `fallback` when absent, else an integer from 1 to `max`. Throws `BAD_USER_INPUT` for
 * `field` otherwise, and says the range.
 */
export function checkCount(
  value: number | null | undefined,
  { field, max, fallback }: { field: string; max: number; fallback: number },
): number {
  if (value === null || value === undefined) return fallback;
  if (Number.isInteger(value) && value >= 1 && value <= max) return value;
  throw badInput(field, `${field} must be a whole number from 1 to ${max}.`);
}

function parseParts(after: string): unknown[] | null {
  try {
    const parts: unknown = JSON.parse(Buffer.from(after, "base64url").toString());
    // One spelling only: encoding what was read must give the same cursor.
    return Array.isArray(parts) && encodeCursor(parts) === after ? parts : null;
  } catch {
    return null;
  }
}

function fits<Shape extends readonly PartKind[]>(parts: unknown[], shape: Shape): parts is PartsOf<Shape> {
  return parts.length === shape.length && shape.every((kind, index) => isPart(parts[index], kind));
}

function isPart(part: unknown, kind: PartKind): boolean {
  return kind === "number" ? Number.isSafeInteger(part) : typeof part === "string" && !unstorable.test(part);
}
