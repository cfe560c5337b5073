import fc from "fast-check";
import { expect, test } from "vitest";
import { digestOf, isWellFormed, newSecret } from "../../src/awareness/tokenText.js";

test("a token is hup_, 32 random bytes and a checksum", () => {
  const secrets = Array.from({ length: 500 }, newSecret);
  for (const secret of secrets) {
    expect(secret).toMatch(/^hup_[0-9A-Za-z]{49}$/);
    expect(isWellFormed(secret)).toBe(true);
  }
  expect(new Set(secrets).size).toBe(secrets.length);
  // 256 bits in 43 digits of 62: the first digit is any of the first few dozen.
  expect(new Set(secrets.map((secret) => secret[4])).size).toBeGreaterThan(20);
});

test("one mistyped character is recognised before anything is looked up", () => {
  const digits = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
  const secret = newSecret();
  for (let at = 0; at < secret.length; at += 1) {
    for (const digit of digits) {
      if (digit === secret[at]) continue;
      expect(isWellFormed(secret.slice(0, at) + digit + secret.slice(at + 1))).toBe(false);
    }
  }
});

test("anything else is no token", () => {
  const secret = newSecret();
  for (const text of [
    "",
    "hup_",
    `${secret} `,
    ` ${secret}`,
    secret.slice(1),
    secret.slice(0, -1),
    `${secret}0`,
    `${secret}\n`,
  ]) {
    expect(isWellFormed(text)).toBe(false);
  }
  fc.assert(fc.property(fc.string({ unit: "binary" }), (text) => !isWellFormed(text)));
});

test("the hash is SHA-256 of the whole secret", () => {
  expect(digestOf("abc").toString("hex")).toBe("ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
});
