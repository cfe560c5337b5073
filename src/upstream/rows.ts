import type { FileHandle } from "node:fs/promises";
import { LongRow } from "./longRow.js";

const chunkBytes = 1024 * 1024;
/** A row up to this length is held as it is; a longer one is shortened while it streams by. */
const heldBytes = 4 * 1024 * 1024;
const newline = 0x0a;

/** One complete row, without its line feed. The bytes are good until the next batch; null when it is too long. */
export type Row = { readonly bytes: Buffer | null; readonly start: number; readonly end: number };

/**
 * The complete rows between two byte positions of an open file, in batches; what follows the last line feed is left
 * for later. Memory is bounded, whatever the rows' lengths. Positions are bytes, so a row that is cut anywhere, also
 * inside a character, is whole when its rest is there.
 */
export function rowBatches(file: FileHandle, from: number, to: number): AsyncGenerator<Row[]> {
  return new RowScan(from).batches(file, to);
}

/** Reads rows, and can go on later with a row whose end it has not seen. */
export class RowScan {
  #at: number;
  readonly #open: OpenRow;

  constructor(from: number) {
    this.#at = from;
    this.#open = new OpenRow(from);
  }

  /** How many bytes of the file have been looked at. */
  get at(): number {
    return this.#at;
  }

  /** As `rowBatches`, from where the last call was left. */
  async *batches(file: FileHandle, to: number): AsyncGenerator<Row[]> {
    const chunk = Buffer.allocUnsafe(Math.min(chunkBytes, Math.max(to - this.#at, 1)));
    while (this.#at < to) {
      const from = this.#at;
      const { bytesRead } = await file.read(chunk, 0, Math.min(chunk.length, to - from), from);
      if (bytesRead === 0) return; // the file is shorter than it was a moment ago
      this.#at += bytesRead;
      yield cut(chunk.subarray(0, bytesRead), from, this.#open);
    }
  }
}

function cut(chunk: Buffer, position: number, open: OpenRow): Row[] {
  const rows: Row[] = [];
  let from = 0;
  for (let end = chunk.indexOf(newline); end >= 0; end = chunk.indexOf(newline, from)) {
    rows.push(open.close(chunk.subarray(from, end), position + end + 1));
    from = end + 1;
  }
  open.hold(chunk.subarray(from));
  return rows;
}

/** The row whose end has not been seen yet. */
class OpenRow {
  #start: number;
  #held: Buffer[] = [];
  #bytes = 0;
  #long: LongRow | null = null;

  constructor(start: number) {
    this.#start = start;
  }

  /** Keeps a copy: the chunk is used again. */
  hold(part: Buffer): void {
    this.#bytes += part.length;
    if (this.#long === null && part.length > 0) this.#held.push(Buffer.from(part));
    else this.#long?.push(part);
    if (this.#long !== null || this.#bytes <= heldBytes) return;
    this.#long = new LongRow();
    for (const held of this.#held) this.#long.push(held);
    this.#held = [];
  }

  close(last: Buffer, end: number): Row {
    const row = { bytes: this.#whole(last), start: this.#start, end };
    this.#start = end;
    this.#held = [];
    this.#bytes = 0;
    this.#long = null;
    return row;
  }

  #whole(last: Buffer): Buffer | null {
    if (this.#bytes === 0) return last;
    this.hold(last);
    return this.#long === null ? Buffer.concat(this.#held) : this.#long.finish();
  }
}
