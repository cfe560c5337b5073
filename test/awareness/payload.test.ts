import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { oneLine } from "../../src/awareness/oneLine.js";
import { cleanPayload } from "../../src/awareness/payload.js";
import { Refusal } from "../../src/awareness/refusals.js";

function expectRefused(value: unknown, field: string, words: RegExp): void {
  let refusal: unknown;
  try {
    cleanPayload(value, "payload");
  } catch (error) {
    refusal = error;
  }
  expect(refusal).toBeInstanceOf(Refusal);
  expect(refusal).toMatchObject({ code: "BAD_USER_INPUT", field, message: expect.stringMatching(words) });
}

function keys(count: number): Record<string, number> {
  return Object.fromEntries(Array.from({ length: count }, (_, index) => [`key${index}`, index]));
}

describe("section 4, payload: a flat object with scalar values", () => {
  test("absent is null, an empty object stays one", () => {
    expect(cleanPayload(null, "payload")).toBeNull();
    expect(cleanPayload(undefined, "payload")).toBeNull();
    expect(cleanPayload({}, "payload")).toEqual({});
  });

  test("strings, finite numbers, booleans and null are kept", () => {
    const payload = { text: "hello", turns: 2, ratio: -0.5, big: 1e300, yes: true, no: false, nothing: null };
    expect(cleanPayload(payload, "payload")).toEqual(payload);
  });

  test.each([
    ["a list", [1]],
    ["a string", "text"],
    ["a number", 1],
    ["true", true],
    ["a date", new Date(0)],
    ["a map", new Map()],
    ["a function", () => 1],
    ["an object with a prototype of its own", Object.create({ inherited: 1 })],
  ])("%s is refused", (_name, value) => expectRefused(value, "payload", /flat object/));

  test.each([
    ["an object", {}],
    ["a list", []],
    ["NaN", Number.NaN],
    ["infinity", Number.POSITIVE_INFINITY],
    ["undefined", undefined],
    ["a bigint", 1n],
    ["a date", new Date(0)],
  ])("%s as a value is refused and the field names its key", (_name, value) => {
    expectRefused({ fine: 1, someKey: value }, "payload.someKey", /string, a finite number, a boolean or null/);
  });

  test("the field is named as the caller knows it", () => {
    expect(() => cleanPayload({ a: [] }, "inputs[3].payload")).toThrow(
      expect.objectContaining({ field: "inputs[3].payload.a" }),
    );
  });

  test("minus zero is zero, as it will be read", () => {
    expect(Object.is(cleanPayload({ n: -0 }, "payload")?.n, 0)).toBe(true);
  });
});

describe("section 4, payload: at most 16 keys", () => {
  test("16 are taken, 17 refused", () => {
    expect(cleanPayload(keys(16), "payload")).toEqual(keys(16));
    expectRefused(keys(17), "payload", /at most 16 keys.*17/);
  });

  test("a key has 1 to 128 characters, none of them hidden", () => {
    expect(cleanPayload({ ["k".repeat(128)]: 1, "two words": 2, ключ: 3 }, "payload")).toMatchObject({ ключ: 3 });
    expectRefused({ ["k".repeat(129)]: 1 }, "payload", /1 to 128/);
    expectRefused({ "": 1 }, "payload", /1 to 128/);
    for (const hidden of ["\0", "\n", "\u2028", "\u202e", "\u200b", "\ufeff", "\u{e0041}", "\ud800"]) {
      expectRefused({ [`a${hidden}b`]: 1 }, "payload", /U\+|surrogate/);
    }
  });
});

describe("section 4, payload: strings are cleaned like a summary", () => {
  test("line breaks, bidi controls and lone surrogates", () => {
    expect(cleanPayload({ text: " two\nlines\u202e \ud800 ", long: "x".repeat(300) }, "payload")).toEqual({
      text: "two lines \ufffd",
      long: "x".repeat(280),
    });
    expect(cleanPayload({ text: "\n" }, "payload")).toEqual({ text: "" });
  });
});

describe("section 4, payload: keys such as __proto__ are data, nothing more", () => {
  const hostile = '{"__proto__":"p","constructor":"c","prototype":1,"toString":true,"hasOwnProperty":null}';

  test("they stay ordinary own keys and pollute nothing", () => {
    const payload = cleanPayload(JSON.parse(hostile), "payload");
    expect(JSON.stringify(payload)).toBe(hostile);
    expect(Object.getPrototypeOf(payload)).toBe(Object.prototype);
    expect(Object.hasOwn(payload ?? {}, "__proto__")).toBe(true);
    expect(Object.getOwnPropertyDescriptor(payload, "__proto__")?.value).toBe("p");
    expect(JSON.stringify({ ...payload })).toBe(hostile);
    expect(({} as Record<string, unknown>).p).toBeUndefined();
  });

  test("an object under __proto__ is refused like any other", () => {
    expectRefused(JSON.parse('{"__proto__":{"polluted":true}}'), "payload.__proto__", /string, a finite number/);
    expect(({} as Record<string, unknown>).polluted).toBeUndefined();
  });

  test("an input without prototype is taken", () => {
    const bare: Record<string, unknown> = Object.create(null);
    bare.turns = 2;
    Object.defineProperty(bare, "__proto__", { value: "p", enumerable: true });
    expect(JSON.stringify(cleanPayload(bare, "payload"))).toBe('{"turns":2,"__proto__":"p"}');
  });

  test("any flat object survives JSON as it was returned", () => {
    const key = fc.oneof(fc.string({ minLength: 1, maxLength: 128 }), fc.constantFrom("__proto__", "constructor"));
    const value = fc.oneof(fc.string({ unit: "binary" }), fc.double(), fc.boolean(), fc.constant(null));
    fc.assert(
      fc.property(fc.dictionary(key, value, { maxKeys: 16 }), (input) => {
        fc.pre(Object.values(input).every((item) => typeof item !== "number" || Number.isFinite(item)));
        const payload = cleanPayload(input, "payload");
        expect(JSON.parse(JSON.stringify(payload))).toEqual(payload);
        expect(Object.keys(payload ?? {}).sort()).toEqual(Object.keys(input).sort());
        for (const item of Object.values(payload ?? {})) if (typeof item === "string") expect(oneLine(item)).toBe(item);
      }),
    );
  });
});
