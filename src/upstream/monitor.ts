import type { LinkToCheck } from "../awareness/upstreamSources.js";
import { type Clock, settledWithin, sleep, systemClock } from "../clock.js";
import { FileHints } from "./fileHints.js";
import { type Checked, type CheckerOptions, type CheckRequest, LinkChecker } from "./linkChecker.js";

export type MonitorOptions = CheckerOptions & {
  /** Calls back when there may be another link. */
  onLinksChanged(listener: () => void): () => void;
  nodeId: string;
  firstMs: number;
  /** False: rounds only, no check is brought forward. */
  followFiles?: boolean;
  limits: { upstreamHintDelayMs: number; upstreamHintGapMs: number };
  clock?: Clock;
};

/** How long a stop waits for a round and for questions to the database. */
const graceMs = 1_000;
/** Links looked at together for whether they have changed at all. */
const looksAtOnce = 64;

/**
 * Checks the linked sessions that somebody watches (contract, section 9): each cadence, and earlier where a file's
 * change is noticed.
 */
export class Monitor {
  readonly #options: MonitorOptions;
  readonly #clock: Clock;
  readonly #checker: LinkChecker;
  readonly #hints: FileHints;
  readonly #stopped = new AbortController();
  /** Checks that hints have brought forward, by link. */
  readonly #soon = new Map<number, NodeJS.Timeout>();
  /** When the last one of them began, in milliseconds of the process's own clock. */
  readonly #hintedAt = new Map<number, number>();
  #byPath = new Map<string, LinkToCheck[]>();
  #refreshing: NodeJS.Timeout | undefined;
  #unlisten: () => void = () => undefined;
  #rounds: Promise<void> = Promise.resolve();
  #following: Promise<unknown> = Promise.resolve();

  constructor(options: MonitorOptions) {
    this.#options = options;
    this.#clock = options.clock ?? systemClock;
    this.#checker = new LinkChecker(options);
    this.#hints = new FileHints((path) => {
      for (const link of this.#byPath.get(path) ?? []) this.#checkSoon(link, this.#hintDelay(link));
    }, options.log);
  }

  start(): void {
    this.#unlisten = this.#options.onLinksChanged(() => this.#refreshSoon());
    void this.#repeat();
  }

  /** Resolves when nothing of it goes on, so that its database can be closed; one that hangs is left behind. */
  async stop(): Promise<void> {
    this.#stopped.abort();
    this.#unlisten();
    clearTimeout(this.#refreshing);
    for (const timer of this.#soon.values()) clearTimeout(timer);
    await this.#checker.stop();
    await settledWithin(graceMs, [this.#rounds, this.#following]);
    await this.#hints.close();
  }

  /** One cadence: every link that is due. One round at a time. */
  round(): Promise<void> {
    this.#rounds = this.#rounds.then(() => this.#round());
    return this.#rounds;
  }

  async #repeat(): Promise<void> {
    const { firstMs, intervalMs } = this.#options;
    await sleep(firstMs, this.#stopped.signal);
    while (!this.#stopped.signal.aborted) {
      await this.round();
      await sleep(intervalMs, this.#stopped.signal);
    }
  }

  async #round(): Promise<void> {
    if (this.#stopped.signal.aborted) return;
    try {
      const due = (await this.#readLinks()).filter((link) => this.#isDue(link));
      const moved = await this.#movedThreads(due);
      const quiet: number[] = [];
      for (let from = 0; from < due.length && !this.#stopped.signal.aborted; from += looksAtOnce) {
        const some = due.slice(from, from + looksAtOnce);
        await Promise.all(
          some.map(async (link) => {
            if (this.#rests(link) && !(await this.#checker.hasChanged(link))) return;
            const presentPath = moved.get(link.id);
            const untouched = presentPath === undefined && (await this.#checker.isUntouched(link));
            const checked = untouched ? "QUIET" : await this.#check(link, { hinted: false, presentPath });
            if (checked === "QUIET") quiet.push(link.id);
          }),
        );
      }
      if (quiet.length > 0) await this.#options.desk.touchLinks(quiet);
    } catch (error) {
      if (!this.#stopped.signal.aborted) this.#options.log.warn({ err: error }, "a round of checks did not finish");
    }
  }

  async #check(link: LinkToCheck, request: CheckRequest): Promise<Checked> {
    const checked = await this.#checker.check(link, request);
    if (checked === "MORE") this.#checkSoon(link, 0);
    return checked;
  }

  /** The links that could be checked; from now on their files are followed. */
  async #readLinks(): Promise<LinkToCheck[]> {
    const { desk, nodeId, sources } = this.#options;
    const links = await desk.linksToCheck(nodeId);
    const byPath = new Map<string, LinkToCheck[]>();
    for (const link of links) {
      const path = sources.absolutePath(link);
      byPath.set(path, [...(byPath.get(path) ?? []), link]);
    }
    this.#byPath = byPath;
    const ids = new Set(links.map(({ id }) => id));
    this.#checker.keepOnly(ids);
    for (const id of this.#hintedAt.keys()) if (!ids.has(id)) this.#hintedAt.delete(id);
    const { followFiles = true } = this.#options;
    if (followFiles && !this.#stopped.signal.aborted) this.#hints.follow(new Set(byPath.keys()));
    return links;
  }

  /** Several servers on one database share the work: what another one has just checked is not due. */
  #isDue({ id, lastCheckedAt }: LinkToCheck): boolean {
    const latest = this.#clock.now().getTime() - this.#options.intervalMs / 2;
    return !this.#checker.isBusy(id) && (lastCheckedAt === null || lastCheckedAt.getTime() <= latest);
  }

  /** Its checks keep failing; it is looked at again when that time is over, or when its file has changed. */
  #rests({ nextCheckAt }: LinkToCheck): boolean {
    return nextCheckAt !== null && nextCheckAt > this.#clock.now();
  }

  /** Links whose thread goes on in another file although theirs is still there: a reverted thread of Codex does. */
  async #movedThreads(links: readonly LinkToCheck[]): Promise<Map<number, string>> {
    const ofCodex = links.filter(({ kind }) => kind === "CODEX");
    if (ofCodex.length === 0) return new Map();
    const present = await this.#options.sources.presentPaths("CODEX");
    return new Map(
      ofCodex.flatMap(({ id, threadId, sourcePath }) => {
        const path = present.get(threadId);
        return path === undefined || path === sourcePath ? [] : [[id, path] as const];
      }),
    );
  }

  /** Follows the files of links that may be new. */
  #refreshSoon(): void {
    this.#refreshing ??= setTimeout(() => {
      this.#refreshing = undefined;
      // If the database does not answer now, the next round sees to it.
      this.#following = this.#readLinks().catch(() => undefined);
    }, this.#options.limits.upstreamHintDelayMs);
  }

  /** A file that is written all the time is not read all the time. */
  #hintDelay({ id }: LinkToCheck): number {
    const { upstreamHintDelayMs, upstreamHintGapMs } = this.#options.limits;
    const sinceLast = performance.now() - (this.#hintedAt.get(id) ?? Number.NEGATIVE_INFINITY);
    return Math.max(upstreamHintDelayMs, upstreamHintGapMs - sinceLast);
  }

  #checkSoon(link: LinkToCheck, delayMs: number): void {
    if (this.#soon.has(link.id) || this.#stopped.signal.aborted) return;
    const timer = setTimeout(() => {
      this.#soon.delete(link.id);
      void this.#checkHinted(link);
    }, delayMs);
    this.#soon.set(link.id, timer);
  }

  async #checkHinted(link: LinkToCheck): Promise<void> {
    // It may have read past the change already, or not yet.
    if (this.#checker.isBusy(link.id)) return this.#checkSoon(link, this.#options.limits.upstreamHintDelayMs);
    this.#hintedAt.set(link.id, performance.now());
    // What fails here is logged where it fails, and found by the next round.
    await this.#check(link, { hinted: true }).catch(() => undefined);
  }
}
