import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { oneLine, oneLineMaxChars, oneLineOr } from "../../src/awareness/oneLine.js";

const family = "👨‍👩‍👧‍👦";
const heart = "❤️";
const england = "\u{1f3f4}\u{e0067}\u{e0062}\u{e0065}\u{e006e}\u{e0067}\u{e007f}";
const zalgo = `a${"\u0301".repeat(400)}`;
const forbidden = /[\p{Control}\p{Zl}\p{Zp}\p{Bidi_Control}\p{Surrogate}\u200b\ufeff\u{e0000}-\u{e007f}]/u;

/** Text made of what gives trouble: halves, blanks, invisible characters, long graphemes. */
const hostileUnits = fc.constantFrom(
  ..."aé \t\n\r\0\u007f\u0085\u00a0\u1680\u2028\u2029\u3000\u200b\u200c\u200d\u200e\u202e\u2066\u061c\ufeff\u0301\ufe0f",
  ..."\ud83d\ude00\ud800\udbff\udc00\udb40\udc41",
  family,
  england,
  "🇪🇸",
  "नमस्ते",
  zalgo,
);
const hostileText = fc.oneof(
  fc.array(hostileUnits, { maxLength: 400 }).map((parts) => parts.join("")),
  fc.string({ unit: "binary", maxLength: 600 }),
  fc.array(fc.integer({ min: 0, max: 0xffff }), { maxLength: 400 }).map((units) => String.fromCharCode(...units)),
);

describe("section 4, summary: cleaned, not refused", () => {
  test.each([
    ["line\r\nbreak\nand\ttab", "line break and tab"],
    ["nul\0bell\u0007escape\u001b[31m next\u0085line", "nul bell escape [31m next line"],
    ["line\u2028separator\u2029paragraph", "line separator paragraph"],
    ["vertical\vfeed\fdelete\u007fend", "vertical feed delete end"],
  ])("line breaks, tabs and control characters become spaces: %j", (text, line) => {
    expect(oneLine(text)).toBe(line);
  });

  test.each([
    ["a\u200eb\u200fc\u061cd", "abcd"],
    ["a\u202ab\u202bc\u202cd\u202de\u202ef", "abcdef"],
    ["a\u2066b\u2067c\u2068d\u2069e", "abcde"],
    ["zero\u200bwidth", "zerowidth"],
    ["\ufeffstart and\ufeff middle", "start and middle"],
    ["hidden\u{e0049}\u{e0067}\u{e006e}\u{e007f} text\u{e0001}", "hidden text"],
  ])("bidi controls, zero-width space, BOM and tag characters go: %j", (text, line) => {
    expect(oneLine(text)).toBe(line);
  });

  test.each([
    ["  both  ends \t\n ", "both ends"],
    ["no\u00a0break\u3000wide \u2003 em", "no break wide em"],
    ["gone \u200b\ufeff between", "gone between"],
    ["\u200b \u202e", ""],
    [" \n\t", ""],
    ["", ""],
  ])("runs of white space become one; trimmed: %j", (text, line) => {
    expect(oneLine(text)).toBe(line);
  });

  test.each([
    ["high \ud83d alone", "high \ufffd alone"],
    ["low \ude00 alone", "low \ufffd alone"],
    ["\ud83d", "\ufffd"],
    ["\ude00\ud83d", "\ufffd\ufffd"],
    ["\ud83d\u200b\ude00", "\ufffd\ufffd"],
    ["\ud83d\ud83d\ude00", "\ufffd😀"],
  ])("lone surrogates become U+FFFD: %j", (text, line) => {
    expect(oneLine(text)).toBe(line);
  });

  test.each([
    "تم تحديث الهدف: أَوْقِف النشر",
    "می‌خواهم هدف را عوض کنم",
    "היעד עודכן, נא לעצור",
    "目标已更改:停止发布。",
    "カタカナとひらがな、한국어도",
    "हिन्दी में क्षत्रिय",
    `${family} ${heart} 👍🏽 🏳️‍🌈 🇪🇸🇧🇷 1️⃣`,
    "e\u0301 stays decomposed",
  ])("Arabic, Hebrew, Chinese and ordinary emoji come through unharmed: %s", (text) => {
    expect(oneLine(text)).toBe(text);
    expect(oneLine(`\n${text}\u202e`)).toBe(text);
  });

  test("a flag spelt with tag characters keeps its black flag: tag characters go", () => {
    expect(oneLine(`flag ${england}!`)).toBe("flag 🏴!");
  });
});

describe("section 4, summary: cut at 280 characters on a grapheme boundary", () => {
  test("280 characters stay, of 281 the last goes", () => {
    expect(oneLine("x".repeat(280))).toBe("x".repeat(280));
    expect(oneLine("x".repeat(281))).toBe("x".repeat(280));
    expect(oneLine("字".repeat(281))).toBe("字".repeat(280));
  });

  test("an emoji across the limit goes as a whole, one that ends at the limit stays", () => {
    expect(oneLine(`${"x".repeat(279)}😀${"y".repeat(19)}`)).toBe("x".repeat(279));
    expect(oneLine(`${"x".repeat(278)}😀${"y".repeat(20)}`)).toBe(`${"x".repeat(278)}😀`);
    expect(oneLine(`${"x".repeat(275)}${family} tail`)).toBe("x".repeat(275));
    expect(oneLine(`${"x".repeat(279)}e\u0301`)).toBe("x".repeat(279));
    expect(oneLine(`${"x".repeat(278)}e\u0301 more`)).toBe(`${"x".repeat(278)}e\u0301`);
    expect(oneLine(`${"x".repeat(277)}🇪🇸🇧🇷`)).toBe("x".repeat(277));
    expect(oneLine(`${"x".repeat(276)}🇪🇸🇧🇷`)).toBe(`${"x".repeat(276)}🇪🇸`);
  });

  test("a 300 character summary that ends in half an emoji is cut before it; a short one shows U+FFFD", () => {
    expect(oneLine(`${"x".repeat(299)}\ud83d`)).toBe("x".repeat(280));
    expect(oneLine(`${"x".repeat(279)}\ud83d`)).toBe(`${"x".repeat(279)}\ufffd`);
    expect(oneLine(`${"x".repeat(298)}😀`.slice(0, 299))).toBe("x".repeat(280));
  });

  test("a cut that falls on a blank leaves no blank at the end", () => {
    expect(oneLine(`${"x".repeat(279)} tail`)).toBe("x".repeat(279));
    expect(oneLine(`${"x".repeat(280)} tail`)).toBe("x".repeat(280));
  });

  test("what is cleaned away does not count", () => {
    expect(oneLine(`${"\u200b".repeat(5_000)}${" ".repeat(5_000)}${"xy ".repeat(93)}z`)).toBe(`${"xy ".repeat(93)}z`);
    expect(oneLine(`${"\u202ex".repeat(280)}`)).toBe("x".repeat(280));
  });

  test("a grapheme longer than the line is cut between code points, neither lost nor unbounded", () => {
    expect(oneLine(zalgo)).toBe(zalgo.slice(0, 280));
    expect(oneLine(`ab${zalgo}`)).toBe("ab");
    const rope = Array.from({ length: 200 }, () => "👩").join("\u200d");
    expect(oneLine(rope)).toBe(rope.slice(0, 279));
    expect(oneLine(rope)).not.toMatch(forbidden);
  });

  test("another limit cuts by the same rules", () => {
    expect(oneLine("four words in line", 10)).toBe("four words");
    expect(oneLine("four😀", 5)).toBe("four");
    expect(oneLine("😀😀", 2)).toBe("😀");
  });

  test.each([
    ["letters", "x"],
    ["blanks", " "],
    ["invisible characters", "\u200b"],
    ["accents", "\u0301"],
    ["emoji", "😀"],
    ["lone halves", "\udc00"],
  ])("megabytes of %s take linear time", (_name, unit) => {
    const started = performance.now();
    const line = oneLine(`a${unit.repeat(4_000_000)}`);
    expect(line.length).toBeLessThanOrEqual(280);
    expect(line.startsWith("a")).toBe(true);
    expect(performance.now() - started).toBeLessThan(3_000);
  });
});

describe("section 4, summary: for any text", () => {
  test("the line is well-formed, has no forbidden character, no double or outer blank, and at most 280 characters", () => {
    fc.assert(
      fc.property(hostileText, (text) => {
        const line = oneLine(text);
        expect(line.length).toBeLessThanOrEqual(oneLineMaxChars);
        expect(line).not.toMatch(forbidden);
        expect(line).not.toMatch(/\s\s|^\s|\s$|[^\S ]/u);
      }),
      { numRuns: 500 },
    );
  });

  test("cleaning is idempotent", () => {
    fc.assert(
      fc.property(hostileText, fc.integer({ min: 2, max: 300 }), (text, limit) => {
        const line = oneLine(text, limit);
        expect(oneLine(line, limit)).toBe(line);
      }),
      { numRuns: 500 },
    );
  });

  test("a long text is cut where the cleaned whole has a grapheme boundary", () => {
    const segmenter = new Intl.Segmenter("en", { granularity: "grapheme" });
    fc.assert(
      fc.property(hostileText, fc.integer({ min: 2, max: 60 }), (text, limit) => {
        const whole = oneLine(text, 1_000_000);
        const line = oneLine(text, limit);
        const starts = Array.from(segmenter.segment(whole), (part) => part.index).filter((at) => at > 0 && at <= limit);
        const cut = starts.at(-1);
        if (whole.length <= limit) expect(line).toBe(whole);
        else if (cut !== undefined) expect(line).toBe(whole.slice(0, cut).trimEnd());
        else {
          expect(whole.startsWith(line)).toBe(true);
          expect(line.length).toBeGreaterThanOrEqual(limit - 1);
        }
      }),
      { numRuns: 500 },
    );
  });
});

describe("section 4, summary: absent or empty is a default line", () => {
  test.each([null, undefined, "", "  \n", "\u200b\ufeff", "\u200d\u2060\ufe0f"])(
    "%j gives the default line",
    (text) => {
      expect(oneLineOr(text, "run completed")).toBe("run completed");
    },
  );

  test("anything visible stays", () => {
    expect(oneLineOr(" done\n", "run completed")).toBe("done");
    expect(oneLineOr("\ud800", "run completed")).toBe("\ufffd");
    expect(oneLineOr(family, "run completed")).toBe(family);
  });
});
