import { Observable, useObservable } from "../store/observable.js";

/** One clock for all times on the page. */
const now = new Observable(Date.now());
setInterval(() => now.set(Date.now()), 5_000);

const units: readonly [Intl.RelativeTimeFormatUnit, number][] = [
  ["day", 86_400_000],
  ["hour", 3_600_000],
  ["minute", 60_000],
];
const relative = new Intl.RelativeTimeFormat("en", { numeric: "always", style: "narrow" });

export function agoInWords(iso: string, at: number): string {
  const ms = at - Date.parse(iso);
  for (const [unit, length] of units) {
    if (ms >= length) return relative.format(-Math.floor(ms / length), unit);
  }
  return ms < 10_000 ? "just now" : relative.format(-Math.floor(ms / 10_000) * 10, "second");
}

export function exactTime(iso: string): string {
  return new Date(iso).toLocaleString("en-GB", { dateStyle: "medium", timeStyle: "medium" });
}

/** How long ago, with the exact time for whoever points at it. */
export function Ago({ at }: { at: string }) {
  const present = useObservable(now);
  return (
    <time dateTime={at} title={exactTime(at)}>
      {agoInWords(at, Math.max(present, Date.now()))}
    </time>
  );
}
