import { expect, test } from "vitest";
import type { Refusal } from "../../src/awareness/refusals.js";
import { createMutationRate } from "../../src/server/rateLimits.js";

test("a client that has had its mutations is told when to come back; others are not concerned", async () => {
  const rate = createMutationRate(3);
  await rate.spend("token a", 2);
  await rate.spend("token a", 1);
  const refusal: unknown = await rate.spend("token a", 1).catch((error: unknown) => error);
  expect(refusal).toMatchObject({ name: "Refusal", code: "RATE_LIMITED", retryAfterMs: expect.any(Number) });
  expect(Number((refusal as Refusal).retryAfterMs)).toBeGreaterThan(0); // the line above says what it is
  expect(Number((refusal as Refusal).retryAfterMs)).toBeLessThanOrEqual(10_000);
  await rate.spend("token b", 3);
});

test("one operation with too many mutations is refused as a whole", async () => {
  await expect(createMutationRate(3).spend("token a", 4)).rejects.toMatchObject({ code: "RATE_LIMITED" });
});

test("0 is any number", async () => {
  const rate = createMutationRate(0);
  for (let call = 0; call < 100; call += 1) await rate.spend("token a", 1_000_000);
});

test("names that every object has are clients like any other", async () => {
  const rate = createMutationRate(1);
  for (const client of ["__proto__", "constructor", "toString"]) {
    await rate.spend(client, 1);
    await expect(rate.spend(client, 1)).rejects.toMatchObject({ code: "RATE_LIMITED" });
  }
});
