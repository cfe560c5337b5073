import type { BigIntStats } from "node:fs";
import type { FileHandle } from "node:fs/promises";
import type { CheckReport, LinkState, SourceState, Turn } from "../awareness/upstreamSources.js";
import { type Fingerprint, fingerprint, identityOf, sameFingerprint } from "./fingerprints.js";
import {
  type FoundTurn,
  type KnownTurns,
  newsOfAppended,
  newsOfRewritten,
  noTurns,
  parseKnownTurns,
  remember,
} from "./knownTurns.js";
import type { LongRows } from "./longRows.js";
import { type Findings, readHistory, readLastRow, readSpan } from "./tail.js";
import type { RecordReader, Tool } from "./tool.js";

/** An open source: a plain file below its tool's folder. */
export type OpenSource = { file: FileHandle; stat: BigIntStats; path: string; tool: Tool };

/** `longRows` keeps rows that take longer than a check. */
type Check = { signal: AbortSignal; longRows: LongRows };

/** Where monitoring starts: at the present end, with the turns before it remembered. */
export async function startOfSource(source: OpenSource, threadId: string, signal: AbortSignal): Promise<SourceState> {
  const { file, tool } = source;
  const size = Number(source.stat.size);
  const reader = tool.reader(threadId, null);
  const findings = await readHistory({ file, size, signal }, tool, reader);
  await readLastRow(file, size, reader, findings);
  return stateAfter(
    source,
    findings.position,
    remember({ ...noTurns, complete: findings.whole }, findings.turns),
    reader,
  );
}

/**
 * One check: reads on where the last one stopped if the file is the same up to there, by identity and content; else
 * finds what is known in what is there now, and reports the rest.
 */
export async function checkSource(link: LinkState, source: OpenSource, check: Check): Promise<CheckReport> {
  const known = parseKnownTurns(link.knownTurns);
  const isOld = await isSame(link, source);
  return isOld ? readOn(link, known, source, check) : readAnew(link, known, source, check.signal);
}

async function isSame(link: LinkState, { file, stat }: OpenSource): Promise<boolean> {
  if (identityOf(stat) !== link.fileIdentity || Number(stat.size) < link.position) return false;
  return sameFingerprint(await fingerprint(file, link.position), link);
}

async function readOn(
  link: LinkState,
  known: KnownTurns,
  source: OpenSource,
  { signal, longRows }: Check,
): Promise<CheckReport> {
  const { file, stat, tool } = source;
  const { position } = link;
  const reader = tool.reader(link.threadId, JSON.parse(link.readerState));
  const scan = await longRows.take(link, source);
  const findings = await readSpan({ file, position, scan, to: Number(stat.size), signal }, reader);
  const goesOn = !findings.finished && (await longRows.keep(link.id, scan, findings.position, source));
  if (findings.position === position && source.path === link.sourcePath) {
    if (findings.finished) return { outcome: "unchanged" };
    return goesOn ? { outcome: "unchanged", more: true } : { outcome: "unreadable", reason: "a row takes too long" };
  }
  // What was read counts only if nothing was rewritten meanwhile.
  if (!(await isSame(link, source))) return { outcome: "unreadable", reason: "changed while it was read" };
  return {
    outcome: "read",
    source: await stateAfter(source, findings.position, remember(known, findings.turns), reader),
    turns: newsOfAppended(findings.turns, known).map(toTurn),
    skippedRows: findings.unreadable.length,
    unknownRows: findings.unknown.length,
    more: !findings.finished,
  };
}

async function readAnew(
  link: LinkState,
  known: KnownTurns,
  source: OpenSource,
  signal: AbortSignal,
): Promise<CheckReport> {
  const { file, stat, tool } = source;
  const reader = tool.reader(link.threadId, null);
  const findings = await readHistory({ file, size: Number(stat.size), signal }, tool, reader);
  const { news, lastOldEnd, known: knownNow } = newsOfRewritten(findings, known, link.settledAt);
  return {
    outcome: "read",
    source: await stateAfter(source, findings.position, knownNow, reader),
    turns: news.map(toTurn),
    skippedRows: countAfter(findings.unreadable, lastOldEnd),
    unknownRows: countAfter(findings.unknown, lastOldEnd),
    more: false,
  };
}

/** Damage in the part that is known has been counted when that was read. */
function countAfter(ends: Findings["unreadable"], position: number): number {
  return ends.filter((end) => end > position).length;
}

async function stateAfter(
  { file, stat, path }: OpenSource,
  position: number,
  known: KnownTurns,
  reader: RecordReader,
): Promise<SourceState> {
  const edges: Fingerprint = await fingerprint(file, position);
  return {
    ...edges,
    sourcePath: path,
    position,
    fileIdentity: identityOf(stat),
    knownTurns: JSON.stringify(known),
    readerState: JSON.stringify(reader.state()),
  };
}

function toTurn({ digest, at }: FoundTurn): Turn {
  return { digest, at };
}
