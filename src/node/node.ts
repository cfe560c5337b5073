import type { Logger } from "../awareness/logger.js";
import { type HeadsupClient, HeadsupError } from "../client/index.js";
import { sleep } from "../clock.js";
import { Monitor } from "../upstream/monitor.js";
import { createSources, type LocalSources } from "../upstream/sources.js";
import { CatalogNews } from "./catalogNews.js";
import { digestOfMachine } from "./machine.js";
import { type RemoteDesk, remoteDesk, sourceOnTheWire } from "./remoteDesk.js";
import { whereabouts } from "./whereabouts.js";

export type NodeOptions = {
  client: HeadsupClient;
  nodeId: string;
  claudeDir: string;
  codexDir: string;
  /** From one sign of life, and one round of checks, to the next. */
  intervalMs: number;
  firstMs: number;
  limits: {
    upstreamCheckMs: number;
    upstreamFilesAtOnce: number;
    upstreamBackoffMaxMs: number;
    upstreamHintDelayMs: number;
    upstreamHintGapMs: number;
  };
  log: Logger;
};

export type RunningNode = {
  /** Resolves when the server has taken the first report; rejects as `ended` does. */
  ready: Promise<void>;
  /** Rejects when the server refuses for good: the token is not good, or not good for this. */
  ended: Promise<never>;
  stop(): Promise<void>;
};

/** How often it is asked whether somebody waits for an adoption. */
const startsEveryMs = 1_000;
const hopeless = new Set(["UNAUTHENTICATED", "FORBIDDEN"]);

/** Runs catalog and monitor on this machine's folders and reports to a server (contract, section 9). Keeps nothing on disk. */
export function startNode(options: NodeOptions): RunningNode {
  const { client, nodeId, log, intervalMs } = options;
  const sources = createSources(options);
  const machineDigest = digestOfMachine(options);
  const reporter = new Reporter({ ...options, machineDigest }, sources);
  const desk = remoteDesk({
    ...{ client, nodeId, machineDigest, places: whereabouts(sources, options.codexDir) },
    mayWork: () => reporter.isAccepted,
  });
  const monitor = new Monitor({ ...options, desk, sources, onLinksChanged: () => () => undefined });
  const stopped = new AbortController();
  let fail: (error: unknown) => void = () => undefined;
  const ended = new Promise<never>((_, reject) => {
    fail = reject;
  });
  let isReady: () => void = () => undefined;
  const accepted = new Promise<void>((resolve) => {
    isReady = resolve;
  });

  const repeat = async (what: string, everyMs: number, work: () => Promise<void>) => {
    while (!stopped.signal.aborted) {
      await work().catch((error: unknown) => {
        if (error instanceof HeadsupError && hopeless.has(error.code)) fail(error);
        else if (!stopped.signal.aborted) log.warn({ reason: messageOf(error) }, what);
      });
      await sleep(everyMs, stopped.signal);
    }
  };
  const loops = [
    repeat("the server did not take a report", intervalMs, async () => {
      await reporter.report(desk);
      isReady();
    }),
    repeat("the server was not asked for adoptions", Math.min(startsEveryMs, intervalMs), async () => {
      if (reporter.isAccepted) await answerStarts(client, { nodeId, machineDigest }, sources);
    }),
  ];
  void accepted.then(() => monitor.start());

  return {
    ready: Promise.race([accepted, ended]),
    ended,
    async stop() {
      stopped.abort();
      await Promise.all([monitor.stop(), ...loops]);
    },
  };
}

/** Signs of life, each with what has changed in the catalog. */
class Reporter {
  readonly #options: NodeOptions & { machineDigest: string };
  readonly #sources: LocalSources;
  readonly #news = new CatalogNews();
  isAccepted = false;

  constructor(options: NodeOptions & { machineDigest: string }, sources: LocalSources) {
    this.#options = options;
    this.#sources = sources;
  }

  async report(desk: RemoteDesk): Promise<void> {
    const { client, nodeId, machineDigest, intervalMs: cadenceMs } = this.#options;
    const catalog = await this.#sources.catalogNames();
    const { parts, told } = this.#news.next(catalog);
    const quiet = desk.takeQuiet();
    let known = true;
    for (const [index, part] of parts.entries()) {
      const quietLinkIds = index === 0 ? quiet.map(String) : [];
      const input = { nodeId, machineDigest, cadenceMs, ...part, quietLinkIds };
      const isLast = index === parts.length - 1;
      const { catalogKnown } = await client.reportNode(input).catch((error: unknown) => {
        // Another machine has this name: its threads are not this one's to report gone.
        if (error instanceof HeadsupError && error.code === "BAD_USER_INPUT") this.isAccepted = false;
        throw error;
      });
      if (isLast) known = catalogKnown;
    }
    this.isAccepted = true;
    if (known) told();
    else this.#news.forget();
  }
}

async function answerStarts(
  client: HeadsupClient,
  by: { nodeId: string; machineDigest: string },
  sources: LocalSources,
): Promise<void> {
  const { nodeId } = by;
  for (const { id, kind, threadId } of await client.nodeStarts({ nodeId })) {
    const start = await sources.start({ kind, nodeId, threadId });
    const answer = start.found ? { source: sourceOnTheWire(start.state) } : { because: start.because };
    await client.reportStart({ ...by, startId: id, ...answer });
  }
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
