import { stat } from "node:fs/promises";
import { join } from "node:path";
import type { CatalogThread, UpstreamKind } from "../awareness/awareness.js";
import { type CatalogPlace, localNode, newestFirst } from "../awareness/upstreamSources.js";
import { openBelow } from "./paths.js";
import { isRecord, recordsOf } from "./records.js";
import type { ThreadFile, Tool } from "./tool.js";

/** How much of a file's start is read for the working directory. */
const headBytes = 64 * 1024;
/** Files looked at together: enough to keep the disk busy. */
const statsAtOnce = 64;
/** A path cannot be longer. */
const directoryMaxChars = 4_096;

/** One tool and where its threads are. */
export type Shelf = { kind: UpstreamKind; root: string; tool: Tool };

type Entry = { nodeId: string; kind: UpstreamKind; shelf: Shelf; threadId: string; path: string; updatedAtMs: number };

/**
 * At most `limit` threads behind `after`, newest first. Names and times only, and of those that are shown the first
 * lines for the working directory: quick with ten thousand files, and never a line of content (contract, section 9).
 */
export async function listCatalog(
  shelves: readonly Shelf[],
  request: { after: CatalogPlace | null; limit: number },
): Promise<CatalogThread[]> {
  const entries = (await Promise.all(shelves.map(entriesOf))).flat().sort(newestFirst);
  const { after } = request;
  const first = after === null ? 0 : entries.findIndex((entry) => newestFirst(after, entry) < 0);
  const shown = first < 0 ? [] : entries.slice(first, first + request.limit);
  return Promise.all(shown.map(toThread));
}

/** All threads, by names and times alone: no file is opened. */
export async function listNames(shelves: readonly Shelf[]): Promise<CatalogThread[]> {
  const entries = (await Promise.all(shelves.map(entriesOf))).flat();
  return entries.map(({ nodeId, kind, threadId, updatedAtMs }) => ({
    ...{ nodeId, kind, threadId, updatedAt: new Date(updatedAtMs), workingDirectory: null },
  }));
}

/** The file that a thread is in now: of several the one that was written last. Null when there is none. */
export async function locate({ root, tool }: Shelf, threadId: string): Promise<string | null> {
  const files = (await tool.threads(root)).filter((file) => file.threadId === threadId);
  if (files.length <= 1) return files[0]?.path ?? null;
  const times = await Promise.all(files.map(async (file) => (await modifiedMs(join(root, file.path))) ?? -1));
  return files[times.indexOf(Math.max(...times))]?.path ?? null;
}

async function entriesOf(shelf: Shelf): Promise<Entry[]> {
  const files = (await shelf.tool.threads(shelf.root)).filter(({ plain }) => plain);
  const latest = new Map<string, Entry>();
  for (let from = 0; from < files.length; from += statsAtOnce) {
    for (const entry of await Promise.all(files.slice(from, from + statsAtOnce).map((file) => toEntry(shelf, file)))) {
      // The same thread in two projects is the one that was written last.
      if (entry !== null && (latest.get(entry.threadId)?.updatedAtMs ?? -1) < entry.updatedAtMs) {
        latest.set(entry.threadId, entry);
      }
    }
  }
  return [...latest.values()];
}

async function toEntry(shelf: Shelf, { threadId, path }: ThreadFile): Promise<Entry | null> {
  const updatedAtMs = await modifiedMs(join(shelf.root, path));
  return updatedAtMs === null ? null : { nodeId: localNode, kind: shelf.kind, shelf, threadId, path, updatedAtMs };
}

/** Whole milliseconds; null when the file has gone. A time before 1970 counts as 1970. */
async function modifiedMs(path: string): Promise<number | null> {
  try {
    return Math.max(0, Math.floor((await stat(path)).mtimeMs));
  } catch {
    return null;
  }
}

async function toThread({ nodeId, kind, shelf, threadId, path, updatedAtMs }: Entry): Promise<CatalogThread> {
  const workingDirectory = await directoryOf(shelf, path);
  return { kind, nodeId, threadId, workingDirectory, updatedAt: new Date(updatedAtMs) };
}

async function directoryOf({ root, tool }: Shelf, path: string): Promise<string | null> {
  const opened = await openBelow(root, path);
  if (opened.kind !== "open") return null;
  try {
    const head = Buffer.alloc(headBytes);
    const { bytesRead } = await opened.file.read(head, 0, headBytes, 0);
    return findDirectory(head.subarray(0, bytesRead), tool);
  } catch {
    return null;
  } finally {
    await opened.file.close();
  }
}

/** From the first whole record that tells, else from the first words `"cwd":"` of a record that is longer than the head. */
function findDirectory(head: Buffer, tool: Tool): string | null {
  for (let from = 0, end = head.indexOf(10); end >= 0; from = end + 1, end = head.indexOf(10, from)) {
    for (const record of recordsOf(head.subarray(from, end)).records) {
      const directory = tool.workingDirectory(record);
      if (typeof directory === "string") return directory.slice(0, directoryMaxChars);
    }
  }
  const [quoted] = /(?<="cwd":\s?)"(?:[^"\\]|\\.)*"/.exec(head.toString("utf8")) ?? [];
  const { records } = quoted === undefined ? { records: [] } : recordsOf(Buffer.from(`{"cwd":${quoted}}`));
  const [record] = records;
  return isRecord(record) && typeof record.cwd === "string" ? record.cwd.slice(0, directoryMaxChars) : null;
}
