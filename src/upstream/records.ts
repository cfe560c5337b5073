/** One record of a transcript: any JSON object. */
export type JsonRecord = Readonly<Record<string, unknown>>;

/** What a row holds. `unreadable` counts the pieces of it that are no records; they hide nothing but themselves. */
export type RowContent = { readonly records: readonly JsonRecord[]; readonly unreadable: number };

const openBrace = 0x7b;
const closeBrace = 0x7d;
const nothing: RowContent = { records: [], unreadable: 0 };
const damaged: RowContent = { records: [], unreadable: 1 };
/** What may stand around a record without being part of it: blanks, NULs of a crash, a byte order mark. */
const padding = /[\s\0\ufeff]/;

/**
 * The records of one row. A row is one record as a rule; after a crash or with two writers it can be a torn record
 * glued to a whole one, two whole ones, or padding and a record. Bytes that are not UTF-8 become U+FFFD. Takes time in
 * proportion to the row's length, whatever is in it: rows are many megabytes long, and meanwhile nothing else goes on.
 */
export function recordsOf(row: Buffer): RowContent {
  if (row.length === 0) return nothing;
  const raw = row.toString("utf8");
  const text = looksWhole(row) ? raw : trimmed(raw);
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

/** Not by one expression for both ends: those try every blank within the text as the beginning of its end. */
function trimmed(text: string): string {
  let end = text.length;
  while (end > 0 && padding.test(text.charAt(end - 1))) end -= 1;
  return text.slice(behindPadding(text, 0, end), end);
}

function behindPadding(text: string, from: number, to = text.length): number {
  let at = from;
  while (at < to && padding.test(text.charAt(at))) at += 1;
  return at;
}

/** Whole records at the start of the row, then one at its end; what is left is damage. */
function salvaged(text: string): RowContent {
  const records: JsonRecord[] = [];
  let from = 0;
  for (let end = endOfObject(text, from); end > 0; end = endOfObject(text, from)) {
    const value = parsed(text.slice(from, end));
    if (!isRecord(value)) break;
    records.push(value);
    from = behindPadding(text, end);
  }
  if (from === text.length) return { records, unreadable: 0 };
  const last = lastRecord(text, from);
  return { records: last === null ? records : [...records, last], unreadable: 1 };
}

/** A record that reaches to the end of the text, behind something torn that begins at `from`. */
function lastRecord(text: string, from: number): JsonRecord | null {
  const start = startOfObject(text, from);
  const value = start < 0 ? undefined : parsed(text.slice(start));
  return isRecord(value) ? value : null;
}

/** Where the object ends that begins at `from`, by its braces; 0 when it does not. */
function endOfObject(text: string, from: number): number {
  if (text[from] !== "{") return 0;
  let depth = 0;
  let inString = false;
  for (let at = from; at < text.length; at += 1) {
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

/**
 * Where the object begins that ends the text, by its braces, read backwards: there is one such place at most, so that
 * not every brace behind something torn has to be tried. -1 when there is none behind `from`.
 */
function startOfObject(text: string, from: number): number {
  if (!text.endsWith("}")) return -1;
  let depth = 0;
  for (let at = text.length - 1; at > from; at -= 1) {
    const character = text[at];
    if (character === '"') at = openingQuote(text, at);
    else if (character === "}") depth += 1;
    else if (character === "{") depth -= 1;
    if (depth === 0) return at;
  }
  return -1;
}

/** Where the string begins that is closed at `end`; before the text's beginning when it does not. */
function openingQuote(text: string, end: number): number {
  for (let at = text.lastIndexOf('"', end - 1); at >= 0; ) {
    let before = at;
    while (text[before - 1] === "\\") before -= 1;
    if ((at - before) % 2 === 0) return at;
    if (before === 0) return -1;
    at = text.lastIndexOf('"', before - 1);
  }
  return -1;
}
