import { type BigIntStats, constants } from "node:fs";
import { type FileHandle, lstat, open, readlink, realpath } from "node:fs/promises";
import { isAbsolute, join, sep } from "node:path";

export type OpenedFile =
  | { kind: "open"; file: FileHandle; stat: BigIntStats }
  /** Nothing is there. */
  | { kind: "gone" }
  /** Outside of the folder, or not a plain file. */
  | { kind: "refused"; reason: string }
  /** Perhaps there, but not to be read now. */
  | { kind: "unreadable"; reason: string };

const outside: OpenedFile = { kind: "refused", reason: "the path leaves the folder" };

/** Reading only, never through a link at the end of the path, never waiting for a writer. */
const flags = constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0);

/**
 * Opens a plain file at `path` below `root` (contract, section 9). Links are followed only where they stay below the
 * root, also when a folder is exchanged for a link meanwhile, and what is opened is what was looked at. A root that is
 * missing says nothing about the file: a home that is not mounted is no lost source.
 */
export async function openBelow(root: string, path: string): Promise<OpenedFile> {
  try {
    const folder = await realpath(root);
    const place = await placeBelow(folder, path);
    return typeof place === "string" ? await openPlain(folder, place) : place;
  } catch (error) {
    return { kind: "unreadable", reason: codeOf(error) };
  }
}

async function placeBelow(folder: string, path: string): Promise<string | OpenedFile> {
  if (isAbsolute(path) || path.includes("\0") || path.split(/[\\/]/).includes("..")) return outside;
  try {
    const place = await realpath(join(folder, path));
    return isBelow(folder, place) ? place : outside;
  } catch (error) {
    return notOpened(error);
  }
}

async function openPlain(folder: string, place: string): Promise<OpenedFile> {
  let file: FileHandle | undefined;
  try {
    // Looked at before it is opened: opening a device can have effects.
    const seen = await lstat(place, { bigint: true });
    if (!seen.isFile()) return { kind: "refused", reason: "not a plain file" };
    file = await open(place, flags);
    const stat = await file.stat({ bigint: true });
    const isSame = stat.isFile() && stat.ino === seen.ino && stat.dev === seen.dev;
    const isInside = isBelow(folder, await placeOf(file, place, stat));
    if (isSame && isInside) return { kind: "open", file, stat };
    await file.close();
    return isInside ? { kind: "unreadable", reason: "replaced while it was opened" } : outside;
  } catch (error) {
    await file?.close();
    return notOpened(error);
  }
}

/** False when a path, which need not be a file's, leads out of a folder, or nowhere. */
export async function leadsBelow(root: string, path: string): Promise<boolean> {
  try {
    return isBelow(await realpath(root), await realpath(join(root, path)));
  } catch {
    return false;
  }
}

/** Where an open file is: a folder on the way to it may have been exchanged for a link after the way was looked at. */
async function placeOf(file: FileHandle, place: string, stat: BigIntStats): Promise<string> {
  try {
    // The kernel's own word, for the very file that is open.
    return await readlink(`/proc/self/fd/${file.fd}`);
  } catch {
    return (await isStillThere(place, stat)) ? place : "";
  }
}

/** Where the kernel does not say it, the way is looked at again and again: links that come and go have to hit each time. */
async function isStillThere(place: string, { dev, ino }: BigIntStats): Promise<boolean> {
  for (let looks = 0; looks < 4; looks += 1) {
    if ((await realpath(place)) !== place) return false;
    const found = await lstat(place, { bigint: true });
    if (found.ino !== ino || found.dev !== dev) return false;
  }
  return (await realpath(place)) === place;
}

function isBelow(folder: string, place: string): boolean {
  return place.startsWith(folder.endsWith(sep) ? folder : folder + sep);
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
