import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { RunningAwareness } from "../../src/awareness/createAwareness.js";
import { startOn } from "../support/domain.js";
import type { TestPostgres } from "../support/postgres.js";
import { jobs } from "./jobs.js";
import { runSql } from "./sql.js";
import { startWorker, type Worker } from "./workerProcess.js";

/** One order of locks for everybody (house rule: the head is locked before the number is taken). */
export function describeDeadlocks(server: () => TestPostgres): void {
  describe("everything at once on the same sessions, by three processes", () => {
    let databaseUrl: string;
    /** This process is the third. */
    let here: RunningAwareness;
    let workers: Worker[] = [];
    beforeAll(async () => {
      databaseUrl = await server().createDatabase();
      const options = { databaseUrl, retentionRows: 300, retentionBatchRows: 50 };
      here = await startOn(databaseUrl, options);
      workers = await Promise.all([startWorker(options), startWorker(options)]);
    }, 60_000);
    afterAll(() => Promise.all([here?.stop(), ...workers.map((worker) => worker.stop())]));

    test("two sessions that watch each other and are deleted by two processes at once both go", async () => {
      const [one, other] = ["agent:mutual:one", "agent:mutual:other"];
      const there = await startOn(databaseUrl);
      for (let round = 0; round < 8; round += 1) {
        await here.watch({ watcherSessionKey: one, targetSessionKey: other });
        await here.watch({ watcherSessionKey: other, targetSessionKey: one });
        const deleted = await Promise.all([
          here.deleteSession({ sessionKey: one }),
          there.deleteSession({ sessionKey: other }),
        ]);
        expect(deleted).toEqual([{ deleted: true }, { deleted: true }]);
      }
      await there.stop();
    });

    test("appends in any order, drains, watches, resets, deletes and sweeps never wait in a circle", async () => {
      const sessions = Array.from({ length: 12 }, (_, n) => `agent:a${n}:main`);
      const work = { rounds: 50, sessions };
      const wrong = await Promise.all([jobs.mix(here, work), ...workers.map((worker) => worker.run("mix", work))]);
      expect(wrong.flat()).toEqual([]);
      const [statistics] = await runSql<{ deadlocks: string; commits: string }>(
        databaseUrl,
        "SELECT deadlocks, xact_commit AS commits FROM pg_stat_database WHERE datname = current_database()",
      );
      expect(Number(statistics?.commits)).toBeGreaterThan(300);
      expect(Number(statistics?.deadlocks)).toBe(0);
    }, 60_000);
  });
}
