import { dayMs } from "../clock.js";
import type { Rooms } from "./rooms.js";

/** Sessions deleted up to then are forgotten: a later one of the same name begins like any other (contract, section 5). */
export function rememberedSince({ limits }: Pick<Rooms, "limits">, now: Date): Date {
  return new Date(now.getTime() - limits.deletedMemoryDays * dayMs);
}
