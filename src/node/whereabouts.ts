import type { UpstreamKind } from "../awareness/awareness.js";
import { threadsAtRest } from "../upstream/codex.js";
import type { LocalSources } from "../upstream/sources.js";

/** Where the files of threads are. Paths stay on this machine: a folder's name can tell what somebody works on. */
export type Whereabouts = {
  /** Looks anew; the threads by tool and id. */
  look(kinds: readonly UpstreamKind[]): Promise<(kind: UpstreamKind, threadId: string) => string>;
};

/**
 * Nothing is kept of where a thread was: it is found by its name each time. A thread that is not there has a place where
 * nothing is, so that a check finds it gone; one that Codex has compressed has the place where it is going to be again.
 */
export function whereabouts(sources: Pick<LocalSources, "presentPaths">, codexDir: string): Whereabouts {
  return {
    async look(kinds) {
      const found = new Map<UpstreamKind, ReadonlyMap<string, string>>();
      for (const kind of new Set(kinds)) found.set(kind, await sources.presentPaths(kind));
      const atRest = kinds.includes("CODEX") ? await threadsAtRest(codexDir) : new Map<string, string>();
      return (kind, threadId) =>
        found.get(kind)?.get(threadId) ?? (kind === "CODEX" ? atRest.get(threadId) : undefined) ?? `${threadId}.jsonl`;
    },
  };
}
