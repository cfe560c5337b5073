import fc from "fast-check";
import { describe, it } from "vitest";
import type { Clock } from "../../src/clock.js";
import type { TestDomain } from "../support/domain.js";
import { SideBySide } from "./sideBySide.js";
import { stepsUpTo } from "./steps.js";

const stepsPerRun = 60;
const retentionRows = 10;

export type MakeDomain = (options: { clock: Clock; retentionRows: number }) => Promise<TestDomain>;

/**
 * Sections 3 to 6 and 8 of the contract against a database: any row of calls, alone and at once, with time passing,
 * sweeps and restarts. HEADSUP_PROPERTY_RUNS asks for another number of rows.
 */
export function describeProperty(name: string, makeDomain: MakeDomain, usualRuns: number): void {
  const runs = Number(process.env.HEADSUP_PROPERTY_RUNS ?? usualRuns);
  // Generous: a busy machine must not fail it, and fast-check needs time to shorten a counterexample.
  const timeoutMs = 120_000 + runs * 2_000;
  describe(`on ${name}, whatever is done in whatever order`, () => {
    it("every user sees what the reference model says, after every step", { timeout: timeoutMs }, async () => {
      const property = fc.asyncProperty(stepsUpTo(stepsPerRun), async (steps) => {
        const sides = new SideBySide(retentionRows);
        const domain = await makeDomain({ clock: sides.clock, retentionRows });
        try {
          for (const step of steps) await sides.take(domain, step);
          await sides.compareAll(domain);
        } finally {
          await domain.dispose();
        }
      });
      await fc.assert(property, { numRuns: runs });
    });
  });
}
