import type { Logger } from "../awareness/logger.js";
import type { MonitorDesk } from "../awareness/upstream.js";
import type { CheckReport, LinkState, LinkToCheck } from "../awareness/upstreamSources.js";
import { settledWithin, sleep } from "../clock.js";
import { Slots } from "./slots.js";
import type { LocalSources } from "./sources.js";

/** Two changes of a file within a tick of its clock look like one: a time this young proves nothing. */
const youngMs = 100;
/** What a check may take beyond its limit before it is given up. */
const graceMs = 1_000;

/** In place of a file's version where nothing is to be seen. */
const nowhere = "";

export type CheckerOptions = {
  desk: MonitorDesk;
  sources: LocalSources;
  intervalMs: number;
  limits: { upstreamCheckMs: number; upstreamFilesAtOnce: number; upstreamBackoffMaxMs: number };
  log: Logger;
};

export type CheckRequest = {
  /**
   * Brought forward by a hint, also while the link rests: a file that is not there or cannot be read at that moment may
   * be about to be replaced, and is neither a miss nor a failure.
   */
  hinted: boolean;
  /** Where the thread is now, if that is known to be another file than the link's. */
  presentPath?: string | undefined;
};

/**
 * `MORE`: there is more to read at once. `QUIET`: a good check that found nothing and had nothing to save, so that the
 * caller can note many of them together.
 */
export type Checked = "DONE" | "MORE" | "QUIET";

/** Runs checks: one at a time per link, a few at a time in all, each within its limit. */
export class LinkChecker {
  readonly #options: CheckerOptions;
  readonly #slots: Slots;
  readonly #stopped = new AbortController();
  readonly #busy = new Map<number, Promise<unknown>>();
  /** Links whose file has not been touched since a good check, as it was then: nothing to open or to read. */
  readonly #settled = new Map<number, string>();
  /** Links whose last check in a round failed, and their file as it was then. */
  readonly #failed = new Map<number, string>();

  constructor(options: CheckerOptions) {
    this.#options = options;
    this.#slots = new Slots(options.limits.upstreamFilesAtOnce);
  }

  isBusy(id: number): boolean {
    return this.#busy.has(id);
  }

  /** Resolves when no check goes on that ends at all; one that hangs in the file system is left behind. */
  async stop(): Promise<void> {
    this.#stopped.abort();
    await settledWithin(graceMs, this.#busy.values());
  }

  /** Forgets what it knows of links that are no longer there. */
  keepOnly(ids: ReadonlySet<number>): void {
    for (const known of [this.#settled, this.#failed]) {
      for (const id of known.keys()) if (!ids.has(id)) known.delete(id);
    }
  }

  async isUntouched(link: LinkToCheck): Promise<boolean> {
    const settled = this.#settled.get(link.id);
    if (settled === undefined) return false;
    const now = await this.#options.sources.versionAt(link);
    return now !== null && settled === settledAs(link.revision, now.version);
  }

  /** True when the file of a link that rests has changed since its check failed, so that it need not wait until the rest is over. */
  async hasChanged(link: LinkToCheck): Promise<boolean> {
    const now = (await this.#options.sources.versionAt(link))?.version ?? nowhere;
    const failed = this.#failed.get(link.id);
    // After a restart, or where another server failed: changes count from now on.
    if (failed === undefined) this.#failed.set(link.id, now);
    return failed !== undefined && failed !== now;
  }

  /**
   * Checks a link and saves what was found. Rejects when the database does not answer: then nothing was saved, and the
   * next check finds the same.
   */
  async check(link: LinkToCheck, request: CheckRequest): Promise<Checked> {
    if (this.#busy.has(link.id) || this.#stopped.signal.aborted) return "DONE";
    // Marked before the first wait: no other check of this link may begin.
    const working = this.#slots.run(() => this.#checkNow(link, request));
    const settled = working.then(
      ({ reading }) => reading,
      () => undefined,
    );
    this.#busy.set(
      link.id,
      settled.finally(() => this.#busy.delete(link.id)),
    );
    return (await working).checked;
  }

  /** `reading` ends when the file is let go of, which a check that hangs may not do in time. */
  async #checkNow(link: LinkToCheck, request: CheckRequest): Promise<{ checked: Checked; reading: Promise<unknown> }> {
    const seen = await this.#options.sources.versionAt(link);
    const state = await this.#options.desk.link(link.id);
    if (state === null) return { checked: "DONE", reading: Promise.resolve() };
    const { report, reading } = await this.#read(state, request.presentPath);
    const isBad = report.outcome === "gone" || report.outcome === "unreadable";
    // At the end of the service half a look says nothing.
    if (this.#stopped.signal.aborted || (isBad && request.hinted)) return { checked: "DONE", reading };
    this.#settled.delete(link.id);
    if (report.outcome === "unreadable") this.#failed.set(link.id, seen?.version ?? nowhere);
    else this.#failed.delete(link.id);
    const revision = await this.#save(state, report);
    const more = !isBad && report.more === true;
    if (revision !== null && !more && seen !== null && Date.now() - seen.modifiedMs > youngMs) {
      this.#settled.set(link.id, settledAs(revision, seen.version));
    }
    if (more) return { checked: "MORE", reading };
    return { checked: revision === state.revision ? "QUIET" : "DONE", reading };
  }

  /** The link's revision after a good check; null after any other, or when somebody else saved one meanwhile. */
  async #save(state: LinkState, report: CheckReport): Promise<number | null> {
    const { desk, log } = this.#options;
    if (report.outcome === "unchanged" && state.missedChecks === 0 && state.failedChecks === 0) return state.revision;
    if (report.outcome === "unreadable" && state.failedChecks === 0) {
      const { kind, threadId } = state;
      log.warn({ kind, threadId, reason: report.reason }, "a linked source cannot be read");
    }
    const saved = await desk.saveCheck(state, report, this.#restAfter(state.failedChecks));
    const isGood = report.outcome === "read" || report.outcome === "unchanged";
    return saved === "SAVED" && isGood ? state.revision + 1 : null;
  }

  /** Within the limit of a check, whatever the file system does. */
  async #read(state: LinkState, path?: string): Promise<{ report: CheckReport; reading: Promise<unknown> }> {
    const { sources, limits } = this.#options;
    const limit = new AbortController();
    const done = new AbortController();
    const abort = () => limit.abort();
    const timer = setTimeout(abort, limits.upstreamCheckMs);
    // One signal and a listener that goes again: what `AbortSignal.any` makes of a signal that lives on stays with it.
    this.#stopped.signal.addEventListener("abort", abort);
    if (this.#stopped.signal.aborted) abort();
    const reading = sources.check(state, limit.signal, path);
    const tooLong = sleep(limits.upstreamCheckMs + graceMs, done.signal).then(
      (): CheckReport => ({ outcome: "unreadable", reason: "the check took too long" }),
    );
    try {
      return { report: await Promise.race([reading, tooLong]), reading };
    } finally {
      clearTimeout(timer);
      this.#stopped.signal.removeEventListener("abort", abort);
      done.abort();
    }
  }

  /** The first failure waits for the next round; each further one lets twice as many go by, unless the file changes. */
  #restAfter(failedChecks: number): number {
    const { intervalMs, limits } = this.#options;
    return Math.min(Math.max(0, 2 ** failedChecks - 1.5) * intervalMs, limits.upstreamBackoffMaxMs);
  }
}

function settledAs(revision: number, version: string): string {
  return `${revision} ${version}`;
}
