import { access, stat } from "node:fs/promises";
import { join } from "node:path";
import type { CatalogThread, UpstreamKind, UpstreamSource } from "../awareness/awareness.js";
import type { CheckReport, LinkState, StartOfSource, UpstreamSources } from "../awareness/upstreamSources.js";
import { listCatalog, listNames, locate, type Shelf } from "./catalog.js";
import { checkSource, startOfSource } from "./check.js";
import { versionOf } from "./fingerprints.js";
import { LongRows } from "./longRows.js";
import { codeOf, type OpenedFile, openBelow } from "./paths.js";
import { tools } from "./tools.js";

/** Reading a history for an adoption takes no longer than a check may. */
const startMs = 10_000;

/** Names a place where a source is looked for. */
export type SourcePlace = Pick<UpstreamSource, "kind"> & { sourcePath: string };

/** The tools' files on this machine. */
export type LocalSources = Omit<UpstreamSources, "check"> & {
  /** `presentPath`: where the thread is now, if that is known to be another file. */
  check(link: LinkState, signal: AbortSignal, presentPath?: string): Promise<CheckReport>;
  absolutePath(place: SourcePlace): string;
  /** All threads, by names and times alone; in no order. */
  catalogNames(): Promise<CatalogThread[]>;
  /** Something that is equal as long as the file has not been touched; null when it cannot be told. */
  versionAt(place: SourcePlace): Promise<{ version: string; modifiedMs: number } | null>;
  /** Where the threads of a tool are now whose file can change by name: thread to path. */
  presentPaths(kind: UpstreamKind): Promise<ReadonlyMap<string, string>>;
};

/** The folders need not exist: then there is nothing in them. */
export function createSources(folders: { claudeDir: string; codexDir: string }): LocalSources {
  const shelves: Record<UpstreamKind, Shelf> = {
    CLAUDE_CODE: { kind: "CLAUDE_CODE", root: folders.claudeDir, tool: tools.CLAUDE_CODE },
    CODEX: { kind: "CODEX", root: folders.codexDir, tool: tools.CODEX },
  };
  const longRows = new LongRows();
  return {
    catalog: ({ kind, ...request }) => listCatalog(kind === null ? Object.values(shelves) : [shelves[kind]], request),

    async start({ kind, threadId }) {
      const shelf = shelves[kind];
      const path = await locate(shelf, threadId);
      if (path === null) return { found: false, because: "UNKNOWN_THREAD" };
      return start(shelf, path, threadId);
    },

    check: (link, signal, presentPath = link.sourcePath) =>
      check(shelves[link.kind], link, presentPath, { signal, longRows }),

    catalogNames: () => listNames(Object.values(shelves)),

    absolutePath: ({ kind, sourcePath }) => join(shelves[kind].root, sourcePath),

    async versionAt({ kind, sourcePath }) {
      try {
        const seen = await stat(join(shelves[kind].root, sourcePath), { bigint: true });
        return { version: versionOf(seen), modifiedMs: Number(seen.mtimeMs) };
      } catch {
        return null;
      }
    },

    async presentPaths(kind) {
      const { root, tool } = shelves[kind];
      return new Map((await tool.threads(root)).map(({ threadId, path }) => [threadId, path]));
    },
  };
}

async function start(shelf: Shelf, path: string, threadId: string): Promise<StartOfSource> {
  const opened = await openBelow(shelf.root, path);
  if (opened.kind === "gone") return { found: false, because: "UNKNOWN_THREAD" };
  if (opened.kind === "refused") return { found: false, because: "NOT_A_PLAIN_FILE" };
  if (opened.kind === "unreadable") return { found: false, because: "UNREADABLE" };
  try {
    const source = { file: opened.file, stat: opened.stat, path, tool: shelf.tool };
    return { found: true, state: await startOfSource(source, threadId, AbortSignal.timeout(startMs)) };
  } catch {
    return { found: false, because: "UNREADABLE" };
  } finally {
    await opened.file.close();
  }
}

async function check(
  shelf: Shelf,
  link: LinkState,
  at: string,
  limits: Parameters<typeof checkSource>[2],
): Promise<CheckReport> {
  const { path, opened } = await find(shelf, link, at);
  if (opened.kind === "gone") return (await isAtRest(shelf, link)) ? { outcome: "unchanged" } : { outcome: "gone" };
  if (opened.kind !== "open") return { outcome: "unreadable", reason: opened.reason };
  try {
    const source = { file: opened.file, stat: opened.stat, path, tool: shelf.tool };
    return await checkSource(link, source, limits);
  } catch (error) {
    return {
      outcome: "unreadable",
      reason: error instanceof Error && !("code" in error) ? error.message : codeOf(error),
    };
  } finally {
    await opened.file.close();
  }
}

/** A thread may have moved to another folder, or gone on in another file. */
async function find(shelf: Shelf, link: LinkState, at: string): Promise<{ path: string; opened: OpenedFile }> {
  const opened = await openBelow(shelf.root, at);
  if (opened.kind !== "gone") return { path: at, opened };
  const path = await locate(shelf, link.threadId);
  return path === null ? { path: at, opened } : { path, opened: await openBelow(shelf.root, path) };
}

/** Codex compresses threads that have not been used for a while, and writes them out again when they are. */
function isAtRest(shelf: Shelf, link: LinkState): Promise<boolean> {
  return access(`${join(shelf.root, link.sourcePath)}.zst`).then(
    () => shelf.kind === "CODEX",
    () => false,
  );
}
