import { expect, test } from "vitest";
import { toNewEvent } from "../../src/awareness/signalLog.js";
import { rounds } from "../../src/storage/batches.js";
import { goal, spawn } from "../contract/domainContract.js";

const now = new Date("2026-11-30T12:00:00Z");
const child = "agent:worker:subagent:child";
const spawned = spawn(child, "agent:boss:main");
const told = goal(child);

test.each([
  ["spawns of one child", Array(500).fill(spawned), 1],
  ["events of one child and then its spawns", [...Array(250).fill(told), ...Array(250).fill(spawned)], 1],
  ["spawns of many children", Array.from({ length: 500 }, (_, i) => spawn(`${child}${i}`, "agent:boss:main")), 1],
  ["spawns of one child and then its events", [...Array(250).fill(spawned), ...Array(250).fill(told)], 2],
  ["spawns and events of one child in turns", Array.from({ length: 500 }, (_, i) => (i % 2 ? told : spawned)), 251],
])("500 %s are as many rounds of statements as they must be", (_, inputs, expected) => {
  const events = inputs.map((input) => toNewEvent(input, now));
  const made = [...rounds(events)];
  expect(made.flat()).toEqual(events);
  expect(made).toHaveLength(expected);
});
