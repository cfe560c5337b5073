import { execFileSync } from "node:child_process";
import { arch, cpus, loadavg, release, totalmem, type } from "node:os";
import { fileURLToPath } from "node:url";

const folder = fileURLToPath(new URL("../", import.meta.url));

/** Where and when a run took place, as name and value. */
export function circumstances(): [name: string, value: string][] {
  return [
    ["CPU", `${cpus()[0]?.model.trim() ?? "unknown"}, ${cpus().length} cores`],
    ["Memory", `${(totalmem() / 2 ** 30).toFixed(1)} GiB`],
    ["System", `${type()} ${release()} ${arch()}`],
    ["Node", process.version],
    ["Date", new Date().toISOString()],
    ["Commit", commit()],
    ["Load before the run", loadavg()[0]?.toFixed(2) ?? "unknown"],
  ];
}

function commit(): string {
  const git = (...args: string[]) =>
    execFileSync("git", args, { cwd: folder, encoding: "utf8", stdio: ["ignore", "pipe", "ignore"] }).trim();
  try {
    return git("rev-parse", "--short=12", "HEAD") + (git("status", "--porcelain") === "" ? "" : " and local changes");
  } catch {
    return "unknown";
  }
}
