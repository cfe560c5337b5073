import { pino } from "pino";
import { perSecond } from "./measure.js";
import { type AppendVariables, goalChanged } from "./operations.js";
import { loadAwareness, loadConfig } from "./product.js";

/** The domain in this process, on a SQLite file, configured as the server would be but for retention. */
export async function startDomain(file: string) {
  const [{ createAwareness }, { limits }] = await Promise.all([loadAwareness(), loadConfig()]);
  const domain = await createAwareness({
    database: { kind: "sqlite", file },
    retentionDays: 30,
    retentionRows: 1_000_000_000,
    limits,
    log: pino({ level: "warn" }, pino.destination(2)),
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
