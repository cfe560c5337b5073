import type { Pairs } from "./measure.js";

/**
 * What a ratio must be for a row to count as reached, or `oursBelow`: what our side must stay below, in the row's unit,
 * whatever the comparator takes; null for a figure that only informs.
 */
export type Goal = { readonly atLeast: number } | { readonly atMost: number } | { readonly oursBelow: number } | null;

/** Whether the load generator could have done more than it was asked: rates per second, or the same unit for both. */
export type GeneratorCheck = { readonly capacity: number; readonly asked: number; readonly unit: string };

/** One line of the table. */
export type Line = Pairs & {
  readonly row: string;
  readonly comparator: string;
  readonly unit: string;
  readonly goal: Goal;
  readonly generator?: GeneratorCheck;
  /** Anything else that was seen and helps to judge the line. */
  readonly remark?: string;
};

/** `quick` takes smaller sizes and fewer samples: for trying out, never for figures. */
export type Scale = { readonly quick: boolean; readonly samples: number };

export type Row = {
  readonly name: string;
  /** One sentence: what exactly is compared. */
  readonly what: string;
  run(scale: Scale): Promise<Line[]>;
};

/** `ratio` and `ours` are medians. */
export function reached(goal: Goal, ratio: number, ours: number): boolean | null {
  if (goal === null) return null;
  if ("oursBelow" in goal) return ours < goal.oursBelow;
  return "atLeast" in goal ? ratio >= goal.atLeast : ratio <= goal.atMost;
}
