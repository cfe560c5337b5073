import type { LinkState, SourceState } from "../storage/links.js";
import type { CatalogThread, UpstreamKind, UpstreamSource } from "./awareness.js";

export type { LinkState, LinkToCheck, SourceState } from "../storage/links.js";

/** The node that is this server's own machine. */
export const localNode = "local";

/** The tools by their names in session keys and summaries. */
export const toolNames: Readonly<Record<UpstreamKind, string>> = { CLAUDE_CODE: "claude-code", CODEX: "codex" };

/** Something a person typed: the SHA-256 of its normalised text, and when, if the record says so. Never the text. */
export type Turn = { readonly digest: string; readonly at: Date | null };

/** What one check of a source found. */
export type CheckReport =
  /** Read up to a new position; `more` when there was not time enough for all. */
  | {
      outcome: "read";
      source: SourceState;
      turns: readonly Turn[];
      skippedRows: number;
      unknownRows: number;
      more: boolean;
    }
  /** There, and nothing to read yet; `more` when the end of a row was not reached in time. */
  | { outcome: "unchanged"; more?: boolean }
  /** Not there. */
  | { outcome: "gone" }
  /** There, or perhaps there, but not to be read now. */
  | { outcome: "unreadable"; reason: string };

/** Where the monitoring of a thread would start now. */
export type StartOfSource =
  | { found: true; state: SourceState }
  | { found: false; because: "UNKNOWN_THREAD" | "NOT_A_PLAIN_FILE" | "UNREADABLE" };

/** The place of a thread in the catalog, for paging. */
export type CatalogPlace = { updatedAtMs: number; kind: string; threadId: string; nodeId: string };

/** What the domain asks of the room that reads other tools' files. */
export type UpstreamSources = {
  /** At most `limit` threads behind `after`, newest first. */
  catalog(request: { kind: UpstreamKind | null; after: CatalogPlace | null; limit: number }): Promise<CatalogThread[]>;
  start(source: UpstreamSource): Promise<StartOfSource>;
  /** Never rejects for the source's sake. Ends early, with what it has, when the signal aborts. */
  check(link: LinkState, signal: AbortSignal): Promise<CheckReport>;
};

/** The order of the catalog: newest first, and of one time by names, so that a page ends at one place. */
export function newestFirst(one: CatalogPlace, other: CatalogPlace): number {
  return (
    other.updatedAtMs - one.updatedAtMs ||
    compare(one.kind, other.kind) ||
    compare(one.threadId, other.threadId) ||
    compare(one.nodeId, other.nodeId)
  );
}

/** By code units, as both databases order these names. */
function compare(one: string, other: string): number {
  return one < other ? -1 : one > other ? 1 : 0;
}

/** For a domain without sources: nothing can be adopted. */
export const noSources: UpstreamSources = {
  catalog: async () => [],
  start: async () => ({ found: false, because: "UNKNOWN_THREAD" }),
  check: async () => ({ outcome: "unreadable", reason: "no sources are configured" }),
};
