import type { FileHandle } from "node:fs/promises";
import type { SourceState } from "../awareness/upstreamSources.js";
import { promptDigest } from "./echoes.js";
import { type FoundTurn, keyOf } from "./knownTurns.js";
import { isRecord, looksWhole, recordsOf } from "./records.js";
import { type Row, type RowScan, rowBatches } from "./rows.js";
import type { Reading, RecordReader, Tool } from "./tool.js";

/** How much of a long file is searched for turns that are known: 128 MB of transcript are years of one thread. */
const windowBytes = 128 * 1024 * 1024;
/** A last row without a line feed that is longer than this is taken to be unfinished. */
const lastRowBytes = 4 * 1024 * 1024;
/** The first row tells what sort of thread it is. */
const firstRowBytes = 1024 * 1024;

/** What reading rows has found, up to `position`. */
export type Findings = {
  turns: FoundTurn[];
  /** Where the rows end that were, or held, something unreadable. */
  unreadable: number[];
  /** Where the rows end whose record is of a kind not known. */
  unknown: number[];
  position: number;
  /** False when the signal aborted before the end. */
  finished: boolean;
};

/** The position and what belongs to it, without the file it is in. */
export type ReadState = Pick<SourceState, "position" | "knownTurns" | "readerState">;

/** From the `position`, where rows begin that nothing is known of; `scan` may be further, within the first of them. */
type Span = { file: FileHandle; position: number; scan: RowScan; to: number; signal: AbortSignal };

/** Reads every complete row of a span. Stops between batches, one at the least, when the signal aborts. */
export async function readSpan(span: Span, reader: RecordReader): Promise<Findings> {
  const findings = nothingYet(span.position);
  for await (const rows of span.scan.batches(span.file, span.to)) {
    for (const row of rows) readRow(row, reader, findings);
    if (span.signal.aborted) return { ...findings, finished: false };
  }
  return findings;
}

/**
 * Reads a whole file for its turns, or the last part of a very long one; rows that cannot matter are not even parsed.
 * Rejects when the signal aborts: half of a history says nothing.
 */
export async function readHistory(
  source: { file: FileHandle; size: number; signal: AbortSignal },
  tool: Tool,
  reader: RecordReader,
): Promise<Findings & { whole: boolean }> {
  const { file, size, signal } = source;
  const from = Math.max(0, size - windowBytes);
  if (from > 0) await readFirstRow(file, reader);
  const findings = nothingYet(from);
  let inside = from > 0;
  for await (const rows of rowBatches(file, from, size)) {
    if (signal.aborted) throw new Error("reading the history took too long");
    for (const row of rows) {
      // The window begins somewhere within a row.
      if (inside) findings.position = row.end;
      else if (row.bytes !== null && !tool.mayTell(row.bytes)) passOver(row, row.bytes, findings);
      else readRow(row, reader, findings);
      inside = false;
    }
  }
  // Not one row ends in the window: whatever it is that goes on there, its beginning is out of sight.
  if (inside) findings.position = size;
  return { ...findings, whole: from === 0 };
}

/** A record at the end that lacks only its line feed has been written: it belongs to what was there before. */
export async function readLastRow(
  file: FileHandle,
  size: number,
  reader: RecordReader,
  findings: Findings,
): Promise<void> {
  const length = size - findings.position;
  if (length <= 0 || length > lastRowBytes) return;
  const bytes = Buffer.alloc(length);
  const { bytesRead } = await file.read(bytes, 0, length, findings.position);
  const { records, unreadable } = recordsOf(bytes.subarray(0, bytesRead));
  if (records.length === 0 || unreadable > 0) return;
  readRow(
    { bytes: bytes.subarray(0, bytesRead), start: findings.position, end: findings.position + bytesRead },
    reader,
    findings,
  );
}

function nothingYet(position: number): Findings {
  return { turns: [], unreadable: [], unknown: [], position, finished: true };
}

function readRow({ bytes, end }: Row, reader: RecordReader, findings: Findings): void {
  findings.position = end;
  const { records, unreadable } = bytes === null ? { records: [], unreadable: 1 } : recordsOf(bytes);
  if (unreadable > 0) findings.unreadable.push(end);
  for (const record of records) {
    const reading = reader.read(record);
    if (reading.verdict === "unknown") findings.unknown.push(end);
    else if (reading.verdict !== "other" && bytes !== null) findings.turns.push(toTurn(reading, bytes, end));
  }
}

/** Not parsed; one look tells most damage. */
function passOver(row: Row, bytes: Buffer, findings: Findings): void {
  findings.position = row.end;
  if (bytes.length > 0 && !looksWhole(bytes) && recordsOf(bytes).unreadable > 0) findings.unreadable.push(row.end);
}

function toTurn(reading: Exclude<Reading, { verdict: "other" | "unknown" }>, row: Buffer, end: number): FoundTurn {
  const at = typeof reading.at === "string" ? new Date(reading.at) : null;
  return {
    ...keyOf(reading.id, row),
    digest: promptDigest(reading.text),
    at: at === null || Number.isNaN(at.getTime()) ? null : at,
    copied: reading.verdict === "copied",
    end,
  };
}

async function readFirstRow(file: FileHandle, reader: RecordReader): Promise<void> {
  for await (const rows of rowBatches(file, 0, firstRowBytes)) {
    const first = rows[0]?.bytes;
    if (first === undefined || first === null) return;
    for (const record of recordsOf(first).records) if (isRecord(record)) reader.read(record);
    return;
  }
}
