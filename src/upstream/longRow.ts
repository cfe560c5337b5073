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
 * with pictures in it is understood in bounded memory, and one that is too long even so costs nothing more.
 */
export class LongRow {
  readonly #bounds: typeof bounds;
  #kept = Buffer.alloc(0);
  #keptBytes = 0;
  /** Where the string that is open begins among what is kept, and where it is cut; null between strings. */
  #string: { start: number; end: number } | null = null;
  /** What comes of the open string is passed over. */
  #isCut = false;
  /** The bytes so far end in an odd number of backslashes within a string. */
  #escaping = false;

  constructor(smaller: Partial<typeof bounds> = {}) {
    this.#bounds = { ...bounds, ...smaller };
  }

  push(bytes: Buffer): void {
    for (let at = 0; at < bytes.length && this.#keptBytes <= this.#bounds.rowKeptBytes; ) {
      at = this.#isCut ? this.#passOver(bytes, at) : this.#keep(bytes, at);
    }
  }

  /** The shortened row, or null when it is too long even so. */
  finish(): Buffer | null {
    return this.#keptBytes > this.#bounds.rowKeptBytes ? null : this.#kept.subarray(0, this.#keptBytes);
  }

  /** Byte by byte: rows of very many small strings are as quick as any. Stops where a string has to be cut. */
  #keep(bytes: Buffer, from: number): number {
    const { rowKeptBytes } = this.#bounds;
    const kept = this.#roomFor(bytes.length - from);
    let at = from;
    let length = this.#keptBytes;
    let string = this.#string;
    let escaping = this.#escaping;
    for (; at < bytes.length && length <= rowKeptBytes; at += 1) {
      const byte = bytes[at] ?? 0;
      const isQuote = byte === quote && !escaping;
      if (string !== null && length === string.end && !isQuote) break;
      kept[length] = byte;
      length += 1;
      if (isQuote) string = string === null ? this.#stringAt(length) : null;
      escaping = string !== null && byte === backslash && !escaping;
    }
    this.#keptBytes = length;
    this.#string = string;
    this.#escaping = escaping;
    this.#isCut = string !== null && at < bytes.length;
    return at;
  }

  #stringAt(start: number): { start: number; end: number } {
    const share = Math.floor((this.#bounds.rowKeptBytes - start) / shareOfRoom);
    return { start, end: start + Math.max(0, Math.min(this.#bounds.stringKeptBytes, share)) };
  }

  /** To the end of the open string, if that is among these bytes. */
  #passOver(bytes: Buffer, from: number): number {
    for (let at = bytes.indexOf(quote, from); at >= 0; at = bytes.indexOf(quote, at + 1)) {
      if (oddBackslashes(bytes, from, at, this.#escaping)) continue;
      this.#closeCut(this.#string?.start ?? 0);
      return at + 1;
    }
    this.#escaping = oddBackslashes(bytes, from, bytes.length, this.#escaping);
    return bytes.length;
  }

  #closeCut(start: number): void {
    const end = start + wholeLength(this.#kept.subarray(start, this.#keptBytes));
    this.#roomFor(1)[end] = quote;
    this.#keptBytes = end + 1;
    this.#string = null;
    this.#isCut = false;
    this.#escaping = false;
  }

  /** What is kept, with room for so many bytes more, as far as they can be kept at all. */
  #roomFor(bytes: number): Buffer {
    const needed = Math.min(this.#keptBytes + bytes, this.#bounds.rowKeptBytes + 1);
    if (this.#kept.length < needed) {
      const longer = Buffer.alloc(Math.min(Math.max(needed, 2 * this.#kept.length), this.#bounds.rowKeptBytes + 1));
      this.#kept.copy(longer, 0, 0, this.#keptBytes);
      this.#kept = longer;
    }
    return this.#kept;
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
