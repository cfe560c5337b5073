import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { checkCount, decodeCursor, encodeCursor } from "../../src/awareness/pageCursor.js";

const encoded = (text: string) => Buffer.from(text).toString("base64url");
const shape = ["string", "number"] as const;

describe("cursors of a page", () => {
  test("a cursor reads back as what it was made of", () => {
    const word = fc.oneof(fc.string(), fc.string({ unit: "grapheme" })).filter((text) => !/\p{Control}/u.test(text));
    fc.assert(
      fc.property(fc.array(fc.oneof(word, fc.maxSafeInteger())), (parts) => {
        const kinds = parts.map((part) => (typeof part === "string" ? "string" : "number"));
        const cursor = encodeCursor(parts);
        expect(cursor).toMatch(/^[A-Za-z0-9_-]+$/);
        expect(decodeCursor(cursor, kinds)).toEqual(parts);
      }),
    );
  });

  test("absent is null", () => {
    expect(decodeCursor(null, shape)).toBeNull();
    expect(decodeCursor(undefined, shape)).toBeNull();
  });

  test.each([
    ["nothing", ""],
    ["words", "not a cursor"],
    ["no JSON", encoded("[")],
    ["an object", encoded('{"0":"a","1":1}')],
    ["a string", encoded('"a"')],
    ["null", encoded("null")],
    ["too few parts", encodeCursor(["a"])],
    ["too many parts", encodeCursor(["a", 1, 2])],
    ["parts of another list", encodeCursor([1, "a"])],
    ["a fraction", encodeCursor(["a", 1.5])],
    ["an unsafe number", encodeCursor(["a", 2 ** 53])],
    ["an infinite number", encoded('["a",1e999]')],
    ["a nested list", encoded('["a",[1]]')],
    ["NUL in a part", encodeCursor(["a\0", 1])],
    ["half a character in a part", encodeCursor(["\ud800", 1])],
    ["padding", `${encodeCursor(["a", 1])}==`],
    ["white space in the JSON", encoded('["a", 1]')],
    ["bytes that are no text", Buffer.from('["\xff",1]', "latin1").toString("base64url")],
    ["a tower of brackets", encoded("[".repeat(200_000))],
  ])("%s is refused", (_name, after) => {
    const refusal = expect.objectContaining({
      code: "BAD_USER_INPUT",
      field: "after",
      message: expect.stringMatching(/cursor/),
    });
    expect(() => decodeCursor(after, shape)).toThrow(refusal);
  });

  test("the refusal names another field when told so", () => {
    expect(() => decodeCursor("?", shape, "page.after")).toThrow(expect.objectContaining({ field: "page.after" }));
  });
});

describe("how many items a caller asks for", () => {
  const range = { field: "first", max: 200, fallback: 50 };

  test("absent is the default, 1 to the maximum is taken", () => {
    expect(checkCount(null, range)).toBe(50);
    expect(checkCount(undefined, range)).toBe(50);
    expect(checkCount(1, range)).toBe(1);
    expect(checkCount(200, range)).toBe(200);
  });

  test.each([0, -1, 201, 1.5, Number.NaN, Number.POSITIVE_INFINITY])("%d is refused with the range", (value) => {
    expect(() => checkCount(value, range)).toThrow(
      expect.objectContaining({ code: "BAD_USER_INPUT", field: "first", message: expect.stringMatching(/1 to 200/) }),
    );
  });
});
