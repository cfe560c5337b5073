/** Samples of both sides of a row, taken in turns, so that whatever slows the machine slows both. */
export type Pairs = { readonly ours: readonly number[]; readonly theirs: readonly number[] };

/**
 * Takes `samples` of each side in turns (ours, theirs, ours, theirs …), after one of each that is thrown away: code
 * that has just been loaded is not yet compiled, and files are not yet in the cache.
 */
export async function alternate(
  samples: number,
  sides: { ours(): Promise<number>; theirs(): Promise<number> },
): Promise<Pairs> {
  const ours: number[] = [];
  const theirs: number[] = [];
  for (let sample = 0; sample <= samples; sample += 1) {
    const pair = [await sides.ours(), await sides.theirs()] as const;
    if (sample === 0) continue;
    ours.push(pair[0]);
    theirs.push(pair[1]);
  }
  return { ours, theirs };
}

/** The value that `share` of the values (0 to 1) do not exceed; NaN of none. */
export function quantile(values: readonly number[], share: number): number {
  const sorted = [...values].sort((one, other) => one - other);
  const place = (sorted.length - 1) * share;
  const below = sorted[Math.floor(place)] ?? Number.NaN;
  const above = sorted[Math.ceil(place)] ?? Number.NaN;
  return below + (above - below) * (place - Math.floor(place));
}

export const median = (values: readonly number[]): number => quantile(values, 0.5);

export type Summary = { median: number; min: number; max: number };

export function summarise(values: readonly number[]): Summary {
  return { median: median(values), min: Math.min(...values), max: Math.max(...values) };
}

/** The ratio of the medians, between the smallest and the largest ratio of two samples taken side by side. */
export function ratioOf({ ours, theirs }: Pairs): Summary {
  const ratios = ours.map((value, index) => value / (theirs[index] ?? Number.NaN));
  return { ...summarise(ratios), median: median(ours) / median(theirs) };
}

/** How often per second `work`, which does `count` of something, gets done. */
export async function perSecond(count: number, work: () => Promise<unknown> | unknown): Promise<number> {
  const start = performance.now();
  await work();
  return (count / (performance.now() - start)) * 1000;
}
