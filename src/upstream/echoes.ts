import { createHash } from "node:crypto";

/**
 * A prompt as it is compared: NFC, white-space runs as one space, trimmed (contract, section 9). Own prompts are noted
 * as the SHA-256 of this, so what a tool does to line ends and indentation makes no difference.
 */
export function normalizePrompt(text: string): string {
  return composed(text).replace(/\s+/gu, " ").trim();
}

/** Lower-case hex SHA-256 of the normalised text: what `noteOwnPrompt` takes and what a turn is compared by. */
export function promptDigest(text: string): string {
  return createHash("sha256").update(normalizePrompt(text), "utf8").digest("hex");
}

/** No writing has so many marks on one letter; putting them in order takes time by the square of their number. */
const tooManyMarks = /(\p{M}{64,})/u;

/** NFC, but for runs of marks that are no writing, which stay as they are. */
function composed(text: string): string {
  const parts = text.split(tooManyMarks);
  return parts.map((part, index) => (index % 2 === 0 ? part.normalize("NFC") : part)).join("");
}
