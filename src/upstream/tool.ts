import type { Dirent } from "node:fs";
import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { leadsBelow } from "./paths.js";
import type { JsonRecord } from "./records.js";

/** What a record is to the monitor. */
export type Reading =
  /** A person's turn; `copied` when the tool says that it comes from another thread. `at` is the record's own time. */
  | { verdict: "human" | "copied"; id: string | null; text: string; at: unknown }
  /** A kind that is known, and not a person's turn. */
  | { verdict: "other" }
  /** A kind that this version does not know: not a person's turn, and counted. */
  | { verdict: "unknown" };

export const other: Reading = { verdict: "other" };
export const unknown: Reading = { verdict: "unknown" };

/** Reads the records of one thread in their order. */
export type RecordReader = {
  read(record: JsonRecord): Reading;
  /** What it must carry on to go on reading later: plain JSON, for `Tool.reader`. */
  state(): unknown;
};

/** A thread's file as its name tells of it. `plain` is false for anything but an ordinary file below the tool's folder. */
export type ThreadFile = { readonly threadId: string; readonly path: string; readonly plain: boolean };

/** One of the tools whose transcripts are read. */
export type Tool = {
  /** The files of all threads below the tool's folder, by names alone. A folder that is missing has none. */
  threads(root: string): Promise<ThreadFile[]>;
  /** A reader that goes on from `state`, or begins anew with null. */
  reader(threadId: string, state: unknown): RecordReader;
  /** False when no record in the row can matter to the reader: such rows of old history are not even parsed. */
  mayTell(row: Buffer): boolean;
  /** Where the thread works, if this record says so. */
  workingDirectory(record: JsonRecord): unknown;
};

/** The blocks of a message's content that are records. */
export function blocksOf(content: unknown): JsonRecord[] {
  return Array.isArray(content)
    ? content.filter((block): block is JsonRecord => typeof block === "object" && block !== null)
    : [];
}

export function textOf(value: unknown): string {
  return typeof value === "string" ? value : "";
}

/** The folders in a folder below `root`, as paths below it; `outside` for one that is a link to somewhere else. */
export async function foldersIn(root: string, folder: string): Promise<{ path: string; outside: boolean }[]> {
  const entries = (await entriesOf(join(root, folder))).filter((entry) => !entry.isFile());
  return Promise.all(
    entries.map(async (entry) => {
      const path = join(folder, entry.name);
      return { path, outside: !entry.isDirectory() && !(await leadsBelow(root, path)) };
    }),
  );
}

/** What a folder holds; a folder that cannot be read holds nothing. */
export function entriesOf(folder: string): Promise<Dirent[]> {
  return readdir(folder, { withFileTypes: true }).catch(() => []);
}
