import { expect, test } from "vitest";
import { counter, counterBy, gauge, histogram, metricsText } from "../../src/server/metricsText.js";

test("the Prometheus text format: one HELP and TYPE each, labels escaped, buckets that add up", () => {
  const plain = counter("a_total", "Counts.");
  plain.add();
  plain.add(2);
  const labelled = counterBy<string>("b_total", "By code.", "code", ["X"]);
  labelled.add('say "\\hi"\n');
  const sizes = histogram("c", "Sizes.", [1, 5]);
  for (const value of [1, 2, 5, 6]) sizes.observe(value);
  const unknown = gauge("d", "Not known.", () => undefined);
  const endless = gauge("e", "Endless.", () => [{ labels: { kind: "x" }, value: Number.POSITIVE_INFINITY }]);
  expect(metricsText([plain, labelled, sizes, unknown, endless])).toBe(
    [
      "# HELP a_total Counts.",
      "# TYPE a_total counter",
      "a_total 3",
      "# HELP b_total By code.",
      "# TYPE b_total counter",
      'b_total{code="X"} 0',
      'b_total{code="say \\"\\\\hi\\"\\n"} 1',
      "# HELP c Sizes.",
      "# TYPE c histogram",
      'c_bucket{le="1"} 1',
      'c_bucket{le="5"} 3',
      'c_bucket{le="+Inf"} 4',
      "c_sum 14",
      "c_count 4",
      "# HELP d Not known.",
      "# TYPE d gauge",
      "# HELP e Endless.",
      "# TYPE e gauge",
      'e{kind="x"} +Inf',
      "",
    ].join("\n"),
  );
});
