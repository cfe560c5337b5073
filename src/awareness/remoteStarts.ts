import { sleep } from "../clock.js";
import { askForStart, forgetStart, readAnswer } from "../storage/nodeStarts.js";
import { allNodes, findNode, silentFrom } from "../storage/nodes.js";
import type { UpstreamSource } from "../storage/records.js";
import { badInput, Refusal } from "./refusals.js";
import type { Rooms } from "./rooms.js";
import type { StartOfSource } from "./upstreamSources.js";

/** Between two looks for a node's answer, which may come in at another server. */
const lookEveryMs = 50;
/** A question that nobody can be waiting for any more. */
const staleMs = 120_000;

/** The nodes that are not silent. */
export async function livingNodes(rooms: Rooms): Promise<string[]> {
  const now = rooms.clock.now();
  const nodes = await rooms.reading(allNodes(rooms.database.read));
  return nodes.filter((node) => silentFrom(node) > now).map(({ nodeId }) => nodeId);
}

/**
 * Asks a node where its thread ends now. Refuses, with nothing changed, when the node is unknown or does not answer, or the
 * server stops.
 */
export async function startOnNode(rooms: Rooms, source: UpstreamSource): Promise<StartOfSource> {
  const { database, clock, limits, stopping } = rooms;
  const node = await rooms.reading(findNode(database.read, source.nodeId));
  if (node === null) throw badInput("source.nodeId", "No node of this name has reported: take one from the catalog.");
  if (silentFrom(node) <= clock.now()) throw silent();
  const id = await rooms.writing(async (tx, now) => {
    const before = new Date(now.getTime() - staleMs);
    return { result: await askForStart(tx, source, { now, before }) };
  });
  try {
    const until = performance.now() + limits.upstreamCheckMs + 2_000;
    while (performance.now() < until && !stopping.aborted) {
      const answer = await rooms.reading(readAnswer(database.read, id));
      // Checked when it came in, and written by this service alone.
      if (answer !== null) return JSON.parse(answer) as StartOfSource;
      await sleep(lookEveryMs, stopping);
    }
    throw stopping.aborted ? stopped() : silent();
  } finally {
    await rooms.writing(async (tx) => ({ result: await forgetStart(tx, id) })).catch(() => undefined);
  }
}

function silent(): Refusal {
  return new Refusal("SERVICE_UNAVAILABLE", "The node is silent; nothing was changed. Try again when it is back.");
}

function stopped(): Refusal {
  return new Refusal("SERVICE_UNAVAILABLE", "The server is being stopped; nothing was changed. Try again.");
}
