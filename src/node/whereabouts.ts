import { readdir } from "node:fs/promises";
import type { UpstreamKind } from "../awareness/awareness.js";
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
      const atRest = kinds.includes("CODEX") ? await compressed(codexDir) : [];
      return (kind, threadId) =>
        found.get(kind)?.get(threadId) ??
        (kind === "CODEX" ? atRest.findLast((path) => path.includes(threadId)) : undefined) ??
        `${threadId}.jsonl`;
    },
  };
}

/** Compressed rollouts by the paths of what they were, oldest first. */
async function compressed(codexDir: string): Promise<string[]> {
  const names = await readdir(codexDir, { recursive: true }).catch(() => []);
  return names
    .filter((name) => name.endsWith(".jsonl.zst"))
    .map((name) => name.slice(0, -".zst".length))
    .sort();
}
