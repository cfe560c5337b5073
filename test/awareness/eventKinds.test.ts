import { describe, expect, test } from "vitest";
import { eventKinds } from "../../src/awareness/eventKinds.js";
import { oneLine } from "../../src/awareness/oneLine.js";
import { eventKindNames } from "../../src/storage/records.js";

describe("section 3: the kinds and what each does", () => {
  const kindsWith = (rule: "notifies" | "onlyWhileWatched" | "seedsCursor" | "needsOutcome") =>
    eventKindNames.filter((kind) => eventKinds[kind][rule]);

  test("the table has one row per kind", () => {
    expect(Object.keys(eventKinds).sort()).toEqual([...eventKindNames].sort());
  });

  test("human messages, goal changes and missing upstreams notify, nothing else does", () => {
    expect(kindsWith("notifies")).toEqual(["HUMAN_DIRECT_MESSAGE", "UPSTREAM_MISSING", "GOAL_CHANGED"]);
  });

  test("only human messages are logged only while somebody watches", () => {
    expect(kindsWith("onlyWhileWatched")).toEqual(["HUMAN_DIRECT_MESSAGE"]);
  });

  test("only CHILD_SPAWNED seeds a cursor", () => {
    expect(kindsWith("seedsCursor")).toEqual(["CHILD_SPAWNED"]);
  });

  test("only RUN_FAILED needs an outcome", () => {
    expect(kindsWith("needsOutcome")).toEqual(["RUN_FAILED"]);
  });

  test.each(eventKindNames)("%s has a default line that is one clean line", (kind) => {
    const { defaultSummary } = eventKinds[kind];
    expect(defaultSummary).not.toBe("");
    expect(oneLine(defaultSummary)).toBe(defaultSummary);
  });
});
