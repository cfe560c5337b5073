import { commitBatch } from "../storage/batches.js";
import { findLink, findLinkById, insertLink, linksToCheck, removeLink, touchLinks } from "../storage/links.js";
import { listThreads } from "../storage/nodes.js";
import { addOwnPrompt } from "../storage/ownPrompts.js";
import type { SessionIdentity, SessionRecord, UpstreamKind, UpstreamSource } from "../storage/records.js";
import { findSession, markAdopted, registerSession, sessionsOfThreads } from "../storage/sessions.js";
import type { AdoptInput, Awareness, CatalogEntry, CatalogThread } from "./awareness.js";
import { checkDigest, checkNodeId, checkThreadName } from "./nodeInput.js";
import { cleanLabel } from "./oneLine.js";
import { checkCount, decodeCursor, encodeCursor } from "./pageCursor.js";
import { badInput, Refusal } from "./refusals.js";
import { livingNodes, startOnNode } from "./remoteStarts.js";
import type { Rooms } from "./rooms.js";
import { checkAgentId, resolveSession } from "./sessionKey.js";
import { toNewEvent } from "./signalLog.js";
import { type SavedCheck, saveCheck } from "./upstreamChecks.js";
import {
  type CatalogPlace,
  type CheckReport,
  type LinkState,
  type LinkToCheck,
  localNode,
  newestFirst,
  type SourceState,
  type StartOfSource,
  toolNames,
  type UpstreamSources,
} from "./upstreamSources.js";

type UpstreamPart = Pick<Awareness, "upstreamCatalog" | "adoptSession" | "noteOwnPrompt">;

/** What the monitor of a node needs of the domain. */
export type MonitorDesk = {
  /** The links of a node whose session somebody watches, due or not. */
  linksToCheck(nodeId: string): Promise<LinkToCheck[]>;
  link(id: number): Promise<LinkState | null>;
  saveCheck(link: LinkState, report: CheckReport, retryAfterMs: number): Promise<SavedCheck>;
  /** Good checks that found nothing new. */
  touchLinks(ids: readonly number[]): Promise<void>;
};

/** Catalog, adoption and own prompts (contract, section 9). */
export function upstream(rooms: Rooms, sources: UpstreamSources): UpstreamPart {
  const { database, limits } = rooms;
  return {
    async upstreamCatalog({ kind = null, first, after }) {
      const max = limits.listFirstMax;
      const limit = checkCount(first, { field: "first", max, fallback: limits.listFirstDefault });
      const threads = await listThreadsBehind(rooms, sources, { kind, after, limit: limit + 1 });
      const shown = threads.slice(0, limit);
      const adopters = await rooms.reading(sessionsOfThreads(database.read, shown));
      const edges = shown.map((thread) => ({ cursor: cursorOf(thread), node: withAdopters(thread, adopters) }));
      return { edges, hasNextPage: threads.length > limit };
    },

    async adoptSession(input) {
      const source = checkSource(input.source);
      const agentId = checkAgentId(input.agentId, "agentId");
      const label = cleanLabel(input.label, limits.labelMaxChars);
      const sessionKey = `agent:${agentId}:${toolNames[source.kind]}:${source.threadId}`;
      const isLocal = source.nodeId === localNode;
      const start = isLocal ? await sources.start(source) : await startOnNode(rooms, source);
      const state = foundOrRefused(start);
      if (isLocal) await readTheRest(rooms, sources, { sessionKey, agentId });
      return adopt(rooms, { session: { sessionKey, agentId }, source, state, label });
    },

    async noteOwnPrompt(input) {
      const session = resolveSession(input);
      checkDigest(input.textDigest, "textDigest");
      return rooms.writing(async (tx, now) => {
        await tx.lock([session]);
        const noted = (await findLink(tx, session)) !== null;
        if (noted) await addOwnPrompt(tx, session, { digest: input.textDigest, keep: limits.ownPromptsMax, now });
        return { result: { noted } };
      });
    },
  };
}

/** The desk at which monitors work, on this machine and on others. */
export function monitorDesk(rooms: Rooms): MonitorDesk {
  const { database } = rooms;
  return {
    linksToCheck: (nodeId) => rooms.reading(linksToCheck(database.read, nodeId)),
    link: (id) => rooms.reading(findLinkById(database.read, id)),
    saveCheck: (link, report, retryAfterMs) => saveCheck(rooms, link, report, { retryAfterMs }),
    touchLinks: (ids) => rooms.writing(async (tx, now) => ({ result: await touchLinks(tx, ids, now) })),
  };
}

function checkSource({ kind, nodeId, threadId }: AdoptInput["source"]): UpstreamSource {
  const node = nodeId ?? localNode;
  if (node !== localNode) checkNodeId(node, "source.nodeId");
  checkThreadName({ kind, threadId }, "source.threadId");
  return { kind, nodeId: node, threadId };
}

function foundOrRefused(start: StartOfSource): SourceState {
  if (start.found) return start.state;
  switch (start.because) {
    case "UNKNOWN_THREAD":
      throw badInput("source.threadId", "There is no such thread: take one from the catalog.");
    case "NOT_A_PLAIN_FILE":
      throw badInput("source.threadId", "This thread is not a plain file below the tool's folder; it is not followed.");
    case "UNREADABLE":
      throw new Refusal("SERVICE_UNAVAILABLE", "The thread's file cannot be read right now; nothing was changed.");
  }
}

/** A link that stands already goes on from the present end too, but nothing typed before this call is passed over. */
async function readTheRest(rooms: Rooms, sources: UpstreamSources, session: SessionIdentity): Promise<void> {
  const link = await rooms.reading(findLink(rooms.database.read, session));
  if (link === null || link.nodeId !== localNode) return;
  const report = await sources.check(link, AbortSignal.timeout(rooms.limits.upstreamCheckMs));
  if (report.outcome === "read" || report.outcome === "unchanged") await saveCheck(rooms, link, report);
}

type Adoption = {
  session: SessionIdentity;
  source: UpstreamSource;
  state: SourceState;
  label: string | null | undefined;
};

function adopt(
  rooms: Rooms,
  { session, source, state, label }: Adoption,
): Promise<{ session: SessionRecord; created: boolean }> {
  return rooms.writing(async (tx, now) => {
    await tx.lock([session]);
    await registerSession(tx, { ...session, label }, now);
    const link = await findLink(tx, session);
    // The same thread on another machine is another source.
    if (link !== null && link.nodeId !== source.nodeId) await removeLink(tx, session);
    if (link?.nodeId !== source.nodeId) await insertLink(tx, { ...session, ...source, ...state }, now);
    const created = await markAdopted(tx, session, now);
    const adopted = toNewEvent({ ...session, kind: "ADOPTED", actor: { type: "SYSTEM" } }, now);
    const { opened } = created ? await commitBatch(tx, [adopted], now) : { opened: [] };
    const record = await findSession(tx, session);
    if (record === null) throw new Error("a session that was just adopted exists");
    return { result: { session: record, created }, opened, changed: [session] };
  });
}

/** This machine's threads and those of all nodes that are not silent, newest first. */
async function listThreadsBehind(
  rooms: Rooms,
  sources: UpstreamSources,
  { kind, after, limit }: { kind: UpstreamKind | null; after: string | null | undefined; limit: number },
): Promise<CatalogThread[]> {
  const parts = decodeCursor(after, ["number", "string", "string", "string"]);
  const place = parts && { updatedAtMs: parts[0], kind: parts[1], threadId: parts[2], nodeId: parts[3] };
  const nodeIds = await livingNodes(rooms);
  const [local, remote] = await Promise.all([
    sources.catalog({ kind, after: place, limit }),
    rooms.reading(listThreads(rooms.database.read, { nodeIds, kind, after: place, limit })),
  ]);
  const all = [...local, ...remote].sort((one, other) => newestFirst(placeOf(one), placeOf(other)));
  return all.slice(0, limit);
}

function placeOf({ updatedAt, kind, threadId, nodeId }: CatalogThread): CatalogPlace {
  return { updatedAtMs: updatedAt.getTime(), kind, threadId, nodeId };
}

function cursorOf(thread: CatalogThread): string {
  const { updatedAtMs, kind, threadId, nodeId } = placeOf(thread);
  return encodeCursor([updatedAtMs, kind, threadId, nodeId]);
}

function withAdopters(thread: CatalogThread, sessions: readonly SessionRecord[]): CatalogEntry {
  const adoptedBy = sessions.filter(
    ({ upstream: link }) =>
      link?.kind === thread.kind && link.nodeId === thread.nodeId && link.threadId === thread.threadId,
  );
  return { ...thread, adoptedBy };
}
