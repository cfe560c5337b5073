import { describe, expect, it } from "vitest";
import type { AppendInput, SessionEventKind } from "../../src/awareness/awareness.js";
import { ReferenceModel } from "./referenceModel.js";

const watcher = "agent:main:watcher";
const target = "agent:other:target";
const pair = { watcherSessionKey: watcher, targetSessionKey: target };
const dayMs = 24 * 60 * 60 * 1000;

function modelAt(version: number): ReferenceModel {
  const model = new ReferenceModel(new Date("2026-01-01T00:00:00Z"), 50_000);
  if (version > 0) model.append(event("COMPACTED"), version);
  return model;
}

function event(kind: SessionEventKind, actorId: string | null = null): AppendInput {
  const outcome = kind === "RUN_FAILED" ? "ERROR" : null;
  return { sessionKey: target, kind, actor: { type: "HUMAN", id: actorId }, outcome, summary: kind };
}

function cursor(model: ReferenceModel): string {
  const [shown] = model.allWatches();
  return shown === undefined ? "none" : `${shown.lastSeen}/${shown.notified}/${shown.material}`;
}

function passDays(model: ReferenceModel, days: number): void {
  model.now = new Date(model.now.getTime() + days * dayMs + 1);
  model.sweep();
}

describe("the reference model", () => {
  it("walks through the contract's worked example", () => {
    const model = modelAt(10);
    model.watch(pair);
    expect(cursor(model)).toBe("10/10/10");

    for (const number of [11, 12, 13]) model.append(event("HUMAN_DIRECT_MESSAGE"), number);
    expect(cursor(model)).toBe("10/11/13");
    expect(model.pendingNotices(watcher)).toMatchObject([{ changesSince: 10, notified: 11 }]);

    expect(model.drainNotices(watcher)).toMatchObject({ notices: [{ changesSince: 10 }], remaining: 1 });
    expect(cursor(model)).toBe("11/13/13");
    expect(model.pendingNotices(watcher)).toMatchObject([{ changesSince: 11, notified: 13 }]);

    expect(model.drainNotices(watcher)).toMatchObject({ notices: [{ changesSince: 11 }], remaining: 0 });
    expect(cursor(model)).toBe("13/13/13");
    expect(model.drainNotices(watcher)).toEqual({ notices: [], remaining: 0 });
  });

  it("opens nothing for log-only events and for the watcher's own", () => {
    const model = modelAt(10);
    model.watch(pair);
    for (const kind of ["RUN_COMPLETED", "RUN_FAILED", "COMPACTED", "ADOPTED"] as const) model.append(event(kind));
    model.append(event("GOAL_CHANGED", watcher));
    expect(cursor(model)).toBe("10/10/10");
    expect(model.pendingNotices(watcher)).toEqual([]);
  });

  it("does not reopen for own events that followed the notice", () => {
    const model = modelAt(10);
    model.watch(pair);
    model.append(event("GOAL_CHANGED"), 11);
    model.append(event("GOAL_CHANGED", watcher), 12);
    expect(cursor(model)).toBe("10/11/11");
    model.drainNotices(watcher);
    expect(cursor(model)).toBe("11/11/11");
  });

  it("opens one new notice for material beyond what was reconciled, and none for what was covered", () => {
    const model = modelAt(10);
    model.watch(pair);
    for (const number of [11, 12, 13]) model.append(event("GOAL_CHANGED"), number);
    model.reconcile({ ...pair, upTo: 10 });
    expect(cursor(model)).toBe("10/11/13");
    model.reconcile({ ...pair, upTo: 12 });
    expect(model.pendingNotices(watcher)).toMatchObject([{ changesSince: 12, notified: 13 }]);
    model.reconcile({ ...pair, upTo: 13 });
    expect(cursor(model)).toBe("13/13/13");
    expect(() => model.reconcile({ ...pair, upTo: 14 })).toThrow("above the head");
  });

  it("names a notice by its watch and what was shown", () => {
    const model = modelAt(10);
    model.watch(pair);
    for (const number of [11, 12]) model.append(event("GOAL_CHANGED"), number);
    const first = { serial: "watch1", notified: 11 };
    const notShownYet = { serial: "watch1", notified: 12 };
    const unknown = { outcome: "UNKNOWN", reopened: null };
    const already = { outcome: "ALREADY_ACKNOWLEDGED", reopened: null };
    expect(model.acknowledge("agent:main:somebody-else", [first])).toEqual([unknown]);
    expect(model.acknowledge(watcher, [first, notShownYet, first])).toMatchObject([
      { outcome: "ACKNOWLEDGED", reopened: { changesSince: 11, notified: 12 } },
      unknown,
      already,
    ]);
    expect(model.acknowledge(watcher, [first])).toEqual([already]);
    model.unwatch(pair);
    model.watch(pair);
    expect(model.acknowledge(watcher, [first])).toEqual([unknown]);
  });

  it("seeds the parent's cursor with a spawn and moves an existing one only while nothing is pending", () => {
    const model = modelAt(10);
    model.append(event("CHILD_SPAWNED", watcher), 11);
    expect(cursor(model)).toBe("11/11/11");
    model.append(event("CHILD_SPAWNED", watcher), 12);
    expect(cursor(model)).toBe("12/12/12");
    model.append(event("GOAL_CHANGED"), 13);
    model.append(event("CHILD_SPAWNED", watcher), 14);
    expect(cursor(model)).toBe("12/13/13");
    expect(model.sessionsList()).toMatchObject([{ sessionKey: target, spawnedBy: watcher, stateVersion: 14 }]);
  });

  it("logs a human message only while somebody watches, and knows a dedupe key before it asks that", () => {
    const model = modelAt(0);
    const message = { ...event("HUMAN_DIRECT_MESSAGE"), dedupeKey: "one" };
    expect(model.append(message)).toMatchObject({ recorded: false, reason: "NOT_WATCHED" });
    model.watch(pair);
    expect(model.append(message)).toMatchObject({ recorded: true, duplicate: false });
    model.unwatch(pair);
    expect(model.append(message)).toMatchObject({ recorded: true, duplicate: true, event: { sequence: 1 } });
  });

  it("has a gap below the watermark and none at it", () => {
    const model = modelAt(10);
    passDays(model, 31);
    model.append(event("GOAL_CHANGED"), 20);
    expect(model.sessionStatus({ sessionKey: target }, 9).stateChanges?.historyGap).toBe(true);
    expect(model.sessionStatus({ sessionKey: target }, 10).stateChanges).toMatchObject({
      historyGap: false,
      events: [{ sequence: 20 }],
    });
    expect(() => model.sessionStatus({ sessionKey: target }, 21)).toThrow("above every number");
  });

  it("draws a line at a delete, which a later session starts at and which is remembered for 30 days", () => {
    const model = modelAt(10);
    expect(model.deleteSession({ sessionKey: target })).toEqual({ deleted: true });
    model.append({ ...event("COMPACTED"), sessionKey: "agent:main:elsewhere" }, 12);
    expect(model.sessionStatus({ sessionKey: target }, 10)).toMatchObject({ session: null, stateVersion: 0 });
    const changes = (since: number) => model.sessionStatus({ sessionKey: target }, since).stateChanges;
    expect(changes(10)).toMatchObject({ historyGap: true, nextChangesSince: 11 });
    expect(changes(11)).toMatchObject({ historyGap: false, nextChangesSince: 11 });
    model.watch(pair);
    expect(cursor(model)).toBe("11/11/11");
    passDays(model, 29);
    expect(changes(10)?.historyGap).toBe(true);
    passDays(model, 2);
    expect(changes(10)).toMatchObject({ historyGap: false, nextChangesSince: 10 });
  });

  it("ends a watch only when neither it nor its target's material moved for 30 days", () => {
    const model = modelAt(10);
    model.watch(pair);
    passDays(model, 20);
    model.append(event("GOAL_CHANGED", watcher), 11);
    passDays(model, 20);
    expect(cursor(model)).toBe("10/10/10");
    passDays(model, 20);
    expect(cursor(model)).toBe("none");
  });
});
