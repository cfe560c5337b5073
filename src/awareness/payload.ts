import type { Payload, PayloadValue } from "../storage/records.js";
import { oneLine } from "./oneLine.js";
import { badInput } from "./refusals.js";
import { checkId } from "./sessionKey.js";

export const payloadMaxKeys = 16;
const payloadKeyMaxChars = 128;

/**
 * A caller's payload, checked and cleaned (contract, section 4): a plain flat object of at most 16 keys (1 to 128
 * UTF-16 code units each, the characters of an id) with scalar values, strings as one line each; null when absent.
 * Throws `BAD_USER_INPUT` for `field`, or for `field.key` when one value is at fault.
 *
 * Keys such as `__proto__` come back as ordinary own properties. Copy the result with spread or `Object.fromEntries`,
 * never with assignment or `Object.assign`: only those would take `__proto__` for more than data.
 */
export function cleanPayload(value: unknown, field: string): Payload | null {
  if (value === null || value === undefined) return null;
  if (!isPlainObject(value)) throw badInput(field, `${field} must be a flat object, such as {"turns": 2}.`);
  const entries = Object.entries(value);
  if (entries.length > payloadMaxKeys) {
    throw badInput(field, `${field} must have at most ${payloadMaxKeys} keys; this one has ${entries.length}.`);
  }
  return Object.fromEntries(
    entries.map(([key, item]) => [checkPayloadKey(key, field), cleanValue(item, `${field}.${key}`)]),
  );
}

function checkPayloadKey(key: string, field: string): string {
  if (key.length === 0 || key.length > payloadKeyMaxChars) {
    throw badInput(field, `${field} must have keys of 1 to ${payloadKeyMaxChars} characters; one has ${key.length}.`);
  }
  checkId(key, field);
  return key;
}

function cleanValue(value: unknown, field: string): PayloadValue {
  if (typeof value === "string") return oneLine(value);
  if (value === null || typeof value === "boolean") return value;
  // Minus zero does not survive JSON: what the append returns must be what a later read finds.
  if (typeof value === "number" && Number.isFinite(value)) return value === 0 ? 0 : value;
  throw badInput(field, `${field} must be a string, a finite number, a boolean or null.`);
}

/** Object literals, parsed JSON and objects without prototype; no arrays, dates, maps or class instances. */
function isPlainObject(value: unknown): value is object {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return false;
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === null || Object.getPrototypeOf(prototype) === null;
}
