import { createHash } from "node:crypto";

/**
 * A prompt as it is compared: NFC, white-space runs as one space, trimmed (contract, section 9). Own prompts are noted
 * as the SHA-256 of this, so what a tool does to line ends and indentation makes no difference.
 */
export function normalizePrompt(text: string): string {
  return text.normalize("NFC").replace(/\s+/gu, " ").trim();
}

/** Lower-case hex SHA-256 of the normalised text: what `noteOwnPrompt` takes and what a turn is compared by. */
export function promptDigest(text: string): string {
  return createHash("sha256").update(normalizePrompt(text), "utf8").digest("hex");
}
