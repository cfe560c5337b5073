/** The longest line that `oneLine` returns unless told otherwise, in UTF-16 code units. */
export const oneLineMaxChars = 280;

/** How much of a long text is cleaned at a time: the rest is not even looked at once the line is full. */
const chunkChars = 2_048;

/** Most appends carry such a line: printable ASCII, single blanks, nothing to clean. */
const plainLine = /^[!-~]+(?: [!-~]+)*$/;
const loneSurrogates = /\p{Surrogate}/gu;
/** Dropped without a trace. ZWJ and ZWNJ are not among them: emoji and Persian need those. */
const dropped = /[\p{Bidi_Control}\u200b\ufeff\u{e0000}-\u{e007f}]/gu;
/** `\s` holds U+2028 and U+2029 but not all control characters; those are spaces here too. */
const blanks = /[\s\p{Control}]+/gu;
const unclean = /[\p{Control}\p{Zl}\p{Zp}]/u;
const somethingToSee = /[^\s\p{Default_Ignorable_Code_Point}]/u;

const graphemes = new Intl.Segmenter("en", { granularity: "grapheme" });

/**
 * Text that lands in a model's prompt, as one harmless line (contract, section 4, `summary`). Lone surrogates become
 * U+FFFD; bidi controls, zero-width space, BOM and tag characters go; white space, line breaks and control characters
 * become single spaces; both ends are trimmed. Cleaning is idempotent.
 *
 * The result never exceeds `limit` UTF-16 code units (what `length`, columns and GraphQL clients count; at least 2)
 * and ends on a grapheme boundary. Only a first grapheme that alone exceeds the limit is cut inside, between two code
 * points, so that a line of stacked accents is neither lost nor unbounded. The time is linear in the text.
 */
export function oneLine(text: string, limit: number = oneLineMaxChars): string {
  if (text.length <= limit && (text === "" || plainLine.test(text))) return text;
  // One whole code point beyond the limit is enough to tell whether a grapheme ends at the limit.
  return cutLine(cleanStart(text, limit + 2), limit);
}

/** A label as it is kept: one line of at most `limit`. Null clears one, also when nothing is left; undefined keeps it. */
export function cleanLabel(label: string | null | undefined, limit: number): string | null | undefined {
  return label == null ? label : oneLine(label, limit) || null;
}

/** True for text without any character that `oneLine` takes out or replaces; white space may stand anywhere. */
export function isClean(text: string): boolean {
  return text.search(loneSurrogates) < 0 && text.search(dropped) < 0 && text.search(unclean) < 0;
}

/** `oneLine(text)`, or `fallback` when the text is absent or nothing visible remains of it (contract, section 4). */
export function oneLineOr(text: string | null | undefined, fallback: string): string {
  if (text === null || text === undefined) return fallback;
  const line = oneLine(text);
  return somethingToSee.test(line) ? line : fallback;
}

/** The clean text, or at least its first `enough` code units. */
function cleanStart(text: string, enough: number): string {
  let line = "";
  for (let from = 0; from < text.length && line.trimEnd().length < enough; ) {
    const to = pointBoundary(text, from + chunkChars);
    // Surrogates first: dropping what stands between two halves must not join them.
    const chunk = text.slice(from, to).replace(loneSurrogates, "\ufffd").replace(dropped, "");
    line = (line + chunk).replace(blanks, " ").trimStart();
    from = to;
  }
  return line.trimEnd();
}

function cutLine(line: string, limit: number): string {
  if (line.length <= limit) return line;
  const head = line.slice(0, pointBoundary(line, limit + 1));
  const lastStart = graphemes.segment(head).containing(limit)?.index ?? 0;
  if (lastStart > 0) return head.slice(0, lastStart).trimEnd();
  return head.slice(0, splitsPair(line, limit) ? limit - 1 : limit);
}

/** `at`, or one further where that would split a surrogate pair. */
function pointBoundary(text: string, at: number): number {
  return splitsPair(text, at) ? at + 1 : Math.min(at, text.length);
}

function splitsPair(text: string, at: number): boolean {
  const before = text.charCodeAt(at - 1);
  const after = text.charCodeAt(at);
  return before >= 0xd800 && before <= 0xdbff && after >= 0xdc00 && after <= 0xdfff;
}
