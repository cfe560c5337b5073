import fc from "fast-check";
import { expect, it } from "vitest";
import { LongRow } from "../../src/upstream/longRow.js";

const text = fc.oneof(
  fc.string({ unit: "binary", maxLength: 200 }),
  fc.string({ unit: fc.constantFrom("\\", '"', "\u2028", "\n", "é", "😀", "a"), maxLength: 200 }),
);
const cuts = fc.array(fc.integer({ min: 1, max: 40 }), { minLength: 1, maxLength: 20 });

function shorten(json: string, sizes: readonly number[], stringKeptBytes: number): Buffer | null {
  const row = new LongRow({ stringKeptBytes, rowKeptBytes: 1_000_000 });
  const bytes = Buffer.from(json);
  for (let from = 0, piece = 0; from < bytes.length; piece += 1) {
    const to = from + (sizes[piece % sizes.length] ?? 1);
    row.push(bytes.subarray(from, to));
    from = to;
  }
  return row.finish();
}

it("a row that is shortened while it streams by is the same record, with long strings cut at their end", () => {
  fc.assert(
    fc.property(fc.record({ type: fc.constant("user"), one: text, two: fc.array(text) }), cuts, (record, sizes) => {
      const json = JSON.stringify(record);
      expect(JSON.parse(String(shorten(json, sizes, 100_000)))).toEqual(JSON.parse(json));
      const short = JSON.parse(String(shorten(json, sizes, 20)));
      expect(short.type).toBe("user");
      expect(short.two).toHaveLength(record.two.length);
      const original = JSON.parse(json);
      for (const [index, cut] of [short.one, ...short.two].entries()) {
        const whole: string = [original.one, ...original.two][index];
        expect(whole.startsWith(cut)).toBe(true);
      }
    }),
    { numRuns: 500 },
  );
});

it("a row that is too long even so is given up", () => {
  const row = new LongRow({ rowKeptBytes: 1_000 });
  for (let piece = 0; piece < 100; piece += 1) row.push(Buffer.from("[".repeat(100)));
  expect(row.finish()).toBeNull();
});
