/** One record of a transcript: any JSON object. */
export type JsonRecord = Readonly<Record<string, unknown>>;

/** What a row holds. `unreadable` counts the pieces of it that are no records; they hide nothing but themselves. */
export type RowContent = { readonly records: readonly JsonRecord[]; readonly unreadable: number };

/** Places where a whole record may begin after a torn one; more are not tried. */
const startsTried = 64;

const openBrace = 0x7b;
const closeBrace = 0x7d;
const nothing: RowContent = { records: [], unreadable: 0 };
const damaged: RowContent = { records: [], unreadable: 1 };
/** What may stand around a record without being part of it: blanks, NULs of a crash, a byte order mark. */
const padding = /^[\s\0\ufeff]+|[\s\0\ufeff]+$/g;

/**
 * The records of one row. A row is one record as a rule; after a crash or with two writers it can be a torn record
 * glued to a whole one, two whole ones, or padding and a record. Bytes that are not UTF-8 become U+FFFD.
 */
export function recordsOf(row: Buffer): RowContent {
  if (row.length === 0) return nothing;
  const raw = row.toString("utf8");
  const text = looksWhole(row) ? raw : raw.replace(padding, "");
  if (text === "") return raw.includes("\0") ? damaged : nothing;
  const value = parsed(text);
  if (isRecord(value)) return { records: [value], unreadable: 0 };
  return value === undefined ? salvaged(text) : damaged;
}

/** True when a row begins and ends like a record. */
export function looksWhole(row: Buffer): boolean {
  return row[0] === openBrace && row[row.length - 1] === closeBrace;
}

export function isRecord(value: unknown): value is JsonRecord {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Undefined when it is not JSON. */
function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Whole records at the start of the row, then one at its end; what is left is damage. */
function salvaged(text: string): RowContent {
  const records: JsonRecord[] = [];
  let rest = text;
  for (let end = endOfObject(rest); end > 0; end = endOfObject(rest)) {
    const value = parsed(rest.slice(0, end));
    if (!isRecord(value)) break;
    records.push(value);
    rest = rest.slice(end).replace(padding, "");
  }
  if (rest === "") return { records, unreadable: 0 };
  const last = lastRecord(rest);
  return { records: last === null ? records : [...records, last], unreadable: 1 };
}

/** A record that reaches to the end of the text, behind something torn. Inside strings a quote is escaped, so `{"` begins an object. */
function lastRecord(text: string): JsonRecord | null {
  let start = text.indexOf('{"', 1);
  for (let tried = 0; start >= 0 && tried < startsTried; tried += 1) {
    const value = parsed(text.slice(start));
    if (isRecord(value)) return value;
    start = text.indexOf('{"', start + 1);
  }
  return null;
}

/** Where the object that begins the text ends, by its braces; 0 when it does not. */
function endOfObject(text: string): number {
  if (text[0] !== "{") return 0;
  let depth = 0;
  let inString = false;
  for (let at = 0; at < text.length; at += 1) {
    const character = text[at];
    if (inString) {
      if (character === "\\") at += 1;
      else if (character === '"') inString = false;
    } else if (character === '"') inString = true;
    else if (character === "{") depth += 1;
    else if (character === "}") {
      depth -= 1;
      if (depth === 0) return at + 1;
    }
  }
  return 0;
}
