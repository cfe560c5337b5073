import { isDeepStrictEqual } from "node:util";

/** Prints the story, and compares what came back with what the story says. It never prints an expected value as a result. */
export class Narrator {
  #failures = 0;

  get failures(): number {
    return this.#failures;
  }

  chapter(title: string): void {
    console.log(`\n\n${title}\n${"═".repeat(title.length)}`);
  }

  /** Something somebody does. */
  step(text: string): void {
    console.log(`\n• ${text}`);
  }

  /** Something that came back. */
  shows(text: string): void {
    console.log(`    ${text}`);
  }

  /** Prints the claim with a mark, and what came back instead when it does not hold. */
  claim(text: string, actual: unknown, expected: unknown): void {
    if (isDeepStrictEqual(actual, expected)) {
      console.log(`    ✓ ${text}`);
      return;
    }
    this.#failures++;
    console.log(
      `    ✗ ${text}\n      came back: ${JSON.stringify(actual)}\n      the story: ${JSON.stringify(expected)}`,
    );
  }

  table(rows: readonly (readonly (string | number)[])[]): void {
    const widths = rows[0]?.map((_, column) => Math.max(...rows.map((row) => String(row[column]).length))) ?? [];
    const line = (row: readonly (string | number)[]) =>
      row.map((cell, column) => String(cell).padEnd(widths[column] ?? 0)).join("   ");
    rows.forEach((row, index) => {
      console.log(`    ${line(row)}`);
      if (index === 0) console.log(`    ${widths.map((width) => "─".repeat(width)).join("   ")}`);
    });
  }
}
