import { createHash } from "node:crypto";

/** More turns than these of one thread are not remembered one by one; of those that are away, as many again. */
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

/**
 * One that is known: its key, and its words as a short digest. A mark before the key says that it is away: it was there,
 * and is not before the position now. What rewrites a file may be seen half-way, and then it comes back.
 */
type KnownTurn = readonly [key: string, words: string];
const awayMark = "!";

/** What is known, in order; `complete` when these are all there are. */
export type KnownTurns = { readonly complete: boolean; readonly turns: readonly KnownTurn[] };

export const noTurns: KnownTurns = { complete: true, turns: [] };

export function keyOf(id: string | null, row: Buffer): Pick<FoundTurn, "key" | "named"> {
  const hash = createHash("sha256")
    .update(id ?? row)
    .digest("base64url")
    .slice(0, shortChars);
  return id === null ? { key: `~${hash}`, named: false } : { key: hash, named: true };
}

/** After turns were appended. One that was away has its place again. */
export function remember(known: KnownTurns, appended: readonly FoundTurn[]): KnownTurns {
  if (appended.length === 0) return known;
  const turns = [...known.turns];
  const away = placesBy(known.turns, (turn) => (isAway(turn) ? keyIn(turn) : null));
  for (const turn of appended) turns[away.get(turn.key)?.shift() ?? turns.length] = toKnown(turn);
  return capped(known.complete, turns);
}

/**
 * Of turns that were appended, those that are news: not copied, not a turn again that is known by its id, and not one
 * that was away. Where more turns are past than are remembered, what stands before the first that is back is past too.
 */
export function newsOfAppended(appended: readonly FoundTurn[], known: KnownTurns): FoundTurn[] {
  const seen = new Set(known.turns.map(keyIn));
  const away = placesBy(known.turns, (turn) => (isAway(turn) ? keyIn(turn) : null));
  const back = appended.map(({ key }) => away.get(key)?.shift() !== undefined);
  const pastBefore = known.complete ? 0 : back.indexOf(true);
  return appended.filter(({ key, named, copied }, index) => {
    const again = named && seen.has(key);
    seen.add(key);
    return !again && !back[index] && !copied && index >= pastBefore;
  });
}

type Rewritten = {
  news: FoundTurn[];
  /** Where the last row ends that holds no news. */
  lastOldEnd: number;
  known: KnownTurns;
};

/**
 * Of all turns in a file that was replaced, truncated or rewritten, those that are news, and what is known from now on;
 * `whole` when nothing before them was left out. `settledAt` is when the known turns were read. Turns are found again
 * by their ids or bytes; if none is, by their words in their order, because a tool may copy a history under new ids.
 * Where more turns are past than are remembered, what stands before the first one that is found again is history too.
 */
export function newsOfRewritten(
  { turns: found, whole }: { turns: readonly FoundTurn[]; whole: boolean },
  known: KnownTurns,
  settledAt: Date,
): Rewritten {
  const byKey = placesByKey(found, known);
  const places = byKey.some((place) => place !== null) ? byKey : placesByWords(found, known);
  const first = places.findIndex((place) => place !== null);
  const isNews = ({ copied, at }: FoundTurn, index: number) => {
    if (places[index] !== null || copied) return false;
    if (known.complete) return true;
    return first >= 0 ? index > first : at !== null && at >= settledAt;
  };
  const news = found.filter(isNews);
  const isNew = new Set(news);
  const lastOldEnd = found.findLast((turn) => !isNew.has(turn))?.end ?? 0;
  return { news, lastOldEnd, known: rememberRewritten({ found, whole, places }, known) };
}

/** What is there now, and between it, in its old place, what is not there any more. */
function rememberRewritten(
  { found, whole, places }: { found: readonly FoundTurn[]; whole: boolean; places: readonly (number | null)[] },
  known: KnownTurns,
): KnownTurns {
  const there = new Set(places);
  const turns: KnownTurn[] = [];
  let next = 0;
  const keepAway = (to: number) => {
    for (const turn of known.turns.slice(next, to)) {
      if (!there.has(next)) turns.push([awayMark + keyIn(turn), turn[1]]);
      next += 1;
    }
  };
  for (const [index, turn] of found.entries()) {
    keepAway(places[index] ?? 0);
    turns.push(toKnown(turn));
  }
  keepAway(known.turns.length);
  return capped(whole && (known.complete || turns.length === found.length), turns);
}

/** For each turn that was found, where it is among the known ones. */
function placesByKey(found: readonly FoundTurn[], known: KnownTurns): (number | null)[] {
  const left = placesBy(known.turns, keyIn);
  // Equal bytes without an id can be typed twice: each known one stands for one.
  return found.map(({ key, named }) => (named ? left.get(key)?.[0] : left.get(key)?.shift()) ?? null);
}

/** The same for turns that follow the known ones word by word, some of which may be missing. */
function placesByWords(found: readonly FoundTurn[], known: KnownTurns): (number | null)[] {
  const left = placesBy(known.turns, ([, words]) => words);
  let next = 0;
  const places = found.map(({ digest }) => {
    const same = left.get(short(digest)) ?? [];
    while (same[0] !== undefined && same[0] < next) same.shift();
    const place = same.shift() ?? null;
    if (place !== null) next = place + 1;
    return place;
  });
  // One turn of many that says the same is no copy of a history: somebody typed "continue" again.
  const enough = Math.min(2, known.turns.length);
  return places.filter((place) => place !== null).length >= enough ? places : places.map(() => null);
}

/** Where turns are that have something in common, first places first. */
function placesBy(turns: readonly KnownTurn[], nameOf: (turn: KnownTurn) => string | null): Map<string, number[]> {
  const places = new Map<string, number[]>();
  for (const [index, turn] of turns.entries()) {
    const name = nameOf(turn);
    const others = name === null ? undefined : places.get(name);
    if (others !== undefined) others.push(index);
    else if (name !== null) places.set(name, [index]);
  }
  return places;
}

/** The last ones. */
function capped(complete: boolean, turns: readonly KnownTurn[]): KnownTurns {
  const away = turns.filter(isAway).length;
  const surplus = { away: away - turnsKept, there: turns.length - away - turnsKept };
  const kept = turns.filter((turn) => surplus[isAway(turn) ? "away" : "there"]-- <= 0);
  return { complete: complete && kept.length === turns.length, turns: kept };
}

function toKnown({ key, digest }: FoundTurn): KnownTurn {
  return [key, short(digest)];
}

function isAway([key]: KnownTurn): boolean {
  return key.startsWith(awayMark);
}

function keyIn([key]: KnownTurn): string {
  return key.startsWith(awayMark) ? key.slice(awayMark.length) : key;
}

function short(digest: string): string {
  return Buffer.from(digest, "hex").toString("base64url").slice(0, shortChars);
}

/** Written by this room and read by nobody else, so its shape is trusted; an empty text knows nothing. */
export function parseKnownTurns(text: string): KnownTurns {
  return text === "" ? { complete: false, turns: [] } : (JSON.parse(text) as KnownTurns);
}
