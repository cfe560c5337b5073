import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { AppendInput } from "../../src/awareness/awareness.js";
import type { RunningAwareness } from "../../src/awareness/createAwareness.js";
import { toNewEvent } from "../../src/awareness/signalLog.js";
import { commitBatch } from "../../src/storage/batches.js";
import type { Database } from "../../src/storage/database.js";
import { openDatabase } from "../../src/storage/openDatabase.js";
import type { Transaction } from "../../src/storage/sql.js";
import { startOn } from "../support/domain.js";
import type { TestPostgres } from "../support/postgres.js";
import { untilRows } from "./sql.js";
import { startWorker, type Worker } from "./workerProcess.js";

/** Section 8: within a session, a lower sequence never becomes visible after a higher one. */
export function describeOrder(server: () => TestPostgres): void {
  describe("one log, several processes", () => {
    let url: string;
    let reader: RunningAwareness;
    /** A process of its own, as far as the database can tell. */
    let slow: Database;
    let workers: Worker[] = [];
    beforeAll(async () => {
      url = await server().createDatabase();
      reader = await startOn(url);
      slow = await openDatabase({ kind: "postgresql", url }, { busyMs: 5_000 });
      workers = await Promise.all([startWorker({ databaseUrl: url }), startWorker({ databaseUrl: url })]);
    }, 60_000);
    afterAll(async () => {
      await Promise.all(workers.map((worker) => worker.stop()));
      await slow?.close();
      await reader?.stop();
    });

    /** The product's own write, which stops between its number and its commit until `resume`. */
    function pausedAppend(sessionKey: string, change: Partial<Transaction> = {}) {
      const paused = signal();
      const resumed = signal();
      const sequence = slow.write(async (tx) => {
        const takeSequences = async (count: number) => {
          const taken = await tx.takeSequences(count);
          paused.give();
          await resumed.given;
          return taken;
        };
        const { outcomes } = await commitBatch(
          { ...tx, takeSequences, ...change },
          [toNewEvent(goal(sessionKey), new Date())],
          new Date(),
        );
        return outcomes[0]?.kind === "recorded" ? outcomes[0].event.sequence : null;
      });
      return { paused: paused.given, resume: resumed.give, sequence };
    }

    /** What a reader that always asks since the last sequence it saw finds now. */
    async function readOn(sessionKey: string, seen: number[]): Promise<void> {
      const { stateChanges } = await reader.sessionStatus({ sessionKey, changesSince: seen.at(-1) ?? 0 });
      seen.push(...(stateChanges?.events.map(({ sequence }) => sequence) ?? []));
    }

    const untilSomebodyWaits = () =>
      untilRows(url, "SELECT 1 FROM pg_locks WHERE locktype = 'advisory' AND NOT granted");

    test("5,000 events by two processes, and one writer paused between number and commit: a reader sees each once, in order", async () => {
      const sessions = ["agent:a:one", "agent:a:two", "agent:a:three"];
      const seen = new Map<string, number[]>(sessions.map((key) => [key, []]));
      let writing = true;
      const written = Promise.all(workers.map((worker) => worker.run("fill", { events: 2_500, sessions }))).finally(
        () => {
          writing = false;
        },
      );
      const reading = (async () => {
        while (writing) for (const [key, numbers] of seen) await readOn(key, numbers);
      })();

      const late: [string, number | null][] = [];
      for (const key of [...sessions, ...sessions]) {
        const append = pausedAppend(key);
        await append.paused;
        await untilSomebodyWaits();
        await readOn(key, []);
        append.resume();
        late.push([key, await append.sequence]);
      }
      expect(writing, "the paused writer wrote among the others").toBe(true);

      const answered = await written;
      await reading;
      for (const [key, numbers] of seen) await readToTheEnd(key, numbers);
      expect(sum([...seen.values()].map(({ length }) => length))).toBe(5_000 + late.length);
      for (const [key, numbers] of seen) {
        const expected = [
          ...answered.flatMap((bySession) => bySession[key] ?? []),
          ...late.flatMap(([session, sequence]) => (session === key ? [sequence] : [])),
        ];
        expect(numbers).toEqual(expected.sort((one, other) => Number(one) - Number(other)));
      }
    }, 60_000);

    async function readToTheEnd(key: string, numbers: number[]): Promise<void> {
      for (let before = -1; before < numbers.length; ) {
        before = numbers.length;
        await readOn(key, numbers);
      }
    }

    // The story of the lock. A writer takes number 1 and stops. Another takes 2 and commits. A reader sees 2 and asks
    // for what came after 2 from now on. The first commits 1: it is in the log, and that reader never hears of it. The
    // lock makes the second wait before it takes its number. This test takes the lock away and shows the damage.
    test("why the head is locked before the number is taken: without it, a reader skips an event", async () => {
      const sessionKey = "agent:a:unlocked";
      const seen: number[] = [];
      const append = pausedAppend(sessionKey, { lock: async () => {} });
      await append.paused;
      const second = await reader.append(goal(sessionKey));
      await readOn(sessionKey, seen);
      append.resume();
      const first = await append.sequence;
      await readOn(sessionKey, seen);
      expect(first).toBeLessThan(second.event?.sequence ?? 0);
      expect(seen).toEqual([second.event?.sequence]);
    });

    test("an append that waits too long for another process answers STORAGE_UNAVAILABLE; waits do not add up", async () => {
      const sessionKey = "agent:a:held";
      const watcherSessionKey = "agent:a:watcher";
      const hasty = await startOn(url, { busyMs: 200 });
      const held = pausedAppend(sessionKey);
      try {
        await held.paused;
        await hasty.watch({ watcherSessionKey, targetSessionKey: "agent:a:free" });
        // One wait after the other would outlast the pause, which the database ends after some seconds.
        const unwatches = Array.from({ length: 30 }, () =>
          hasty
            .unwatch({ watcherSessionKey, targetSessionKey: sessionKey })
            .catch(({ code }: { code: string }) => code),
        );
        expect(await hasty.append(goal(sessionKey))).toMatchObject({ recorded: false, reason: "STORAGE_UNAVAILABLE" });
        expect(new Set(await Promise.all(unwatches))).toEqual(new Set(["SERVICE_UNAVAILABLE"]));
        expect(await hasty.sessionStatus({ sessionKey })).toMatchObject({ stateVersion: 0 });
        held.resume();
        const sequence = await held.sequence;
        const after = await hasty.append(goal(sessionKey));
        expect(after.event?.sequence).toBeGreaterThan(Number(sequence));
      } finally {
        held.resume();
        await hasty.stop();
      }
    });
  });
}

function goal(sessionKey: string): AppendInput {
  return { sessionKey, kind: "GOAL_CHANGED", actor: { type: "SYSTEM" } };
}

function signal(): { given: Promise<void>; give(): void } {
  let give = () => {};
  const given = new Promise<void>((resolve) => {
    give = resolve;
  });
  return { given, give };
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}
