import { Refusal } from "../awareness/refusals.js";

/** What is shorter is parsed in a few milliseconds however deep it is, and what is in it is refused where it belongs. */
const lookedAtFromChars = 256 * 1024;
/** Far more than anything in the contract needs. */
const mostLevels = 100;

/**
 * Whether a long JSON text is nested so deeply that parsing it would take many times as long as other JSON of its
 * length: an object for every pair of brackets. Reads the text once and makes nothing of it.
 */
export function isTooDeep(json: string): boolean {
  if (json.length < lookedAtFromChars) return false;
  let levels = 0;
  let inString = false;
  for (let at = 0; at < json.length; at += 1) {
    const character = json.charCodeAt(at);
    if (inString) {
      if (character === backslash) at += 1;
      else if (character === quote) inString = false;
    } else if (character === quote) inString = true;
    else if (character === openBracket || character === openBrace) {
      levels += 1;
      if (levels > mostLevels) return true;
    } else if (character === closeBracket || character === closeBrace) levels -= 1;
  }
  return false;
}

const [quote, backslash, openBracket, closeBracket, openBrace, closeBrace] = [34, 92, 91, 93, 123, 125];

export const tooDeep = new Refusal("LIMIT_EXCEEDED", `JSON may be nested ${mostLevels} levels deep at most.`);
