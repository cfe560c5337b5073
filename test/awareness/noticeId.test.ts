import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { noticeId, parseNoticeId } from "../../src/awareness/noticeId.js";

const encoded = (text: string) => Buffer.from(text).toString("base64url");

describe("section 6: notices are named by id", () => {
  test("an id reads back as what it was made of", () => {
    const number = fc.oneof(fc.maxSafeNat(), fc.nat(100), fc.constant(Number.MAX_SAFE_INTEGER));
    fc.assert(
      fc.property(number, number, (watchId, notified) => {
        const id = noticeId({ watchId, notified });
        expect(id).toMatch(/^[A-Za-z0-9_-]+$/);
        expect(parseNoticeId(id)).toEqual({ watchId, notified });
      }),
    );
  });

  test("an id is the same each time and differs per watch and per notice", () => {
    expect(noticeId({ watchId: 1, notified: 23 })).toBe(noticeId({ watchId: 1, notified: 23 }));
    expect(noticeId({ watchId: 1, notified: 23 })).not.toBe(noticeId({ watchId: 12, notified: 3 }));
    expect(noticeId({ watchId: 1, notified: 23 })).not.toBe(noticeId({ watchId: 1, notified: 24 }));
  });

  test.each([
    ["nothing", ""],
    ["words", "not an id"],
    ["the plain form", "1.2"],
    ["one number", encoded("12")],
    ["three numbers", encoded("1.2.3")],
    ["a leading zero", encoded("01.2")],
    ["a double zero", encoded("1.00")],
    ["a sign", encoded("-1.2")],
    ["an exponent", encoded("1e3.2")],
    ["a blank", encoded("1. 2")],
    ["a line break after it", encoded("1.2\n")],
    ["other digits", encoded("١.٢")],
    ["a number beyond 2^53 - 1", encoded("1.9007199254740992")],
    ["a huge number", encoded("1.99999999999999999999999999")],
    ["a missing number", encoded("1.")],
    ["JSON", encoded('{"watchId":1}')],
    ["bytes that are no text", Buffer.from([0xff, 0xfe, 0x2e]).toString("base64url")],
    ["megabytes", "MS4y".repeat(1_000_000)],
  ])("%s is no id", (_name, id) => expect(parseNoticeId(id)).toBeNull());

  test("a second spelling of an id is no id", () => {
    const id = noticeId({ watchId: 1, notified: 23 });
    expect(id).toBe("MS4yMw");
    for (const other of ["MS4yMw==", "MS4yMx", "MS4y Mw", "MS4yMw\n", "MS4yMw.", "MS4-yMw!", " MS4yMw", "MS4yMwA"]) {
      expect(parseNoticeId(other)).toBeNull();
    }
  });

  test("any text is an id only if noticeId made it", () => {
    fc.assert(
      fc.property(fc.oneof(fc.string(), fc.base64String(), fc.string().map(encoded)), (text) => {
        const parsed = parseNoticeId(text);
        if (parsed !== null) expect(noticeId(parsed)).toBe(text);
      }),
    );
  });
});
