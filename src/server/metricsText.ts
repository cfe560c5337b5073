/** One figure of a metric: its labels, and for histograms the ending of its name. */
type Sample = { ending?: string; labels?: Record<string, string>; value: number };

/** One metric as it is shown at a scrape. */
export type Metric = {
  name: string;
  type: "counter" | "gauge" | "histogram" | "summary";
  help: string;
  /** Read when somebody asks; none when a figure cannot be had at the moment. */
  samples(): readonly Sample[];
};

/** The Prometheus text format, version 0.0.4. */
export function metricsText(metrics: readonly Metric[]): string {
  const lines = metrics.flatMap(({ name, type, help, samples }) => [
    `# HELP ${name} ${help}`,
    `# TYPE ${name} ${type}`,
    ...samples().map(
      ({ ending = "", labels = {}, value }) => `${name}${ending}${labelText(labels)} ${numberText(value)}`,
    ),
  ]);
  return `${lines.join("\n")}\n`;
}

function labelText(labels: Record<string, string>): string {
  const escaped = (value: string) => value.replace(/[\\"]/g, "\\$&").replaceAll("\n", "\\n");
  const pairs = Object.entries(labels).map(([name, value]) => `${name}="${escaped(value)}"`);
  return pairs.length === 0 ? "" : `{${pairs.join(",")}}`;
}

function numberText(value: number): string {
  if (Number.isFinite(value)) return String(value);
  return Number.isNaN(value) ? "NaN" : value > 0 ? "+Inf" : "-Inf";
}

export type Counter = Metric & { add(by?: number): void };

export function counter(name: string, help: string): Counter {
  let total = 0;
  return {
    name,
    type: "counter",
    help,
    samples: () => [{ value: total }],
    add: (by = 1) => {
      total += by;
    },
  };
}

export type LabelledCounter<Value extends string> = Metric & { add(value: Value, by?: number): void };

/** A counter for each value of one label. All of `known` are shown from the start; others as they come. */
export function counterBy<Value extends string>(
  name: string,
  help: string,
  label: string,
  known: readonly Value[],
): LabelledCounter<Value> {
  const totals = new Map<Value, number>(known.map((value) => [value, 0]));
  return {
    name,
    type: "counter",
    help,
    samples: () => [...totals].map(([labelled, value]) => ({ labels: { [label]: labelled }, value })),
    add: (value, by = 1) => {
      totals.set(value, (totals.get(value) ?? 0) + by);
    },
  };
}

export function gauge(name: string, help: string, read: () => number | readonly Sample[] | undefined): Metric {
  const samples = () => {
    const value = read() ?? [];
    return typeof value === "number" ? [{ value }] : value;
  };
  return { name, type: "gauge", help, samples };
}

export type Histogram = Metric & { observe(value: number): void };

/** `bounds` ascending; each bucket holds what is not above its bound. */
export function histogram(name: string, help: string, bounds: readonly number[]): Histogram {
  const counts = bounds.map(() => 0);
  let sum = 0;
  let count = 0;
  return {
    name,
    type: "histogram",
    help,
    samples() {
      let below = 0;
      const buckets = bounds.map((bound, index) => {
        below += counts[index] ?? 0;
        return { ending: "_bucket", labels: { le: String(bound) }, value: below };
      });
      return [
        ...buckets,
        { ending: "_bucket", labels: { le: "+Inf" }, value: count },
        { ending: "_sum", value: sum },
        { ending: "_count", value: count },
      ];
    },
    observe(value) {
      const bucket = bounds.findIndex((bound) => value <= bound);
      if (bucket >= 0) counts[bucket] = (counts[bucket] ?? 0) + 1;
      sum += value;
      count += 1;
    },
  };
}
