import { randomInt } from "node:crypto";
import { describe, expect, test } from "vitest";
import { openDatabase } from "../../src/storage/openDatabase.js";
import type { TestPostgres } from "../support/postgres.js";
import { runSql } from "./sql.js";
import { startWorker } from "./workerProcess.js";

type Row = { sequence: string; session_key: string };
type Head = { session_key: string; sequence: string; pruned_sequence: string };

/** Section 8: what goes, goes once, and the watermark goes with it. */
export function describeRetention(server: () => TestPostgres): void {
  describe("retention by several processes", () => {
    /**
     * A log of 20 sessions in which a third of the events is old, most of them at its beginning, with 700 watches that
     * nobody moved for long and 10 that somebody did.
     */
    async function oldLog(rows: number): Promise<string> {
      const url = await server().createDatabase();
      await (await openDatabase({ kind: "postgresql", url }, { busyMs: 5_000 })).close();
      await runSql(
        url,
        `INSERT INTO session_state_events (session_key, agent_id, kind, actor_type, occurred_at, summary)
          SELECT 'agent:a:' || n % 20, 'a', 'RUN_COMPLETED', 'SYSTEM',
            now() - CASE WHEN n < $1::int / 3 OR n % 50 = 0 THEN interval '31 days' ELSE interval '1 hour' END, 'x'
          FROM generate_series(1, $1::int) AS n`,
        [rows],
      );
      await runSql(
        url,
        `INSERT INTO session_state_heads (session_key, agent_id, sequence, updated_at)
          SELECT session_key, agent_id, MAX(sequence), now() FROM session_state_events GROUP BY 1, 2`,
      );
      await runSql(
        url,
        `INSERT INTO session_watch_cursors (watcher_session_key, target_session_key, target_agent_id, origin, last_seen,
            notified, updated_at)
          SELECT 'agent:w:' || n, 'agent:a:' || n % 20, 'a', 'EXPLICIT', 0, 0,
            now() - CASE WHEN n > 10 THEN interval '31 days' ELSE interval '1 hour' END
          FROM generate_series(1, 710) AS n`,
      );
      return url;
    }

    const rowsOf = (url: string) =>
      runSql<Row>(url, "SELECT sequence, session_key FROM session_state_events ORDER BY sequence");
    const headsOf = (url: string) =>
      runSql<Head>(url, "SELECT session_key, sequence, pruned_sequence FROM session_state_heads ORDER BY session_key");

    /** Every session's watermark is its highest event that went, and its head stands where it stood. */
    async function expectWhole(url: string, before: { rows: Row[]; heads: Head[] }): Promise<Row[]> {
      const rows = await rowsOf(url);
      const left = new Set(rows.map(({ sequence }) => sequence));
      const gone = new Map<string, string>();
      for (const { sequence, session_key } of before.rows) if (!left.has(sequence)) gone.set(session_key, sequence);
      const expected = before.heads.map((head) => ({ ...head, pruned_sequence: gone.get(head.session_key) ?? "0" }));
      expect(await headsOf(url)).toEqual(expected);
      return rows;
    }

    test("each row is pruned once, no more than the rules say, and the watermarks are right", async () => {
      const keep = 2_000;
      const url = await oldLog(7_000);
      const before = { rows: await rowsOf(url), heads: await headsOf(url) };
      const young = await runSql<Row>(
        url,
        `SELECT sequence, session_key FROM session_state_events WHERE occurred_at > now() - interval '1 day'
          ORDER BY sequence DESC LIMIT $1`,
        [keep],
      );

      const workers = await Promise.all(
        [1, 2, 3].map(() => startWorker({ databaseUrl: url, retentionRows: keep, retentionBatchRows: 100 })),
      );
      // Each sweeps when it starts; this is the end of that pass, or another one.
      await Promise.all(workers.map((worker) => worker.run("sweep", {})));
      const pruned = workers.flatMap((worker) => worker.pruned).reduce((total, rows) => total + rows, 0);
      await Promise.all(workers.map((worker) => worker.stop()));

      expect(await expectWhole(url, before)).toEqual(young.reverse());
      expect(pruned).toBe(before.rows.length - keep);
      const watches = await runSql(url, "SELECT 1 FROM session_watch_cursors");
      expect(watches).toHaveLength(10);
    }, 60_000);

    test("a process that is killed in the middle leaves a whole state, and the next one finishes", async () => {
      const options = { retentionRows: 500, retentionBatchRows: 20 };
      const url = await oldLog(6_000);
      const before = { rows: await rowsOf(url), heads: await headsOf(url) };
      let left = before.rows;
      for (let round = 0; round < 2; round += 1) {
        const worker = await startWorker({ databaseUrl: url, ...options });
        const enough = worker.pruned.length + randomInt(1, 10);
        await new Promise<void>((resolve) => {
          worker.onPruned(() => worker.pruned.length >= enough && resolve());
        });
        await worker.kill();
        const now = await expectWhole(url, before);
        expect(now.length).toBeLessThan(left.length);
        expect(now.length).toBeGreaterThan(options.retentionRows);
        left = now;
      }
      const worker = await startWorker({ databaseUrl: url, ...options });
      await worker.run("sweep", {});
      await worker.stop();
      expect(await expectWhole(url, before)).toHaveLength(options.retentionRows);
    }, 60_000);
  });
}
