import { randomUUID } from "node:crypto";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { toNewEvent } from "../../src/awareness/signalLog.js";
import { commitBatch } from "../../src/storage/batches.js";
import type { Database } from "../../src/storage/database.js";
import { openDatabase } from "../../src/storage/openDatabase.js";
import type { TestPostgres } from "../support/postgres.js";
import { type BlackHole, startBlackHole } from "./blackHole.js";
import { runSql } from "./sql.js";

const statementMs = 400;
const event = (sessionKey: string, summary: string) =>
  toNewEvent({ sessionKey, kind: "GOAL_CHANGED", actor: { type: "SYSTEM" }, summary }, new Date());

/** The network forgets a connection: neither side hears of it. */
export function describeLostConnection(server: () => TestPostgres): void {
  describe("a process whose way to PostgreSQL is lost without a word, in the middle of a write", () => {
    let way: BlackHole;
    let url: string;
    let lost: Database;
    let other: Database;

    beforeAll(async () => {
      url = await server().createDatabase();
      other = await openDatabase({ kind: "postgresql", url }, { busyMs: 5_000 });
    }, 60_000);
    afterAll(async () => {
      await other?.close();
    }, 60_000);
    beforeEach(async () => {
      way = await startBlackHole(server().port);
      lost = await openDatabase({ kind: "postgresql", url: way.through(url) }, { busyMs: 2_000, statementMs });
    });
    afterEach(async () => {
      await lost?.close();
      await way?.stop();
    });

    const append = (database: Database, sessionKey: string, summary: string) =>
      database.write((tx) => commitBatch(tx, [event(sessionKey, summary)], new Date()));

    /** A write that has done everything but the commit when the way is lost. */
    function appendIntoTheHole(sessionKey: string, summary: string) {
      return lost.write(async (tx) => {
        await commitBatch(tx, [event(sessionKey, summary)], new Date());
        way.swallow();
        await tx.query(tx.dialect.issued);
      });
    }

    async function logged(sessionKey: string): Promise<string[]> {
      const rows = await runSql<{ summary: string }>(
        url,
        "SELECT summary FROM session_state_events WHERE session_key = $1 ORDER BY sequence",
        [sessionKey],
      );
      return rows.map(({ summary }) => summary);
    }

    test.each(["pass", "passNew"] as const)(
      "nothing of a write that was answered as failed is kept by a later one, once the way lets %s",
      async (how) => {
        const sessionKey = `agent:main:${randomUUID()}`;
        await expect(appendIntoTheHole(sessionKey, "lost")).rejects.toMatchObject({ name: "StorageError" });
        way[how]();
        await append(lost, sessionKey, "later");
        await append(lost, sessionKey, "last");
        expect(await logged(sessionKey)).toEqual(["later", "last"]);
      },
    );

    test("its locks hold up the others only until the database has given it up", async () => {
      const sessionKey = `agent:main:${randomUUID()}`;
      await expect(appendIntoTheHole(sessionKey, "lost")).rejects.toMatchObject({ name: "StorageError" });
      await append(other, sessionKey, "other");
      expect(await logged(sessionKey)).toEqual(["other"]);
    });
  });
}
