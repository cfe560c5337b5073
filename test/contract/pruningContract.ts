import { describe, expect, onTestFinished, test } from "vitest";
import type { RunningAwareness } from "../../src/awareness/createAwareness.js";
import { nobody } from "../../src/awareness/observer.js";
import type { DomainLimits } from "../../src/awareness/rooms.js";
import type { TestDomain } from "../support/domain.js";
import { completed, dayMs, type OpenDomain, TestClock } from "./domainContract.js";

/** What a process did to its log, in order: a batch of appends committed, or a batch of rows pruned. */
type Step = { committed: number } | { pruned: number };

const sumOf = (numbers: readonly number[]) => numbers.reduce((sum, each) => sum + each, 0);
const never = 3_600_000;

/** Section 8, retention: in batches, so that writers and readers go on; and it keeps up with them. */
export function describePruning(database: string, open: OpenDomain): void {
  describe(`retention in batches on ${database}`, () => {
    /** A domain of one's own that tells what it does. */
    async function watched(options: { retentionDays?: number; retentionRows: number; limits: Partial<DomainLimits> }) {
      const clock = new TestClock();
      const steps: Step[] = [];
      const listeners = new Set<(step: Step) => void>();
      const tell = (step: Step) => {
        steps.push(step);
        for (const listener of listeners) listener(step);
      };
      const domain: TestDomain = await open({
        ...options,
        clock,
        observe: {
          ...nobody,
          committed: (rows) => tell({ committed: rows }),
          pruned: (rows) => tell({ pruned: rows }),
        },
      });
      onTestFinished(() => domain.dispose());
      const pruned = () => steps.flatMap((step) => ("pruned" in step ? step.pruned : []));
      const committed = () => steps.flatMap((step) => ("committed" in step ? step.committed : []));
      return {
        awareness: domain.awareness,
        clock,
        steps,
        pruned,
        rows: () => sumOf(committed()) - sumOf(pruned()),
        /** Resolves once this holds right after a step. */
        until: (holds: () => boolean) => new Promise<void>((resolve) => listeners.add(() => holds() && resolve())),
      };
    }

    async function fill(awareness: RunningAwareness, rows: number, perCall = 500): Promise<void> {
      for (let left = rows; left > 0; left -= perCall) {
        const inputs = Array.from({ length: Math.min(left, perCall) }, (_, n) => completed(`agent:filler:${n % 50}`));
        await awareness.appendMany(inputs);
      }
    }

    /** Clients that append one after the other, each its next when the one before is durable, until `stop`. */
    function load(awareness: RunningAwareness, { clients, rows }: { clients: number; rows: number }) {
      let stopping = false;
      const running = Array.from({ length: clients }, async () => {
        while (!stopping) await fill(awareness, rows);
      });
      const stop = async () => {
        stopping = true;
        await Promise.all(running);
      };
      onTestFinished(stop); // also when the test fails before it gets there
      return { stop };
    }

    test("while others write, a pass goes in small batches, and between any two of them others have written", async () => {
      const limits = { retentionGentleBatchRows: 20, retentionBatchRows: 200 };
      const { awareness, clock, steps, pruned } = await watched({ retentionRows: 50_000, limits });
      await fill(awareness, 510);
      clock.moveOn(31 * dayMs);
      const others = load(awareness, { clients: 1, rows: 1 });
      await awareness.sweep();
      await others.stop();

      expect(pruned()).toEqual([...Array.from({ length: 25 }, () => 20), 10]);
      const backToBack = steps.filter((step, index) => "pruned" in step && "pruned" in (steps[index - 1] ?? {}));
      expect(backToBack).toEqual([]);
    });

    test("an idle process does not rest, and its batches are large", async () => {
      const limits = { retentionGentleBatchRows: 20, retentionRestTimes: never, retentionRestMaxMs: never };
      const { awareness, clock, pruned } = await watched({ retentionRows: 50_000, limits });
      await fill(awareness, 510);
      clock.moveOn(31 * dayMs);
      await awareness.sweep();
      expect(pruned()).toEqual([20, 490]);
    });

    test("a log far beyond its cap comes back to it while others go on writing", async () => {
      const near = 2_000 + 1_000;
      // By one row at a time, and behind all that waits (1,600 rows), pruning falls behind until it hurries.
      const limits = { retentionGentleBatchRows: 1, retentionSlackRows: 1_000, retentionHurryShare: 0.5 };
      const { awareness, rows, until } = await watched({ retentionRows: 2_000, limits });
      const far = until(() => rows() > near + 2_000 * 0.5);
      const others = load(awareness, { clients: 16, rows: 100 });
      await far;
      await until(() => rows() <= near);
      await others.stop();
    }, 30_000);

    test("a cap passed again while a pass rests is looked at after it", async () => {
      const keep = 20;
      const limits = { retentionGentleBatchRows: 5, retentionSlackRows: 10, retentionHurryShare: 100 };
      const { awareness, pruned, rows, until } = await watched({ retentionRows: keep, limits });
      const more = until(() => pruned().length === 1).then(() => fill(awareness, 50));
      const within = until(() => sumOf(pruned()) >= 20 && rows() <= keep);
      await fill(awareness, keep + 20);
      await Promise.all([more, within]);
      expect(rows()).toBe(keep);
    });

    test("stop ends a pass that rests", async () => {
      const limits = { retentionGentleBatchRows: 20, retentionRestTimes: never, retentionRestMaxMs: never };
      const { awareness, clock, steps, pruned, until } = await watched({ retentionRows: 50_000, limits });
      await fill(awareness, 510);
      clock.moveOn(31 * dayMs);
      const others = load(awareness, { clients: 1, rows: 1 });
      const rests = until(() => steps.length > 20 + steps.findIndex((step) => "pruned" in step) && pruned().length > 0);
      const pass = awareness.sweep();
      await rests;
      await others.stop();
      await Promise.all([awareness.stop(), pass]);
      expect(pruned()).toEqual([20]);
    });

    test("a watch expires after 30 days, whatever the age at which events go", async () => {
      const { awareness, clock } = await watched({ retentionDays: 1, retentionRows: 50_000, limits: {} });
      const pair = { watcherSessionKey: "agent:boss:main", targetSessionKey: "agent:worker:main" };
      await awareness.watch(pair);
      await awareness.append({ sessionKey: pair.targetSessionKey, kind: "GOAL_CHANGED", actor: { type: "SYSTEM" } });
      clock.moveOn(29 * dayMs);
      await awareness.sweep();
      const status = await awareness.sessionStatus({ sessionKey: pair.targetSessionKey, changesSince: 0 });
      expect(status.stateChanges).toMatchObject({ events: [], historyGap: true });
      expect(await awareness.pendingNotices(pair)).toHaveLength(1);
      clock.moveOn(2 * dayMs);
      await awareness.sweep();
      expect(await awareness.pendingNotices(pair)).toEqual([]);
    });

    test("what is remembered of deleted sessions goes in batches too", async () => {
      const { awareness, clock } = await watched({ retentionRows: 50_000, limits: { retentionBatchRows: 7 } });
      const names = Array.from({ length: 20 }, (_, n) => `agent:gone:${n}`);
      await awareness.appendMany(names.map(completed));
      for (const sessionKey of names) await awareness.deleteSession({ sessionKey });
      const gaps = async () => {
        const asked = names.map((sessionKey) => awareness.sessionStatus({ sessionKey, changesSince: 0 }));
        return (await Promise.all(asked)).filter(({ stateChanges }) => stateChanges?.historyGap).length;
      };
      expect(await gaps()).toBe(20);
      clock.moveOn(31 * dayMs);
      await awareness.sweep();
      expect(await gaps()).toBe(0);
    });
  });
}
