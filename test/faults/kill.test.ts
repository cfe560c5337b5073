import { randomInt } from "node:crypto";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { sleep } from "../../src/clock.js";
import { compareWithLog } from "./killChecks.js";
import { Clients } from "./killLoad.js";
import { type ServerProcess, startServer } from "./serverProcess.js";

const roundsAtMost = 10;
const roundsAtLeast = 4;
/** A slow machine makes fewer rounds. */
const enoughMs = 20_000;

describe("a server that is killed under load, again and again, on one database", () => {
  let folder: string;
  let server: ServerProcess;
  const clients = new Clients();

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), "headsup-kill-"));
    server = await startServer(join(folder, "test.db"));
    await clients.watchAll(server);
  });
  afterAll(async () => {
    await server?.end("SIGTERM");
    await rm(folder, { recursive: true, force: true });
  });

  it("loses no answered event and no notice, doubles nothing and gives no number twice", {
    timeout: 90_000,
  }, async () => {
    const start = performance.now();
    for (let round = 1; round <= roundsAtMost; round += 1) {
      if (round > roundsAtLeast && performance.now() - start > enoughMs) break;
      const before = clients.answered.size;
      await killUnderLoad();
      expect(clients.answered.size).toBeGreaterThan(before);
      server = await startServer(join(folder, "test.db"));
      await compareWithLog(server, clients);
    }
    await clients.settle(server);
    await compareWithLog(server, clients);
  });

  /** A random number of answers and then a random moment: the kill falls anywhere in the life of the calls under way. */
  async function killUnderLoad(): Promise<void> {
    let left = randomInt(10, 120);
    const { promise: enough, resolve } = newPromise();
    const load = clients.loadUntilGone(server, () => {
      left -= 1;
      if (left === 0) resolve();
    });
    await Promise.race([enough, load]);
    await sleep(randomInt(20));
    await server.end("SIGKILL");
    await load;
  }
});

function newPromise(): { promise: Promise<void>; resolve: () => void } {
  let resolve = () => {};
  const promise = new Promise<void>((done) => {
    resolve = done;
  });
  return { promise, resolve };
}
