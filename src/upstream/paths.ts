import { type BigIntStats, constants } from "node:fs";
import { type FileHandle, lstat, open, realpath } from "node:fs/promises";
import { isAbsolute, join, sep } from "node:path";

export type OpenedFile =
  | { kind: "open"; file: FileHandle; stat: BigIntStats }
  /** Nothing is there. */
  | { kind: "gone" }
  /** Outside of the folder, or not a plain file. */
  | { kind: "refused"; reason: string }
  /** Perhaps there, but not to be read now. */
  | { kind: "unreadable"; reason: string };

/** Reading only, never through a link at the end of the path, never waiting for a writer. */
const flags = constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0);

/**
 * Opens a plain file at `path` below `root` (contract, section 9). Links are followed only where they stay below the
 * root, and what is opened is what was looked at. A root that is missing says nothing about the file: a home that is
 * not mounted is no lost source.
 */
export async function openBelow(root: string, path: string): Promise<OpenedFile> {
  try {
    const folder = await realpath(root);
    const place = await placeBelow(folder, path);
    return typeof place === "string" ? await openPlain(place) : place;
  } catch (error) {
    return { kind: "unreadable", reason: codeOf(error) };
  }
}

async function placeBelow(folder: string, path: string): Promise<string | OpenedFile> {
  if (isAbsolute(path) || path.includes("\0") || path.split(/[\\/]/).includes("..")) {
    return { kind: "refused", reason: "the path leaves the folder" };
  }
  try {
    const place = await realpath(join(folder, path));
    if (place.startsWith(folder.endsWith(sep) ? folder : folder + sep)) return place;
    return { kind: "refused", reason: "the path leaves the folder" };
  } catch (error) {
    return notOpened(error);
  }
}

async function openPlain(place: string): Promise<OpenedFile> {
  let file: FileHandle | undefined;
  try {
    // Looked at before it is opened: opening a device can have effects.
    const seen = await lstat(place, { bigint: true });
    if (!seen.isFile()) return { kind: "refused", reason: "not a plain file" };
    file = await open(place, flags);
    const stat = await file.stat({ bigint: true });
    if (stat.isFile() && stat.ino === seen.ino && stat.dev === seen.dev) return { kind: "open", file, stat };
    await file.close();
    return { kind: "unreadable", reason: "replaced while it was opened" };
  } catch (error) {
    await file?.close();
    return notOpened(error);
  }
}

function notOpened(error: unknown): OpenedFile {
  const code = codeOf(error);
  if (code === "ENOENT" || code === "ENOTDIR") return { kind: "gone" };
  if (code === "ELOOP") return { kind: "refused", reason: "a loop of links" };
  return { kind: "unreadable", reason: code };
}

/** `EACCES` and the like. A path may be in the message, so that never leaves here. */
export function codeOf(error: unknown): string {
  return error instanceof Error && "code" in error ? String(error.code) : "unknown error";
}
