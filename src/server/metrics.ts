import { monitorEventLoopDelay } from "node:perf_hooks";
import type { GraphQLError } from "graphql";
import { CloseCode } from "graphql-ws";
import type { RunningAwareness } from "../awareness/createAwareness.js";
import type { AppendFate, Observer } from "../awareness/observer.js";
import { type RefusalCode, refusalCodes } from "../awareness/refusals.js";
import { counter, counterBy, gauge, histogram, type Metric, metricsText } from "./metricsText.js";
import type { Sockets } from "./sockets.js";

/** What is read at the moment of a scrape. */
export type Sources = {
  awareness: Pick<RunningAwareness, "queued" | "subscriberCount" | "openNotices">;
  sockets: Sockets;
};

export type Metrics = {
  /** For the domain, which knows nothing of metrics. */
  observer: Observer;
  /** A client was refused with this code. */
  refused(code: RefusalCode): void;
  /** A client is told of these errors. */
  told(errors: readonly GraphQLError[]): void;
  /** A WebSocket was closed with this code. */
  closed(code: number): void;
  /** All of it in the Prometheus text format. */
  text(sources: Sources): Promise<string>;
  stop(): void;
};

const fates: readonly AppendFate[] = ["recorded", "duplicate", "not_watched", "storage_unavailable"];
const batchBounds = [1, 2, 5, 10, 20, 50, 100, 200, 500];
const commitBounds = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 5];

/** Counts for one server. On the way of an append it is a few additions; everything else happens at a scrape. */
export function createMetrics(): Metrics {
  const appends = counterBy(
    "headsup_appends_total",
    "Events that callers asked to append, by what became of them.",
    "result",
    fates,
  );
  const batches = histogram("headsup_batch_events", "Events in one committed batch of appends.", batchBounds);
  const commits = histogram(
    "headsup_commit_seconds",
    "Time of one batch of appends, from its begin to its commit.",
    commitBounds,
  );
  const deliveries = counter("headsup_deliveries_total", "Notices handed to subscribers.");
  const prunes = counter("headsup_pruned_events_total", "Events that retention has removed.");
  const refusals = counterBy(
    "headsup_refused_total",
    "Errors that clients were told of, by code.",
    "code",
    refusalCodes,
  );
  const closes = counterBy<string>(
    "headsup_websocket_closes_total",
    "WebSockets that have closed, by close code.",
    "code",
    [],
  );
  const process = processMetrics();
  const openNotices = seldom((awareness: Sources["awareness"]) => awareness.openNotices());

  return {
    observer: {
      appended: appends.add,
      committed(events, ms) {
        batches.observe(events);
        commits.observe(ms / 1_000);
      },
      delivered: deliveries.add,
      pruned: prunes.add,
    },
    refused: refusals.add,
    told(errors) {
      for (const { extensions } of errors) {
        const code = refusalCodes.find((known) => known === extensions.code);
        if (code !== undefined) refusals.add(code);
      }
    },
    closed: (code) => closes.add(closeLabel(code)),
    async text(sources) {
      const open = await openNotices(sources.awareness);
      const counted = [appends, batches, commits, deliveries, prunes, refusals, closes];
      return metricsText([...counted, ...present(sources, open), ...process.metrics]);
    },
    stop: process.stop,
  };
}

function present({ awareness, sockets }: Sources, openNotices: number | undefined): Metric[] {
  const of = (kind: "websocket" | "event_stream") => ({ labels: { kind }, value: sockets.count(kind) });
  return [
    gauge("headsup_queue_events", "Events that wait for their commit.", () => awareness.queued().events),
    gauge("headsup_queue_jobs", "Appends and other writes that wait for their turn.", () => awareness.queued().jobs),
    gauge("headsup_open_notices", "Notices that are pending; at most 5 s old.", () => openNotices),
    gauge("headsup_subscribers", "Subscriptions to notices in this process.", () => awareness.subscriberCount()),
    gauge("headsup_sockets", "Open WebSockets and event streams.", () => [of("websocket"), of("event_stream")]),
  ];
}

const delayResolutionMs = 10;

function processMetrics(): { metrics: Metric[]; stop(): void } {
  const delays = monitorEventLoopDelay({ resolution: delayResolutionMs });
  delays.enable();
  // Node measures the time between two turns of a timer; what is beyond its period is the delay.
  const seconds = (nanoseconds: number) => Math.max(0, nanoseconds / 1e6 - delayResolutionMs) / 1_000;
  const delaySamples = () => {
    const quantiles = [0.5, 0.99].map((quantile) => ({
      labels: { quantile: String(quantile) },
      value: seconds(delays.percentile(quantile * 100)),
    }));
    const longest = { labels: { quantile: "1" }, value: seconds(delays.max) };
    delays.reset();
    return [...quantiles, longest];
  };
  const cpuSeconds = () => {
    const { user, system } = process.cpuUsage();
    return (user + system) / 1e6;
  };
  return {
    metrics: [
      {
        name: "headsup_event_loop_delay_seconds",
        type: "summary",
        help: "How late the event loop was, since the scrape before.",
        samples: delaySamples,
      },
      gauge("process_resident_memory_bytes", "Resident memory.", () => process.memoryUsage.rss()),
      gauge("nodejs_heap_size_used_bytes", "Used heap.", () => process.memoryUsage().heapUsed),
      gauge("nodejs_external_memory_bytes", "Memory of buffers and the like.", () => process.memoryUsage().external),
      {
        name: "process_cpu_seconds_total",
        type: "counter",
        help: "CPU time.",
        samples: () => [{ value: cpuSeconds() }],
      },
      gauge("process_start_time_seconds", "Start, in seconds since 1970.", () => performance.timeOrigin / 1_000),
    ],
    stop: () => delays.disable(),
  };
}

const readEveryMs = 5_000;
const waitAtMostMs = 1_000;

/**
 * A figure that costs a query: asked for at most every 5 s, and never waited for longer than 1 s, so that a database
 * that is away does not hold up the figures that say so. Undefined when the last attempt failed.
 */
function seldom<Source>(read: (source: Source) => Promise<number>): (source: Source) => Promise<number | undefined> {
  let value: number | undefined;
  let readAt = Number.NEGATIVE_INFINITY;
  let reading: Promise<void> | undefined;

  return async (source) => {
    if (performance.now() - readAt > readEveryMs) {
      reading ??= read(source)
        .then(
          (found) => {
            value = found;
          },
          () => {
            value = undefined;
          },
        )
        .finally(() => {
          readAt = performance.now();
          reading = undefined;
        });
      await Promise.race([reading, new Promise((resolve) => setTimeout(resolve, waitAtMostMs).unref())]);
    }
    return value;
  };
}

/** A client may close with any of 4,000 codes: those of no protocol are counted together. */
function closeLabel(code: number): string {
  const isKnown = (code >= 1000 && code <= 1015) || knownCodes.has(code);
  return isKnown ? String(code) : "other";
}
const knownCodes = new Set<number>(Object.values(CloseCode).filter((code) => typeof code === "number"));
