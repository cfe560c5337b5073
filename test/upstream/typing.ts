import { randomInt } from "node:crypto";
import { appendFileSync } from "node:fs";
import { setImmediate as nextTurn } from "node:timers/promises";
import { claudeAnswer, claudeTurn } from "./lines.js";

/** How long the writer rests after a piece, and after a turn with its answer. */
type Rests = { betweenPieces(): Promise<void>; betweenTurns(): Promise<void> };

/** Types turns and lets the tool answer, in pieces that end anywhere, until the signal aborts. Returns the number. */
export async function typeInPieces(file: string, rests: Rests, signal: AbortSignal): Promise<number> {
  let typed = 0;
  while (!signal.aborted) {
    const bytes = Buffer.from(claudeTurn(`turn ${typed} 😀`) + claudeAnswer());
    typed += 1;
    for (let from = 0; from < bytes.length; ) {
      const to = Math.min(bytes.length, from + randomInt(1, 400));
      appendFileSync(file, bytes.subarray(from, to));
      from = to;
      await rests.betweenPieces();
    }
    await rests.betweenTurns();
  }
  return typed;
}

/** What is typed from here on has another time than what was typed before. */
export async function nextMillisecond(): Promise<void> {
  for (const now = Date.now(); Date.now() === now; ) await nextTurn();
}
