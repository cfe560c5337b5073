import { dayMs, isStorable } from "../clock.js";
import { findLinkById, linksToCheck, touchLinks } from "../storage/links.js";
import { answerStart, openStarts } from "../storage/nodeStarts.js";
import {
  findNode,
  forgetNodes,
  type NodeRecord,
  removeOtherThreads,
  removeThreads,
  saveNode,
  saveThreads,
  silentFrom,
} from "../storage/nodes.js";
import type { Transaction } from "../storage/sql.js";
import type { CheckOfNode, LinkOfNode, LinkStateOfNode, NodeDesk, NodeReport, NodeReportAnswer } from "./nodeDesk.js";
import { checkDigest, checkNodeId, checkNodeSource, checkRowId, checkThreadName, checkWhole } from "./nodeInput.js";
import { checkCount } from "./pageCursor.js";
import { badInput, type Refusal } from "./refusals.js";
import type { Rooms } from "./rooms.js";
import { saveCheck } from "./upstreamChecks.js";
import type { CheckReport, LinkState, Turn } from "./upstreamSources.js";

const listMax = 500;
const turnsMax = 4_000;
const cadenceMaxMs = 86_400_000;
const forgottenAfterDays = 30;

/** The desk at which other machines report (contract, section 9). */
export function nodes(rooms: Rooms): NodeDesk {
  const { database, clock } = rooms;
  return {
    async reportNode(report) {
      checkReport(report);
      return rooms.writing(async (tx, now) => ({ result: await saveReport(tx, report, now) }));
    },

    nodeStarts: (nodeId) => rooms.reading(openStarts(database.read, checkNodeId(nodeId))),

    async nodeLinks(nodeId, { first, after }) {
      const limit = checkCount(first, { field: "first", max: listMax, fallback: 200 });
      const behind = after == null ? 0 : checkRowId(after, "after");
      const links = await rooms.reading(linksToCheck(database.read, checkNodeId(nodeId)));
      const now = clock.now().getTime();
      return links
        .filter(({ id }) => id > behind)
        .sort((one, other) => one.id - other.id)
        .slice(0, limit)
        .map(
          ({ id, revision, kind, threadId, lastCheckedAt, nextCheckAt }): LinkOfNode => ({
            ...{ id, revision, kind, threadId },
            checkedMsAgo: lastCheckedAt && now - lastCheckedAt.getTime(),
            restMs: nextCheckAt && nextCheckAt.getTime() - now,
          }),
        );
    },

    async nodeLink(nodeId, id) {
      const link = await rooms.reading(findLinkById(database.read, checkRowId(id, "id")));
      if (link === null || link.nodeId !== checkNodeId(nodeId)) return null;
      return { ...link, settledMsAgo: clock.now().getTime() - link.settledAt.getTime() } satisfies LinkStateOfNode;
    },

    async reportCheck(input) {
      const nodeId = checkNodeId(input.nodeId);
      checkDigest(input.machineDigest, "machineDigest");
      const id = checkRowId(input.linkId, "linkId");
      const report = toCheckReport(input, clock.now());
      const link = await rooms.reading(findLinkById(database.read, id));
      if (link === null || link.nodeId !== nodeId) return "STALE";
      checkWhole(input.revision, "revision");
      const started: LinkState = { ...link, revision: input.revision };
      checkWhole(input.retryAfterMs, "retryAfterMs");
      const retryAfterMs = Math.min(input.retryAfterMs, rooms.limits.upstreamBackoffMaxMs);
      return saveCheck(rooms, started, report, { retryAfterMs, before: (tx) => checkReporter(tx, input) });
    },

    async reportStart(input) {
      const id = checkRowId(input.startId, "startId");
      const nodeId = checkNodeId(input.nodeId);
      checkDigest(input.machineDigest, "machineDigest");
      const { source, because } = input;
      if ((source == null) === (because == null)) throw badInput("source", "Give either source or because.");
      const answer = JSON.stringify(
        source == null ? { found: false, because } : { found: true, state: checkNodeSource(source) },
      );
      return rooms.writing(async (tx) => {
        await checkReporter(tx, input);
        return { result: { taken: await answerStart(tx, { id, nodeId, answer }) } };
      });
    },
  };
}

function checkReport(report: NodeReport): void {
  const { cadenceMs, threads, goneThreads, quietLinkIds } = report;
  checkNodeId(report.nodeId);
  checkDigest(report.machineDigest, "machineDigest");
  checkDigest(report.catalogId, "catalogId");
  if (!Number.isInteger(cadenceMs) || cadenceMs < 1 || cadenceMs > cadenceMaxMs) {
    throw badInput("cadenceMs", `cadenceMs is a whole number from 1 to ${cadenceMaxMs}.`);
  }
  for (const [field, list] of Object.entries({ threads, goneThreads, quietLinkIds })) {
    if (list.length > listMax) throw badInput(field, `${field} holds at most ${listMax}.`);
  }
  for (const [index, thread] of threads.entries()) {
    checkThreadName(thread, `threads[${index}].threadId`);
    if (!isStorable(thread.updatedAt) || thread.updatedAt.getTime() < 0) {
      throw badInput(`threads[${index}].updatedAt`, "updatedAt is a time from 1970 to 9999, with its zone.");
    }
  }
  for (const [index, name] of goneThreads.entries()) checkThreadName(name, `goneThreads[${index}].threadId`);
  for (const [index, id] of quietLinkIds.entries()) checkRowId(id, `quietLinkIds[${index}]`);
}

/** Another machine under a name that is in use would find its threads missing, and their links would end for it. */
function checkMachine(known: NodeRecord | null, report: NodeReport, now: Date): void {
  if (known === null || known.machineDigest === report.machineDigest || silentFrom(known) <= now) return;
  throw anotherMachine();
}

/** What a machine finds counts only while the name is its own, also if it has been told so a moment ago. */
async function checkReporter(tx: Transaction, by: Pick<CheckOfNode, "nodeId" | "machineDigest">): Promise<void> {
  const known = await heldNode(tx, by.nodeId);
  if (known?.machineDigest !== by.machineDigest) throw anotherMachine();
}

function anotherMachine(): Refusal {
  return badInput("nodeId", "Another machine reports under this name: choose another one for each machine.");
}

async function saveReport(tx: Transaction, report: NodeReport, now: Date): Promise<NodeReportAnswer> {
  const { nodeId, machineDigest, cadenceMs, catalogId, complete } = report;
  const known = await heldNode(tx, nodeId);
  checkMachine(known, report, now);
  const present = complete ? catalogId : (known?.catalogId ?? "");
  await saveNode(tx, { nodeId, machineDigest, cadenceMs, catalogId: present, seenAt: now });
  await saveThreads(tx, report, report.threads);
  await removeThreads(tx, nodeId, report.goneThreads);
  if (complete) {
    await removeOtherThreads(tx, nodeId, catalogId);
    await forgetNodes(tx, new Date(now.getTime() - forgottenAfterDays * dayMs));
  }
  if (report.quietLinkIds.length > 0) {
    const own = new Set((await linksToCheck(tx, nodeId)).map(({ id }) => id));
    const quiet = report.quietLinkIds.map(Number).filter((id) => own.has(id));
    await touchLinks(tx, quiet, now);
  }
  return { catalogKnown: present === catalogId };
}

/**
 * Who has the name, which stays so to the end of the transaction: two reports at once must not both find it free, nor
 * one of them carry on a listing that the other replaced. Locked before any session.
 */
async function heldNode(tx: Transaction, nodeId: string): Promise<NodeRecord | null> {
  await tx.lock([{ sessionKey: `upstream_nodes ${nodeId}`, agentId: "" }]); // no session has this agent
  return findNode(tx, nodeId);
}

function toCheckReport(input: CheckOfNode, now: Date): CheckReport {
  const { outcome, source, turns, skippedRows, unknownRows, more = false, sentAt } = input;
  if (outcome === "GONE") return { outcome: "gone" };
  if (outcome === "UNCHANGED") return { outcome: "unchanged", more };
  if (outcome === "UNREADABLE") return { outcome: "unreadable", reason: "the node could not read it" };
  if (source == null) throw badInput("source", "A source that was read has a source.");
  if (turns.length > turnsMax) throw badInput("turns", `turns holds at most ${turnsMax}.`);
  checkWhole(skippedRows, "skippedRows");
  checkWhole(unknownRows, "unknownRows");
  for (const [index, { digest }] of turns.entries()) checkDigest(digest, `turns[${index}].digest`);
  // The node's clock may be wrong: what counts is how long ago it was there.
  const lagMs = Number.isNaN(sentAt.getTime()) ? 0 : now.getTime() - sentAt.getTime();
  return {
    outcome: "read",
    source: checkNodeSource(source),
    turns: turns.map(({ digest, at }): Turn => ({ digest, at: onOwnClock(at, lagMs) })),
    skippedRows,
    unknownRows,
    more,
  };
}

function onOwnClock(at: Date | null | undefined, lagMs: number): Date | null {
  const time = new Date((at?.getTime() ?? Number.NaN) + lagMs);
  return Number.isNaN(time.getTime()) ? null : time;
}
