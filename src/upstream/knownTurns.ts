import { createHash } from "node:crypto";

/** More turns than these of one thread are not remembered one by one. */
const turnsKept = 1_000;
/** 64 bits: enough to tell the turns of one thread apart. */
const shortChars = 11;

/** A turn of a person as it was found in a file. */
export type FoundTurn = {
  /** The tool's id of the record or, where it has none, its very bytes. */
  readonly key: string;
  /** True when the key comes from an id: the same key again is the same turn again. */
  readonly named: boolean;
  /** SHA-256 of the normalised text, hex. */
  readonly digest: string;
  readonly at: Date | null;
  /** The tool says that it was copied from another thread. */
  readonly copied: boolean;
  /** Where its row ends. */
  readonly end: number;
};

/** The turns before a position, in order; `complete` when these are all there are. */
export type KnownTurns = {
  readonly complete: boolean;
  readonly turns: readonly (readonly [key: string, digest: string])[];
};

export const noTurns: KnownTurns = { complete: true, turns: [] };

export function keyOf(id: string | null, row: Buffer): Pick<FoundTurn, "key" | "named"> {
  const hash = createHash("sha256")
    .update(id ?? row)
    .digest("base64url")
    .slice(0, shortChars);
  return id === null ? { key: `~${hash}`, named: false } : { key: hash, named: true };
}

export function remember(known: KnownTurns, turns: readonly FoundTurn[]): KnownTurns {
  if (turns.length === 0) return known;
  const all = [...known.turns, ...turns.map(({ key, digest }) => [key, short(digest)] as const)];
  return { complete: known.complete && all.length <= turnsKept, turns: all.slice(-turnsKept) };
}

/** Of turns that were appended, those that are news: not copied, and not a turn again that is known by its id. */
export function newsOfAppended(appended: readonly FoundTurn[], known: KnownTurns): FoundTurn[] {
  const seen = new Set(known.turns.map(([key]) => key));
  return appended.filter(({ key, named, copied }) => {
    const again = named && seen.has(key);
    seen.add(key);
    return !again && !copied;
  });
}

/**
 * Of all turns in a file that was replaced, truncated or rewritten, those that are news. `settledAt` is when the known
 * turns were read. Turns are found again by their ids or bytes; if none is, by their words in their order, because a
 * tool may copy a history under new ids. Where more turns are past than are remembered, what stands before the first
 * one that is found again is history too.
 */
export function newsOfRewritten(
  found: readonly FoundTurn[],
  known: KnownTurns,
  settledAt: Date,
): { news: FoundTurn[]; lastOldEnd: number } {
  const byKey = oldByKey(found, known);
  const old = byKey.includes(true) ? byKey : oldByWords(found, known);
  const first = old.indexOf(true);
  const isNews = ({ copied, at }: FoundTurn, index: number) => {
    if (old[index] || copied) return false;
    if (known.complete) return true;
    return first >= 0 ? index > first : at !== null && at >= settledAt;
  };
  const news = found.filter(isNews);
  const isNew = new Set(news);
  return { news, lastOldEnd: found.findLast((turn) => !isNew.has(turn))?.end ?? 0 };
}

function oldByKey(found: readonly FoundTurn[], known: KnownTurns): boolean[] {
  const left = new Map<string, number>();
  for (const [key] of known.turns) left.set(key, (left.get(key) ?? 0) + 1);
  return found.map(({ key, named }) => {
    const count = left.get(key) ?? 0;
    // Equal bytes without an id can be typed twice: each known one stands for one.
    if (!named && count > 0) left.set(key, count - 1);
    return count > 0;
  });
}

/** Marks the turns that follow the known ones word by word, some of which may be missing. */
function oldByWords(found: readonly FoundTurn[], known: KnownTurns): boolean[] {
  let next = 0;
  const old = found.map(({ digest }) => {
    const at = known.turns.findIndex(([, words], index) => index >= next && words === short(digest));
    if (at < 0) return false;
    next = at + 1;
    return true;
  });
  // One turn of many that says the same is no copy of a history: somebody typed "continue" again.
  const enough = Math.min(2, known.turns.length);
  return old.filter(Boolean).length >= enough ? old : old.map(() => false);
}

function short(digest: string): string {
  return Buffer.from(digest, "hex").toString("base64url").slice(0, shortChars);
}

/** Written by this room and read by nobody else, so its shape is trusted; an empty text knows nothing. */
export function parseKnownTurns(text: string): KnownTurns {
  return text === "" ? { complete: false, turns: [] } : (JSON.parse(text) as KnownTurns);
}
