import { expect, test } from "vitest";
import { isTooDeep } from "../../src/server/jsonDepth.js";

const long = (json: string) => json + " ".repeat(300_000);
const deep = (levels: number) => `${"[".repeat(levels)}1${"]".repeat(levels)}`;

test("long JSON may be 100 levels deep, whatever they are made of", () => {
  expect(isTooDeep(long(deep(100)))).toBe(false);
  expect(isTooDeep(long(deep(101)))).toBe(true);
  expect(isTooDeep(long(`${'{"a":'.repeat(101)}1${"}".repeat(101)}`))).toBe(true);
  expect(isTooDeep(long(`[${Array(1_000).fill("[]").join()}]`))).toBe(false);
});

test("brackets in strings are no nesting, and quotes that are escaped end no string", () => {
  expect(isTooDeep(long(JSON.stringify("[".repeat(500))))).toBe(false);
  expect(isTooDeep(long(JSON.stringify(`"\\"${"[".repeat(500)}`)))).toBe(false);
  expect(isTooDeep(long(`["\\\\",${deep(100)}]`))).toBe(true);
});

test("short JSON is left to the rules for what is in it", () => {
  expect(isTooDeep(deep(100_000))).toBe(false);
});
