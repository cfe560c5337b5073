import { createHash } from "node:crypto";
import { readFileSync, statSync } from "node:fs";
import { hostname } from "node:os";
import { join } from "node:path";

/** The system's own id, else one that lasts until the next start of it. */
const idFiles = ["etc/machine-id", "var/lib/dbus/machine-id", "proc/sys/kernel/random/boot_id"];

/**
 * Tells machines apart that report under one name, so that none finds the other's threads gone: by the host's name, the
 * system's id, and the folders with their device and inode, because copies of one image have all else in common. Two
 * nodes on the same folders are one. SHA-256, lower-case hex; `system` is where the system's files are.
 */
export function digestOfMachine(folders: { claudeDir: string; codexDir: string }, system = "/"): string {
  const places = [folders.claudeDir, folders.codexDir].map((folder) => [folder, identityOf(folder)]);
  const machine = JSON.stringify([hostname(), systemId(system), ...places]);
  return createHash("sha256").update(machine).digest("hex");
}

function systemId(system: string): string | null {
  for (const file of idFiles) {
    const id = orNull(() => readFileSync(join(system, file), "utf8").trim());
    if (id) return id;
  }
  return null;
}

function identityOf(folder: string): string | null {
  return orNull(() => {
    const { dev, ino } = statSync(folder, { bigint: true });
    return `${dev}:${ino}`;
  });
}

/** What cannot be read on this system tells nothing. */
function orNull<Result>(read: () => Result): Result | null {
  try {
    return read();
  } catch {
    return null;
  }
}
