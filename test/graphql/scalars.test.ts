import { describe, expect, test } from "vitest";
import { parseDateTime, parseId, parseStateVersion } from "../../src/graphql/scalars.js";

describe("DateTime never refuses: what cannot be read counts as absent", () => {
  test.each([
    ["2026-11-30T12:00:00Z", "2026-11-30T12:00:00.000Z"],
    ["2026-11-30T12:00:00.123456789Z", "2026-11-30T12:00:00.123Z"],
    ["2026-11-30T12:00:00,5Z", "2026-11-30T12:00:00.500Z"],
    ["2026-11-30T12:00Z", "2026-11-30T12:00:00.000Z"],
    ["2026-11-30t12:00:00z", "2026-11-30T12:00:00.000Z"],
    ["2026-11-30T12:00:00+02:00", "2026-11-30T10:00:00.000Z"],
    ["2026-11-30T12:00:00-0330", "2026-11-30T15:30:00.000Z"],
    ["2024-02-29T00:00:00Z", "2024-02-29T00:00:00.000Z"],
    ["0099-01-01T00:00:00Z", "0099-01-01T00:00:00.000Z"],
  ])("%s is read", (text, instant) => {
    expect(parseDateTime(text).toISOString()).toBe(instant);
  });

  test.each([
    "2026-11-30T12:00:00", // no zone
    "2026-11-30",
    "2026-02-30T12:00:00Z",
    "2025-02-29T12:00:00Z",
    "2026-13-01T12:00:00Z",
    "2026-11-30T25:00:00Z",
    "2026-11-30T12:60:00Z",
    "2026-11-30T12:00:00+24:00",
    " 2026-11-30T12:00:00Z",
    "tomorrow",
    "",
    "Mon, 30 Nov 2026 12:00:00 GMT",
    1796040000000,
    Number.NaN,
    true,
    null,
    {},
    ["2026-11-30T12:00:00Z"],
  ])("%j is absent", (value) => {
    expect(parseDateTime(value).getTime()).toBeNaN();
  });
});

describe("StateVersion is an integer from 0 to 2^53 - 1", () => {
  test.each([0, 1, 2 ** 31, 2 ** 53 - 1])("%d is one", (value) => {
    expect(parseStateVersion(value)).toBe(value);
  });

  test("minus zero is zero", () => {
    expect(Object.is(parseStateVersion(-0), 0)).toBe(true);
  });

  test.each([-1, 1.5, 2 ** 53, 2 ** 63, Number.NaN, Number.POSITIVE_INFINITY, "1", true, null, 1n, {}])(
    "%s is none",
    (value) => {
      expect(() => parseStateVersion(value)).toThrow("StateVersion must be an integer from 0 to 9007199254740991.");
    },
  );
});

describe("an ID is a string, or an integer that JSON holds exactly", () => {
  test.each<[unknown, string]>([
    ["agent:a:b", "agent:a:b"],
    ["007", "007"],
    [7, "7"],
    [2 ** 53 - 1, "9007199254740991"],
  ])("%j is %s", (value, id) => expect(parseId(value)).toBe(id));

  test.each([2 ** 53, 1e19, 1e300, 1.5, -0, Number.NaN, true, null, {}, []])("%j is none", (value) => {
    expect(() => parseId(value)).toThrow(/ID/);
  });
});
