import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, it } from "vitest";

const rounds = 10;

describe("three processes that open one database at the same moment", () => {
  let folder: string;
  let racers: ChildProcess[];

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), "headsup-race-"));
    racers = await Promise.all([1, 2, 3].map(startRacer));
  });
  afterAll(async () => {
    for (const racer of racers ?? []) racer.disconnect();
    await rm(folder, { recursive: true, force: true });
  });

  it("all start on a fresh file, and each gets a number of its own", async () => {
    for (let round = 1; round <= rounds; round += 1) {
      const numbers = await tellAll(join(folder, `fresh-${round}.db`));
      expect([...numbers].sort()).toEqual([1, 2, 3]);
      await tellAll("stop");
    }
  });

  it("all start on an old one, while others are still closing it", async () => {
    const file = join(folder, "old.db");
    const seen: unknown[] = [];
    for (let round = 1; round <= rounds; round += 1) {
      // Each opens, closes and opens again at its own pace: openings meet closings.
      const [first = [], second = [], third = []] = await Promise.all(racers.map((racer) => openAndClose(racer, file)));
      seen.push(...first, ...second, ...third);
    }
    const expected = Array.from({ length: rounds * racers.length * 2 }, (_, index) => index + 1);
    expect([...seen].sort((a, b) => Number(a) - Number(b))).toEqual(expected);
  });

  function tellAll(order: string): Promise<unknown[]> {
    return Promise.all(racers.map((racer) => tell(racer, order)));
  }
});

async function openAndClose(racer: ChildProcess, file: string): Promise<unknown[]> {
  const first = await tell(racer, file);
  await tell(racer, "stop");
  const second = await tell(racer, file);
  await tell(racer, "stop");
  return [first, second];
}

async function startRacer(): Promise<ChildProcess> {
  const racer = fork(fileURLToPath(new URL("racer.ts", import.meta.url)), { execArgv: ["--import", "tsx"] });
  await once(racer, "message");
  return racer;
}

async function tell(racer: ChildProcess, order: string): Promise<unknown> {
  const answered = once(racer, "message");
  racer.send(order);
  const [answer] = await answered;
  return answer;
}
