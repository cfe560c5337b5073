import { parse } from "graphql";
import { expect, test } from "vitest";
import { createDocumentCache } from "../../src/server/documentCache.js";

const textOf = (name: string, length: number) => `{${name}}`.padEnd(length);

test("documents are kept up to a sum of their texts, those last used", () => {
  const cache = createDocumentCache(1_000);
  const [first, second, third] = ["a", "b", "c"].map((name) => textOf(name, 400));
  for (const text of [first, second]) cache.set(text ?? "", parse(text ?? ""));
  expect(cache.get(first ?? "")).toBeDefined();
  cache.set(third ?? "", parse(third ?? ""));
  expect([first, second, third].map((text) => cache.get(text ?? "") !== undefined)).toEqual([true, false, true]);
  expect(cache.chars).toBe(800);
});

test("ten thousand different documents fill no memory", () => {
  const cache = createDocumentCache();
  const document = parse("{a}");
  for (let index = 0; index < 10_000; index += 1) cache.set(textOf(`a${index}`, 1_000), document);
  expect(cache.chars).toBeLessThanOrEqual(128 * 1024);
});

test("a long document is not kept, and the same one counts once", () => {
  const cache = createDocumentCache();
  const long = textOf("a", 100_000);
  cache.set(long, parse(long));
  expect([cache.get(long), cache.chars]).toEqual([undefined, 0]);
  for (let again = 0; again < 3; again += 1) cache.set("{a}", parse("{a}"));
  expect(cache.chars).toBe(3);
});
