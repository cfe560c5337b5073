import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setImmediate as nextTurn } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import pino from "pino";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { AppendInput, AppendResult, Awareness } from "../../src/awareness/awareness.js";
import { nobody } from "../../src/awareness/observer.js";
import { startOnFile } from "../support/domain.js";

const sessionKey = "agent:main:locked";
const watcherSessionKey = "agent:main:watcher";
const unavailable = { recorded: false, duplicate: false, reason: "STORAGE_UNAVAILABLE", event: null };

describe("while another process holds the database's write lock", () => {
  let folder: string;
  let awareness: Awareness;
  let holder: ChildProcess;
  let logged: string[];

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), "headsup-lock-"));
    logged = [];
  });
  afterEach(async () => {
    holder?.disconnect();
    await awareness?.stop();
    await rm(folder, { recursive: true, force: true });
  });

  async function start(busyMs: number): Promise<void> {
    const file = join(folder, "test.db");
    const log = pino({ level: "warn" }, { write: (line: string) => logged.push(line) });
    awareness = await startOnFile(file, { log, busyMs });
    await awareness.watch({ watcherSessionKey, targetSessionKey: sessionKey });
    holder = fork(fileURLToPath(new URL("lockHolder.ts", import.meta.url)), [file], {
      execArgv: ["--import", "tsx"],
    });
    await once(holder, "message");
  }

  async function tell(order: "hold" | "release"): Promise<unknown> {
    const answered = once(holder, "message");
    holder.send(order);
    const [answer] = await answered;
    return answer;
  }

  function append(dedupeKey: string): Promise<AppendResult> {
    return awareness.append(event(dedupeKey));
  }

  async function loggedSummaries(): Promise<string[]> {
    const status = await awareness.sessionStatus({ sessionKey, changesSince: 0 });
    return status.stateChanges?.events.map(({ summary }) => summary) ?? [];
  }

  it("an append that waited too long answers STORAGE_UNAVAILABLE, and its failure is in the server's log", async () => {
    await start(200);
    expect(await tell("hold")).toBe("held");
    const answers = await Promise.all([append("a"), append("b"), awareness.appendMany([event("c"), event("d")])]);
    expect(answers).toEqual([unavailable, unavailable, [unavailable, unavailable]]);
    expect(logged.join()).toMatch(/locked|busy/i);
    await expect(awareness.drainNotices({ watcherSessionKey })).rejects.toMatchObject({ code: "SERVICE_UNAVAILABLE" });
  });

  it("waits do not add up: whoever queued while others wait is answered with them", async () => {
    await start(1_000);
    expect(await tell("hold")).toBe("held");
    // One wait after the other would take longer than this test may.
    const drains = Array.from({ length: 60 }, () =>
      awareness.drainNotices({ watcherSessionKey }).catch(() => "refused"),
    );
    expect(await append("behind them")).toEqual(unavailable);
    expect(await Promise.all(drains)).toEqual(Array(60).fill("refused"));
  });

  it("reads go on and see everything that was answered before", async () => {
    await start(10_000);
    expect(await append("before")).toMatchObject({ recorded: true });
    await tell("hold");
    let settled = false;
    const waiting = append("late").finally(() => {
      settled = true;
    });
    expect(await loggedSummaries()).toEqual(["before"]);
    expect(await awareness.pendingNotices({ watcherSessionKey })).toHaveLength(1);
    expect(await awareness.ready()).toBe(true);
    expect(settled).toBe(false);
    await tell("release");
    expect(await waiting).toMatchObject({ recorded: true });
  });

  it("later appends succeed, no answered one is lost, and a failed one can be sent again", async () => {
    await start(200);
    expect(await append("before")).toMatchObject({ recorded: true });
    await tell("hold");
    expect(await append("during")).toEqual(unavailable);
    await tell("release");
    expect(await append("after")).toMatchObject({ recorded: true, duplicate: false });
    expect(await append("during")).toMatchObject({ recorded: true, duplicate: false });
    expect(await loggedSummaries()).toEqual(["before", "after", "during"]);
  });

  it("an append that the lock lets go of in time is recorded", async () => {
    await start(10_000);
    await tell("hold");
    const waiting = Promise.all(["one", "two", "three"].map(append));
    // A read that has come back shows that the appends have had their turn to ask for the lock.
    expect(await loggedSummaries()).toEqual([]);
    await tell("release");
    expect(await waiting).toMatchObject([{ recorded: true }, { recorded: true }, { recorded: true }]);
    expect(await loggedSummaries()).toEqual(["one", "two", "three"]);
  });

  it("nothing is left inside a transaction afterwards: the other process gets the lock at once", async () => {
    await start(200);
    for (const round of ["first", "second", "third"]) {
      expect(await tell("hold")).toBe("held");
      expect(await append(round)).toEqual(unavailable);
      await tell("release");
    }
    expect(await append("after")).toMatchObject({ recorded: true });
    expect(await tell("hold")).toBe("held");
  });

  it("a first sweep that finds the database locked is tried again soon, and the cap holds from then on", async () => {
    await start(200);
    await awareness.stop();
    await tell("hold");
    let pruned = 0;
    let count: () => void = () => {};
    const comesDown = new Promise<void>((resolve) => {
      count = () => pruned >= 1_990 && resolve();
    });
    const observe = {
      ...nobody,
      pruned(rows: number) {
        pruned += rows;
        count();
      },
    };
    const file = join(folder, "test.db");
    const limits = { retentionRetryMs: 20, retentionSlackRows: 10 };
    const log = pino({ level: "warn" }, { write: (line: string) => logged.push(line) });
    awareness = await startOnFile(file, { busyMs: 50, retentionRows: 10, limits, observe, log });
    while (!logged.some((line) => line.includes("retention did not finish"))) await nextTurn();
    await tell("release");
    for (let part = 0; part < 4; part += 1) {
      await awareness.appendMany(Array.from({ length: 500 }, (_, n) => event(`${part} ${n}`)));
    }
    await comesDown;
    expect((await loggedSummaries()).length).toBeLessThanOrEqual(10);
  });
});

function event(name: string): AppendInput {
  return { sessionKey, kind: "GOAL_CHANGED", actor: { type: "SYSTEM" }, summary: name, dedupeKey: name };
}
