import { ratioOf, type Summary, summarise } from "./measure.js";
import { type GeneratorCheck, type Line, type Row, reached } from "./row.js";

/** How often more than asked a generator must be able to do. */
const generatorReserve = 2;

type Cells = readonly string[];
const heading: Cells = ["row", "measured", "comparator", "compared with", "ratio", "goal", "reached"];

/** The table for the screen, columns of even width. */
export function onScreen(lines: readonly Line[]): string {
  return evenly([heading, ...lines.map(cellsOf)])
    .map((cells) => cells.join("  "))
    .join("\n");
}

function evenly(table: readonly Cells[]): Cells[] {
  const widths = heading.map((_, column) => Math.max(...table.map((cells) => (cells[column] ?? "").length)));
  return table.map((cells) => cells.map((cell, column) => cell.padEnd(widths[column] ?? 0)));
}

/** The whole of `RESULTS.md`. `findings` is what people wrote about the figures. */
export function asMarkdown(run: {
  circumstances: readonly [string, string][];
  samples: number;
  lines: readonly Line[];
  failed: readonly string[];
  rows: readonly Row[];
  findings: string;
}): string {
  const failures = run.failed.map((failure) => `- Not measured: ${failure}`);
  return [
    "# Speed",
    "Written by `npm run bench`. Every row is a ratio to a comparator measured in the same run, in turns with it. A cell is " +
      `the median of ${run.samples} samples or more, with the smallest and the largest; a ratio is that of the medians, ` +
      "with the smallest and largest ratio of two samples taken side by side.",
    run.circumstances.map(([name, value]) => `- ${name}: ${value}`).join("\n"),
    markdownTable(run.lines),
    ...(failures.length > 0 ? [failures.join("\n")] : []),
    "## What is compared",
    run.rows.map(({ name, what }) => `- **${name}**: ${what}`).join("\n"),
    "Servers run with the defaults of the product, except that nothing is pruned but in the row about retention, and that " +
      "the limits on what one client may send and open are counted but set too high to be met.",
    "## Load generators and remarks",
    "Load comes from processes of its own. Before a row is measured its generator is run against the cheapest server that " +
      `answers with the same bytes; it must reach ${generatorReserve} times what the row then asks of it.`,
    run.lines.flatMap(remarksOf).join("\n"),
    `${run.findings.trim()}\n`,
  ].join("\n\n");
}

/** As the formatter wants it, so that a new table is not a failing check. */
function markdownTable(lines: readonly Line[]): string {
  const escaped = lines.map((line) => cellsOf(line).map((cell) => cell.replaceAll("|", "\\|")));
  const [head = [], ...body] = evenly([heading, ...escaped]);
  const rule = head.map((cell) => "-".repeat(cell.length));
  return [head, rule, ...body].map((cells) => `| ${cells.join(" | ")} |`).join("\n");
}

function cellsOf(line: Line): Cells {
  const ratio = ratioOf(line);
  const ours = summarise(line.ours);
  const yes = reached(line.goal, ratio.median, ours.median);
  return [
    line.row,
    `${spread(ours)} ${line.unit}`,
    line.comparator,
    `${spread(summarise(line.theirs))} ${line.unit}`,
    spread(ratio),
    goalText(line),
    yes === null ? "" : yes ? "yes" : "**no**",
  ];
}

function goalText({ goal, unit }: Line): string {
  if (goal === null) return "";
  if ("oursBelow" in goal) return `below ${goal.oursBelow} ${unit}`;
  return "atLeast" in goal ? `at least ${goal.atLeast}` : `at most ${goal.atMost}`;
}

function spread({ median, min, max }: Summary): string {
  return `${figure(median)} (${figure(min)}..${figure(max)})`;
}

/** Three significant digits, thousands with a comma. */
function figure(value: number): string {
  if (!Number.isFinite(value)) return "?";
  if (value >= 1_000) return Math.round(value).toLocaleString("en-US");
  return String(Number(value.toPrecision(3)));
}

function remarksOf({ row, generator, remark }: Line): string[] {
  const remarks = [
    ...(generator === undefined ? [] : [generatorText(generator)]),
    ...(remark === undefined ? [] : [remark]),
  ];
  return remarks.length === 0 ? [] : [`- ${row}: ${remarks.join(" ")}`];
}

function generatorText({ capacity, asked, unit }: GeneratorCheck): string {
  const times = capacity / asked;
  const verdict = times >= generatorReserve ? "enough" : "**not enough: it may be the bottleneck**";
  return `generator ${figure(capacity)} ${unit}, asked for at most ${figure(asked)}: ${figure(times)} times, ${verdict}.`;
}
