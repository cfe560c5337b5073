import { badInput } from "./refusals.js";

/** `value` itself when it is a state version. Throws `BAD_USER_INPUT` for `field`. */
export function checkVersion(value: number, field: string): number {
  if (Number.isSafeInteger(value) && value >= 0) return value;
  throw badInput(field, `${field} is a state version: an integer from 0 to 2^53 - 1.`);
}
