import type { SessionIdentity } from "../storage/records.js";
import { badInput, type Refusal } from "./refusals.js";

/** The longest key or id, in UTF-16 code units: what `length` says in the callers' languages. */
const nameMaxChars = 512;

const agentIdPattern = /^[A-Za-z0-9][A-Za-z0-9_-]{0,63}$/;
const qualifiedPrefix = "agent:";
const agentIdRule = "1 to 64 letters, digits, _ or -, the first a letter or digit";

/** Most names; nothing to find in them, and quick to see. */
const plainName = /^[ -~]+$/;
const loneSurrogate = /\p{Surrogate}/u;
/**
 * What nobody sees, so that two names that look the same are the same: control (U+0085 too), line-separator, bidi and
 * interlinear characters, and everything that Unicode says a display may leave out: zero-width (ZWJ, ZWNJ, BOM), fillers,
 * tags and variation selectors. Emoji that need a joiner or U+FE0F are therefore for summaries and labels only.
 */
const unseen = /[\p{Control}\p{Zl}\p{Zp}\p{Bidi_Control}\p{Default_Ignorable_Code_Point}\ufff9-\ufffb]/u;
const blank = /\s/u;

/**
 * The identity that a caller's words name (contract, section 2). An agent-qualified key carries its agent, and an
 * `agentId` beside it may only repeat it; a bare key needs one. `fields` are the input's names in a refusal.
 * Throws `BAD_USER_INPUT`. Nothing is folded, trimmed or normalised.
 */
export function resolveSession(
  name: { sessionKey: string; agentId?: string | null },
  fields: { key: string; agent: string } = { key: "sessionKey", agent: "agentId" },
): SessionIdentity {
  const sessionKey = checkKey(name.sessionKey, fields.key);
  const given = name.agentId ?? null;
  const own = agentOf(sessionKey);
  if (own === null) {
    if (given === null) {
      throw badInput(
        fields.agent,
        `${fields.key} names no agent: give ${fields.agent} beside it, or a key like agent:<agentId>:<rest>.`,
      );
    }
    return { sessionKey, agentId: checkAgentId(given, fields.agent) };
  }
  if (given !== null && given !== own) {
    throw badInput(
      fields.agent,
      `${fields.agent} contradicts ${fields.key}, which names the agent ${own}: leave it out or make them agree.`,
    );
  }
  return { sessionKey, agentId: own };
}

/** `value` itself when it is an agent id (contract, section 2). Throws `BAD_USER_INPUT` for `field`. */
export function checkAgentId(value: string, field: string): string {
  if (!agentIdPattern.test(value)) throw badInput(field, `${field} must be ${agentIdRule}.`);
  return value;
}

/**
 * `value` itself when it is a session key by the rules of section 2 of the contract: 1 to 512 UTF-16 code units, the
 * characters allowed there, and the right shape where it starts with `agent:`. Throws `BAD_USER_INPUT` for `field`.
 */
export function checkKey(value: string, field: string): string {
  checkName(value, field);
  if (value.includes('"')) throw badInput(field, `${field} must not contain a double quote.`);
  if (blank.test(value.charAt(0)) || blank.test(value.charAt(value.length - 1))) {
    throw badInput(field, `${field} must not start or end with white space: remove it.`);
  }
  if (!plainName.test(value) && value.normalize("NFC") !== value) {
    throw badInput(field, `${field} must be in Unicode normalization form C (NFC): normalize it before sending.`);
  }
  if (value.startsWith(qualifiedPrefix) && split(value) === null) {
    throw badInput(
      field,
      `${field} starts with agent: and so must read agent:<agentId>:<rest>, the agentId being ${agentIdRule}.`,
    );
  }
  return value;
}

/** The agent that a checked key names; null for a bare key (contract, section 2). */
export function agentOf(key: string): string | null {
  return split(key)?.agent ?? null;
}

/** The parts of `agent:<agentId>:<rest>`; null for anything else. */
function split(key: string): { agent: string; rest: string } | null {
  if (!key.startsWith(qualifiedPrefix)) return null;
  const end = key.indexOf(":", qualifiedPrefix.length);
  const agent = key.slice(qualifiedPrefix.length, Math.max(end, 0));
  const rest = key.slice(end + 1);
  return end > 0 && rest !== "" && agentIdPattern.test(agent) ? { agent, rest } : null;
}

/** True for the agent-qualified key of a sub-agent (contract, section 2). A bare key has no rest, so it never is one. */
export function isSubagent(key: string): boolean {
  const rest = split(key)?.rest ?? "";
  return rest.startsWith("subagent:") || rest.includes(":subagent:");
}

/**
 * An opaque id (sessionId, runId, dedupeKey, actor.id) unchanged; null when absent. Throws `BAD_USER_INPUT` for `field`
 * unless it is 1 to 512 UTF-16 code units without lone surrogates and characters that nobody sees.
 */
export function checkId(value: string | null | undefined, field: string): string | null {
  if (value === null || value === undefined) return null;
  checkName(value, field);
  return value;
}

/** The rules that keys and ids share. Refuses with a word on what to change; the value itself is never repeated. */
function checkName(value: string, field: string): void {
  const { length } = value;
  if (length > 0 && length <= nameMaxChars && plainName.test(value)) return;
  if (length === 0) throw badInput(field, `${field} must not be empty: give 1 to ${nameMaxChars} characters.`);
  if (length > nameMaxChars) {
    throw badInput(
      field,
      `${field} must be at most ${nameMaxChars} characters (UTF-16 code units) long; this one has ${length}.`,
    );
  }
  if (loneSurrogate.test(value))
    throw badInput(field, `${field} contains half of a surrogate pair: send whole characters.`);
  const hidden = unseen.exec(value);
  if (hidden !== null) throw hiddenCharacter(field, hidden[0], hidden.index);
}

function hiddenCharacter(field: string, character: string, index: number): Refusal {
  const code = (character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, "0");
  return badInput(
    field,
    `${field} contains the character U+${code} at position ${index + 1}: remove it. ` +
      "Control, line-separator, bidi, zero-width, tag and other invisible characters are not allowed.",
  );
}
