import { randomBytes } from "node:crypto";
import type { CatalogThread, UpstreamKind } from "../awareness/awareness.js";
import { clampedTime } from "../clock.js";

const partSize = 500;

type Name = { kind: UpstreamKind; threadId: string };
export type CatalogPart = {
  catalogId: string;
  threads: (Name & { updatedAt: string })[];
  goneThreads: Name[];
  complete: boolean;
};

/** What a server has not been told of the catalog yet. Names and times alone. */
export class CatalogNews {
  #catalogId = "";
  #told = new Map<string, Name & { updatedAt: string }>();

  /** The server does not know what it was told: the next news are everything. */
  forget(): void {
    this.#catalogId = "";
  }

  /** One part at least: also a sign of life. `told` is to be called when all of them have arrived. */
  next(catalog: readonly CatalogThread[]): { parts: CatalogPart[]; told: () => void } {
    const present = new Map(catalog.map((thread) => [keyOf(thread), toEntry(thread)]));
    const whole = this.#catalogId === "";
    const catalogId = whole ? randomBytes(32).toString("hex") : this.#catalogId;
    const told = whole ? new Map<string, never>() : this.#told;
    const threads = [...present].filter(([key, { updatedAt }]) => told.get(key)?.updatedAt !== updatedAt);
    const gone = [...told].filter(([key]) => !present.has(key));
    const parts: CatalogPart[] = [];
    for (let from = 0; from === 0 || from < Math.max(threads.length, gone.length); from += partSize) {
      parts.push({
        catalogId,
        threads: threads.slice(from, from + partSize).map(([, thread]) => thread),
        goneThreads: gone.slice(from, from + partSize).map(([, { kind, threadId }]) => ({ kind, threadId })),
        complete: whole && from + partSize >= threads.length,
      });
    }
    return {
      parts,
      told: () => {
        this.#catalogId = catalogId;
        this.#told = present;
      },
    };
  }
}

function keyOf({ kind, threadId }: Name): string {
  return `${kind} ${threadId}`;
}

function toEntry({ kind, threadId, updatedAt }: CatalogThread) {
  // A file's time may be anything.
  return { kind, threadId, updatedAt: clampedTime(updatedAt.getTime()).toISOString() };
}
