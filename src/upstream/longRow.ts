const bounds = {
  /** A row that is longer than this even without the ends of its strings cannot be looked at. */
  rowKeptBytes: 8 * 1024 * 1024,
  /** Of a string, this much is kept at most: a prompt is hardly ever longer, a picture always is. */
  stringKeptBytes: 256 * 1024,
};
/** Of many long strings less is kept: each gets this part of the room there is. */
const shareOfRoom = 16;

const quote = 0x22;
const backslash = 0x5c;
const letterU = 0x75;

/**
 * Shortens one row of JSON while it streams by: long strings lose their end, everything else stays. So a row of 40 MB
 * with pictures in it is understood in bounded memory.
 */
export class LongRow {
  readonly #bounds: typeof bounds;
  #kept: Buffer[] = [];
  #keptBytes = 0;
  /** What is kept of the string that is open, and how much more may be; null between strings. */
  #string: { parts: Buffer[]; room: number; isCut: boolean } | null = null;
  /** The bytes so far end in an odd number of backslashes within a string. */
  #escaping = false;

  constructor(smaller: Partial<typeof bounds> = {}) {
    this.#bounds = { ...bounds, ...smaller };
  }

  push(bytes: Buffer): void {
    let at = 0;
    while (at < bytes.length) at = this.#string === null ? this.#toString(bytes, at) : this.#throughString(bytes, at);
  }

  /** The shortened row, or null when it is too long even so. */
  finish(): Buffer | null {
    return this.#keptBytes > this.#bounds.rowKeptBytes ? null : Buffer.concat(this.#kept);
  }

  /** Keeps what stands before the next string, and its quote. */
  #toString(bytes: Buffer, from: number): number {
    const found = bytes.indexOf(quote, from);
    const to = found < 0 ? bytes.length : found + 1;
    this.#keep(bytes.subarray(from, to));
    if (found >= 0) {
      const share = Math.floor((this.#bounds.rowKeptBytes - this.#keptBytes) / shareOfRoom);
      const room = Math.max(0, Math.min(this.#bounds.stringKeptBytes, share));
      this.#string = { parts: [], room, isCut: false };
      this.#escaping = false;
    }
    return to;
  }

  #throughString(bytes: Buffer, from: number): number {
    const end = this.#endOfString(bytes, from);
    const to = end ?? bytes.length;
    this.#keepOfString(bytes.subarray(from, to));
    if (end === null) {
      this.#escaping = oddBackslashes(bytes, from, to, this.#escaping);
      return to;
    }
    this.#closeString();
    return end + 1;
  }

  /** Where the closing quote is, or null when it is not among these bytes. */
  #endOfString(bytes: Buffer, from: number): number | null {
    for (let at = bytes.indexOf(quote, from); at >= 0; at = bytes.indexOf(quote, at + 1)) {
      if (!oddBackslashes(bytes, from, at, this.#escaping)) return at;
    }
    return null;
  }

  #keepOfString(part: Buffer): void {
    const string = this.#string;
    if (string === null || part.length === 0) return;
    const kept = part.subarray(0, string.room);
    string.room -= kept.length;
    string.isCut ||= kept.length < part.length;
    if (kept.length > 0) string.parts.push(Buffer.from(kept));
  }

  #closeString(): void {
    const { parts, isCut } = this.#string ?? { parts: [], isCut: false };
    const text = Buffer.concat(parts);
    this.#keep(isCut ? text.subarray(0, wholeLength(text)) : text);
    this.#keep(Buffer.from([quote]));
    this.#string = null;
  }

  #keep(part: Buffer): void {
    this.#keptBytes += part.length;
    if (this.#keptBytes > this.#bounds.rowKeptBytes) this.#kept = [];
    else this.#kept.push(Buffer.from(part));
  }
}

/** Whether the backslashes right before `to`, down to `from`, are odd in number; `before` continues them. */
function oddBackslashes(bytes: Buffer, from: number, to: number, before: boolean): boolean {
  let at = to;
  while (at > from && bytes[at - 1] === backslash) at -= 1;
  const odd = (to - at) % 2 === 1;
  return at === from && before ? !odd : odd;
}

/** How many of these bytes of a string are whole characters and escapes. */
function wholeLength(text: Buffer): number {
  let at = 0;
  for (let next = 0; next <= text.length; next = at + lengthAt(text, at)) {
    at = next;
    if (at === text.length) break;
  }
  return at;
}

/** Of the character or escape that begins there. */
function lengthAt(text: Buffer, at: number): number {
  const first = text[at] ?? 0;
  // Where the kind of an escape is cut off, it is longer than what is there in any case.
  if (first === backslash) return text[at + 1] === letterU ? 6 : 2;
  if (first < 0xc0) return 1;
  return first < 0xe0 ? 2 : first < 0xf0 ? 3 : 4;
}
