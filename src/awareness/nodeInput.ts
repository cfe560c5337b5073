import type { SourceState } from "../storage/links.js";
import type { NodeThreadName } from "../storage/nodes.js";
import type { NodeSource } from "./nodeDesk.js";
import { badInput } from "./refusals.js";
import { localNode } from "./upstreamSources.js";

/**
 * What nodes say is checked: digests, positions, counts and times, each in a shape that holds nothing else, so that no
 * line of a transcript gets here even from a node that has gone wrong (contract, section 9).
 */

const nodeIdPattern = /^[A-Za-z0-9][A-Za-z0-9_-]{0,63}$/;
const threadIdPattern = /^[A-Za-z0-9][A-Za-z0-9_-]{0,127}$/;
const digestPattern = /^[0-9a-f]{64}$/;
const identityPattern = /^\d{1,20}:\d{1,20}$/;
const knownTurnsPattern =
  /^\{"complete":(?:true|false),"turns":\[(?:\["!?~?[\w-]{11}","[\w-]{11}"\](?:,(?=\[))?)*\]\}$/;
const memberPattern = /^[A-Za-z]{1,32}$/;
const knownTurnsMaxChars = 65_536;
const readerStateMaxChars = 8_192;

/** A name for a machine other than this one. */
export function checkNodeId(nodeId: string, field = "nodeId"): string {
  if (nodeIdPattern.test(nodeId) && nodeId !== localNode) return nodeId;
  throw badInput(field, `${field} is 1 to 64 letters, digits, _ or -, and not "${localNode}".`);
}

export function checkThreadName({ threadId }: NodeThreadName, field: string): void {
  if (!threadIdPattern.test(threadId)) throw badInput(field, `${field} is 1 to 128 letters, digits, _ or -.`);
}

export function checkDigest(digest: string, field: string): void {
  if (!digestPattern.test(digest)) throw badInput(field, `${field} is a SHA-256 as 64 lower-case hex digits.`);
}

export function checkWhole(value: number, field: string): void {
  if (!Number.isSafeInteger(value) || value < 0) throw badInput(field, `${field} is a whole number, 0 or more.`);
}

/** A number from the name of a row. */
export function checkRowId(id: string, field: string): number {
  if (/^[1-9]\d{0,14}$/.test(id)) return Number(id);
  throw badInput(field, `${field} is an id as the server gave it.`);
}

export function checkNodeSource(source: NodeSource): SourceState {
  checkWhole(source.position, "source.position");
  checkDigest(source.headDigest, "source.headDigest");
  checkDigest(source.tailDigest, "source.tailDigest");
  if (!identityPattern.test(source.fileIdentity)) {
    throw badInput("source.fileIdentity", "source.fileIdentity is two numbers with a colon between them.");
  }
  if (source.knownTurns.length > knownTurnsMaxChars || !knownTurnsPattern.test(source.knownTurns)) {
    throw badInput("source.knownTurns", "source.knownTurns is a list of pairs of short digests, as a node makes it.");
  }
  if (!isReaderState(source.readerState)) {
    throw badInput("source.readerState", "source.readerState holds numbers, digests and yes or no, nothing else.");
  }
  return { ...source, sourcePath: "" };
}

function isReaderState(text: string): boolean {
  if (text.length > readerStateMaxChars) return false;
  try {
    const state: unknown = JSON.parse(text);
    if (state === null) return true;
    if (typeof state !== "object" || Array.isArray(state)) return false;
    return Object.entries(state).every(([name, value]) => memberPattern.test(name) && isMember(value));
  } catch {
    return false;
  }
}

function isMember(value: unknown): boolean {
  if (Array.isArray(value)) return value.every((item) => typeof item === "string" && digestPattern.test(item));
  return value === null || typeof value === "boolean" || typeof value === "number";
}
