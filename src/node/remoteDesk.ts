import type { MonitorDesk } from "../awareness/upstream.js";
import type { CheckReport, LinkState, LinkToCheck, SourceState } from "../awareness/upstreamSources.js";
import type { HeadsupClient } from "../client/index.js";
import type { Whereabouts } from "./whereabouts.js";

const pageSize = 500;
/** More turns than these in one check are told as so many. */
const turnsMax = 4_000;

export type RemoteDesk = MonitorDesk & {
  /** Links whose check was good and found nothing since the last call. */
  takeQuiet(): number[];
};

type DeskOptions = {
  client: Pick<HeadsupClient, "nodeWork" | "nodeLink" | "reportCheck">;
  nodeId: string;
  machineDigest: string;
  places: Whereabouts;
  /** False while another machine reports under this name: there is then nothing to check. */
  mayWork(): boolean;
};

/**
 * The desk of a monitor whose server is elsewhere. It keeps no state of a link: each check fetches it anew and hands its
 * revision back, so a report that was lost on the way, or saved without an answer, is neither missing nor doubled.
 */
export function remoteDesk({ client, nodeId, machineDigest, places, mayWork }: DeskOptions): RemoteDesk {
  const paths = new Map<number, string>();
  const quiet = new Set<number>();

  async function allLinks() {
    const links: Awaited<ReturnType<typeof client.nodeWork>>[number][] = [];
    for (let after: string | null = null; ; ) {
      const page = await client.nodeWork({ nodeId, first: pageSize, after });
      links.push(...page);
      const last = page.at(-1);
      if (last === undefined || page.length < pageSize) return links;
      after = last.id;
    }
  }

  return {
    async linksToCheck() {
      if (!mayWork()) return [];
      const links = await allLinks();
      const placeOf = await places.look(links.map(({ kind }) => kind));
      paths.clear();
      return links.map(({ id, revision, kind, threadId, checkedMsAgo, restMs }): LinkToCheck => {
        const sourcePath = placeOf(kind, threadId);
        paths.set(Number(id), sourcePath);
        return {
          ...{ id: Number(id), revision, kind, nodeId, threadId, sourcePath },
          lastCheckedAt: fromNow(checkedMsAgo, -1),
          nextCheckAt: fromNow(restMs, 1),
        };
      });
    },

    async link(id) {
      const state = await client.nodeLink({ nodeId, id: String(id) });
      if (state === null || state === undefined) return null;
      const { settledMsAgo, ...rest } = state;
      return {
        ...rest,
        // Whose session it is does not matter here.
        ...{ id, nodeId, sessionKey: "", agentId: "", sourcePath: paths.get(id) ?? `${state.threadId}.jsonl` },
        settledAt: new Date(Date.now() - settledMsAgo),
        watchedAt: null,
      };
    },

    async saveCheck(link, report, retryAfterMs) {
      const input = { nodeId, machineDigest, linkId: String(link.id), revision: link.revision, retryAfterMs };
      const { saved } = await client.reportCheck({ ...input, ...onTheWire(report), sentAt: new Date().toISOString() });
      return saved;
    },

    async touchLinks(ids) {
      for (const id of ids) quiet.add(id);
    },

    takeQuiet() {
      const taken = [...quiet].slice(0, pageSize);
      for (const id of taken) quiet.delete(id);
      return taken;
    },
  };
}

function fromNow(ms: number | null | undefined, direction: 1 | -1): Date | null {
  return ms === null || ms === undefined ? null : new Date(Date.now() + direction * ms);
}

const outcomes = { read: "READ", unchanged: "UNCHANGED", gone: "GONE", unreadable: "UNREADABLE" } as const;

/** What crosses the wire of a check: field by field, so that nothing else can. */
function onTheWire(report: CheckReport) {
  const outcome = outcomes[report.outcome];
  const more = "more" in report && report.more === true;
  if (report.outcome !== "read") return { outcome, more };
  const { source, turns, skippedRows, unknownRows } = report;
  const told = turns.slice(-turnsMax).map(({ digest, at }) => ({ digest, at: isoOrNull(at) }));
  return { outcome, source: sourceOnTheWire(source), turns: told, skippedRows, unknownRows, more };
}

/** How far a source is read, without its path. */
export function sourceOnTheWire(state: SourceState | LinkState) {
  const { position, fileIdentity, headDigest, tailDigest, knownTurns, readerState } = state;
  return { position, fileIdentity, headDigest, tailDigest, knownTurns, readerState };
}

function isoOrNull(at: Date | null): string | null {
  return at === null ? null : at.toISOString();
}
