import { execFileSync } from "node:child_process";
import { closeSync, existsSync, mkdtempSync, openSync, rmSync, writeSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** A folder whose disk can be made to fail, as real disks do. */
export type TroubledFolder = {
  path: string;
  /** From now on nothing can be written below it. */
  break(): void;
  mend(): void;
  remove(): void;
};

const newFolder = () => mkdtempSync(join(tmpdir(), "headsup-disk-"));
const mebibyte = 2 ** 20;

/** A disk of 8 MiB that gets full. Null where this user may not mount one. */
export function smallDisk(): TroubledFolder | null {
  const path = newFolder();
  try {
    execFileSync("mount", ["-t", "tmpfs", "-o", "size=8m", "tmpfs", path], { stdio: "ignore" });
  } catch {
    rmSync(path, { recursive: true });
    return null;
  }
  const filler = join(path, "filler");
  return {
    path,
    break: () => fill(filler),
    mend: () => rmSync(filler),
    remove() {
      execFileSync("umount", [path], { stdio: "ignore" });
      rmSync(path, { recursive: true });
    },
  };
}

function fill(file: string): void {
  const descriptor = openSync(file, "w");
  try {
    for (const size of [mebibyte, 4096, 1]) writeUntilFull(descriptor, Buffer.alloc(size, "x"));
  } finally {
    closeSync(descriptor);
  }
}

function writeUntilFull(descriptor: number, piece: Buffer): void {
  try {
    for (;;) writeSync(descriptor, piece);
  } catch (error) {
    if (!(error instanceof Error && "code" in error && error.code === "ENOSPC")) throw error;
  }
}

/**
 * A folder whose database files take no writes any more, also not through descriptors that are open, while they can
 * still be read: what a disk is that the kernel has made read-only. Null where this user or this file system cannot.
 */
export function freezableFolder(database: string): TroubledFolder | null {
  const path = newFolder();
  const files = () => [database, `${database}-wal`].map((name) => join(path, name)).filter((file) => existsSync(file));
  const mark = (flag: "+i" | "-i", names: string[]) => execFileSync("chattr", [flag, ...names], { stdio: "ignore" });
  const folder = {
    path,
    break: () => void mark("+i", files()),
    mend: () => void mark("-i", files()),
    remove: () => rmSync(path, { recursive: true }),
  };
  if (canFreeze(join(path, "probe"), mark)) return folder;
  folder.remove();
  return null;
}

function canFreeze(probe: string, mark: (flag: "+i" | "-i", files: string[]) => unknown): boolean {
  const descriptor = openSync(probe, "w");
  try {
    mark("+i", [probe]);
  } catch {
    closeSync(descriptor);
    return false;
  }
  try {
    writeSync(descriptor, "x");
    return false;
  } catch {
    return true;
  } finally {
    mark("-i", [probe]);
    closeSync(descriptor);
  }
}
