import { RateLimiterMemory, RateLimiterRes } from "rate-limiter-flexible";
import { Refusal } from "../awareness/refusals.js";

const windowSeconds = 10;

export type MutationRate = {
  /** Counts these mutations for this client. Rejects with `RATE_LIMITED` when that is more than it may have. */
  spend(client: string, mutations: number): Promise<void>;
};

/**
 * How many mutations each client may send, whatever they do and over however many connections: so many in any window of
 * 10 s that begins with its first one, all at once if it likes. Kept in this process; 0 means any number.
 */
export function createMutationRate(mutationsPer10s: number): MutationRate {
  if (mutationsPer10s === 0) return { spend: () => Promise.resolve() };
  const limiter = new RateLimiterMemory({ points: mutationsPer10s, duration: windowSeconds });
  return {
    async spend(client, mutations) {
      try {
        await limiter.consume(client, mutations);
      } catch (outcome) {
        if (!(outcome instanceof RateLimiterRes)) throw outcome;
        throw new Refusal(
          "RATE_LIMITED",
          `More than ${mutationsPer10s} mutations in ${windowSeconds} s. Nothing was written; try again later.`,
          { retryAfterMs: Math.max(1, Math.ceil(outcome.msBeforeNext)) },
        );
      }
    },
  };
}
