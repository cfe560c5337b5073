import { createHash, randomBytes } from "node:crypto";
import { crc32 } from "node:zlib";

const prefix = "hup_";
const secretBytes = 32;
/** 62^43 is just above 2^256, and 62^6 above 2^32. */
const secretDigits = 43;
const checksumDigits = 6;
const shape = new RegExp(`^${prefix}([0-9A-Za-z]{${secretDigits}})([0-9A-Za-z]{${checksumDigits}})$`);
const digits = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";

/**
 * A new secret: `hup_`, 32 random bytes and a checksum. Letters and digits only, so that a double click takes all of it
 * and a scanner for leaked secrets knows it by its shape.
 */
export function newSecret(): string {
  const body = inDigits(BigInt(`0x${randomBytes(secretBytes).toString("hex")}`), secretDigits);
  return `${prefix}${body}${checksum(body)}`;
}

/** False for anything that cannot be one of our secrets, such as a mistyped one: it need not be looked up. */
export function isWellFormed(secret: string): boolean {
  const [, body, sum] = shape.exec(secret) ?? [];
  return body !== undefined && checksum(body) === sum;
}

/** SHA-256. A secret with 256 random bits needs no slow hash: there is nothing to guess. */
export function digestOf(secret: string): Buffer {
  return createHash("sha256").update(secret).digest();
}

function checksum(body: string): string {
  return inDigits(BigInt(crc32(body)), checksumDigits);
}

function inDigits(value: bigint, count: number): string {
  let text = "";
  for (let rest = value; text.length < count; rest /= 62n) text = (digits[Number(rest % 62n)] ?? "") + text;
  return text;
}
