import { execFile } from "node:child_process";
import { mkdirSync, readdirSync, rmdirSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { promisify } from "node:util";

const project = resolve(import.meta.dirname, "../..");
const lock = join(tmpdir(), `headsup-build-${Buffer.from(project).toString("base64url").slice(-60)}`);
const abandonedMs = 120_000;

/** Builds what `npm start` would run, unless it is newer than its sources. One at a time on this machine. */
export async function ensureBuilt(): Promise<string> {
  const main = join(project, "dist/main.js");
  while (!isFresh(main)) {
    if (takeLock()) {
      try {
        await promisify(execFile)("npm", ["run", "-s", "build"], { cwd: project });
      } finally {
        rmdirSync(lock);
      }
    } else {
      await new Promise((resolve) => setTimeout(resolve, 200)); // another one is building
    }
  }
  return main;
}

function isFresh(main: string): boolean {
  const built = statSync(main, { throwIfNoEntry: false })?.mtimeMs ?? 0;
  const sources = readdirSync(join(project, "src"), { recursive: true, withFileTypes: true });
  return sources.every((entry) => !entry.isFile() || statSync(join(entry.parentPath, entry.name)).mtimeMs < built);
}

function takeLock(): boolean {
  try {
    mkdirSync(lock);
    return true;
  } catch {
    const taken = statSync(lock, { throwIfNoEntry: false });
    if (taken !== undefined && Date.now() - taken.mtimeMs > abandonedMs) rmdirSync(lock);
    return false;
  }
}
