import { pino } from "pino";
import type { createAwareness } from "../src/awareness/createAwareness.js";
import { perSecond } from "./measure.js";
import { type AppendVariables, goalChanged } from "./operations.js";
import { loadAwareness, loadConfig } from "./product.js";

/** What a row may put in the place of the server's own: other tools' files, and a clock that it moves itself. */
type Parts = Pick<Parameters<typeof createAwareness>[0], "sources" | "clock">;

/** The domain in this process, on a SQLite file, configured as the server would be but for retention. */
export async function startDomain(file: string, parts: Parts = {}) {
  const [awareness, { limits }] = await Promise.all([loadAwareness(), loadConfig()]);
  const domain = await awareness.createAwareness({
    database: { kind: "sqlite", file },
    retentionDays: 30,
    retentionRows: 1_000_000_000,
    limits,
    log: pino({ level: "warn" }, pino.destination(2)),
    ...parts,
  });
  await domain.sweep(); // the one at start: from here on nothing runs that was not asked for
  return domain;
}
export type Domain = Awaited<ReturnType<typeof startDomain>>;

export const producers = 64;
export const target = "agent:bench:target";

/** One event of each producer, all on one target. */
export const events: AppendVariables[] = Array.from({ length: producers }, (_, index) =>
  goalChanged(target, `agent:bench:producer-${index}`),
);

/** Events per second when every producer appends its next event as soon as the one before is durable. */
export function appendRate(domain: Domain, rounds: number): Promise<number> {
  return perSecond(producers * rounds, () =>
    Promise.all(
      events.map(async (event) => {
        for (let round = 0; round < rounds; round += 1) {
          const { recorded } = await domain.append(event);
          if (!recorded) throw new Error("an append was not recorded");
        }
      }),
    ),
  );
}
