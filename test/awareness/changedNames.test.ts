import { expect, test } from "vitest";
import { ChangedNames, changedBy } from "../../src/awareness/changedNames.js";
import { toNewEvent } from "../../src/awareness/signalLog.js";

const now = new Date("2026-11-30T12:00:00Z");
const worker = { sessionKey: "agent:worker:main", agentId: "worker" };
const pair = { watcherSessionKey: "agent:boss:main", targetSessionKey: worker.sessionKey, targetAgentId: "worker" };

test("what is kept for followers of sessions is names only, each once", () => {
  const { event } = toNewEvent({ ...worker, kind: "GOAL_CHANGED", actor: { type: "SYSTEM" }, summary: "a line" }, now);
  const notice = { ...pair, watchId: 1, changesSince: 0, notified: 1, openedAt: now };
  const changed = changedBy({ changed: [event, event], opened: [notice], closed: [{ ...pair, watchId: 1, upTo: 1 }] });
  expect(changed).toEqual({ sessions: [worker], pairs: [pair] });
});

test("more names than are kept become one: look yourselves", () => {
  const names = new ChangedNames(2);
  expect(names.isEmpty).toBe(true);
  names.add({ sessions: [worker, worker], pairs: [pair] });
  expect(names.take()).toEqual({ sessions: [worker], pairs: [pair] });
  expect(names.isEmpty).toBe(true);
  names.add({ sessions: [worker, { ...worker, sessionKey: "global" }], pairs: [pair] });
  names.add({ sessions: [worker], pairs: [] });
  expect(names.isEmpty).toBe(false);
  expect(names.take()).toBeNull();
  expect(names.take()).toEqual({ sessions: [], pairs: [] });
});
