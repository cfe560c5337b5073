import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { connectionAttacks } from "./connections.js";
import { crowdAttacks } from "./crowd.js";
import { dataAttacks } from "./data.js";
import { operationAttacks } from "./operations.js";
import { lurk, patienceAttacks } from "./patience.js";
import { startTarget, type Target } from "./target.js";

let target: Target;
/** Another one, for what is measured in memory. */
let crowded: Target;
let lurking: Awaited<ReturnType<typeof lurk>>;
beforeAll(async () => {
  target = await startTarget();
  crowded = await startTarget();
  lurking = await lurk(target);
}, 120_000);
afterAll(() => Promise.all([target?.stop(), crowded?.stop()]));

describe("operations", () => operationAttacks(() => target));
describe("data", () => dataAttacks(() => target));
describe("crowds", () => crowdAttacks(() => crowded));
describe("patience", () =>
  patienceAttacks(
    () => target,
    () => lurking,
  ));
describe("connections", () => connectionAttacks(() => target));

test("after all that the processes live, and have said nothing unexpected", async () => {
  for (const each of [target, crowded]) {
    expect(each.lives()).toBe(true);
    expect((await fetch(new URL("/readyz", each.url))).status).toBe(200);
    expect(
      each
        .log()
        .split("\n")
        .filter((line) => /unexpected|"level":(50|60)/.test(line))
        .slice(0, 3),
    ).toEqual([]);
  }
});
