import { type FSWatcher, watch } from "chokidar";
import type { Logger } from "../awareness/logger.js";

/**
 * Says when one of some files may have changed. A hint and nothing more: one can be missing, late or for nothing, and
 * the monitor looks by itself in any case. A file is hinted at once when it begins to be watched, so that what happened
 * just before is not overlooked.
 */
export class FileHints {
  readonly #changed: (path: string) => void;
  readonly #log: Logger;
  readonly #followed = new Set<string>();
  #watcher: FSWatcher | null = null;
  #complained = false;

  constructor(changed: (path: string) => void, log: Logger) {
    this.#changed = changed;
    this.#log = log;
  }

  /** From now on exactly these files, by absolute paths. */
  follow(paths: ReadonlySet<string>): void {
    const fresh = [...paths].filter((path) => !this.#followed.has(path));
    const stale = [...this.#followed].filter((path) => !paths.has(path));
    for (const path of stale) this.#followed.delete(path);
    for (const path of fresh) this.#followed.add(path);
    if (stale.length > 0) this.#watcher?.unwatch(stale);
    if (fresh.length > 0) this.#open().add(fresh);
  }

  async close(): Promise<void> {
    this.#followed.clear();
    await this.#watcher?.close();
  }

  #open(): FSWatcher {
    if (this.#watcher !== null) return this.#watcher;
    const watcher = watch([], { depth: 0 });
    watcher.on("all", (event, path) => {
      // Whatever comes in its place later is not reported any more: it is watched anew with the next round.
      if (event === "unlink" && this.#followed.delete(path)) watcher.unwatch(path);
      this.#changed(path);
    });
    watcher.on("error", (error) => this.#complain(error));
    this.#watcher = watcher;
    return watcher;
  }

  #complain(error: unknown): void {
    if (this.#complained) return;
    this.#complained = true;
    this.#log.warn(
      { err: error },
      "watching files of other tools failed; they are looked at in every round all the same",
    );
  }
}
