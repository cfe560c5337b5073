import { createHash } from "node:crypto";
import { hostname } from "node:os";

/** Tells machines apart that report under one name. SHA-256, lower-case hex. */
export function digestOfMachine({ claudeDir, codexDir }: { claudeDir: string; codexDir: string }): string {
  const machine = JSON.stringify([hostname(), claudeDir, codexDir]);
  return createHash("sha256").update(machine).digest("hex");
}
