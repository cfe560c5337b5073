import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import Database from "better-sqlite3";
import { pino } from "pino";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { createAwareness, type RunningAwareness } from "../../src/awareness/createAwareness.js";
import { limits } from "../../src/config.js";

describe("the queue of writes is bounded", () => {
  const folder = mkdtempSync(join(tmpdir(), "headsup-"));
  const file = join(folder, "queue.db");
  let awareness: RunningAwareness;
  let other: Database.Database;

  beforeEach(async () => {
    awareness = await createAwareness({
      database: { kind: "sqlite", file },
      retentionDays: 30,
      retentionRows: 50_000,
      limits: { ...limits, queueMaxEvents: 10, queueMaxJobs: 12, databaseBusyMs: 20_000 },
      log: pino({ level: "silent" }),
    });
    await awareness.sweep();
    other = new Database(file);
  });
  afterEach(async () => {
    other.close();
    await awareness.stop();
    rmSync(folder, { recursive: true, force: true });
  });

  const goal = { sessionKey: "agent:a:b", kind: "GOAL_CHANGED", actor: { type: "SYSTEM" } } as const;

  it("when it is full an append answers STORAGE_UNAVAILABLE at once, others SERVICE_UNAVAILABLE; what was taken is kept", async () => {
    other.exec("BEGIN IMMEDIATE");
    const fill = () => Array.from({ length: 10 }, () => awareness.append(goal));
    const taken = fill();
    await expect(awareness.append(goal)).resolves.toMatchObject({ recorded: false, reason: "STORAGE_UNAVAILABLE" });
    for (let turn = 0; turn < 10; turn += 1) await new Promise((resolve) => setImmediate(resolve));
    // By now the first ten have left the queue for their commit, which waits for the lock: ten more find a place.
    taken.push(...fill());
    await expect(awareness.append(goal)).resolves.toMatchObject({ recorded: false, reason: "STORAGE_UNAVAILABLE" });
    await expect(awareness.appendMany([goal, goal])).resolves.toMatchObject([{ recorded: false }, { recorded: false }]);

    const registering = Array.from({ length: 20 }, () => awareness.registerSession({ sessionKey: "agent:a:c" }));
    const settled = Promise.allSettled(registering);
    await expect(registering.at(-1)).rejects.toMatchObject({ code: "SERVICE_UNAVAILABLE" });

    other.exec("COMMIT");
    const answers = await Promise.all(taken);
    expect(answers.filter(({ recorded }) => recorded)).toHaveLength(answers.length);
    expect((await settled).filter(({ status }) => status === "rejected").length).toBeGreaterThan(0);
    const { stateVersion } = await awareness.sessionStatus({ sessionKey: "agent:a:b" });
    expect(stateVersion).toBe(answers.length);
  });
});
