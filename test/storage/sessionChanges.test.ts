import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import SQLite from "better-sqlite3";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { RunningAwareness } from "../../src/awareness/createAwareness.js";
import type { Database } from "../../src/storage/database.js";
import { openDatabase } from "../../src/storage/openDatabase.js";
import { loggedBetween, touchedSince } from "../../src/storage/sessionChanges.js";
import { appended, completed, hourMs, TestClock } from "../contract/domainContract.js";
import { startOnFile } from "../support/domain.js";

const folder = mkdtempSync(join(tmpdir(), "headsup-"));
const file = join(folder, "test.db");
const clock = new TestClock();
let awareness: RunningAwareness;
let database: Database;
beforeAll(async () => {
  awareness = await startOnFile(file, { clock });
  database = await openDatabase({ kind: "sqlite", file }, { busyMs: 1_000 });
});
afterAll(async () => {
  await Promise.all([awareness.stop(), database.close()]);
  rmSync(folder, { recursive: true, force: true });
});

const session = (name: string) => ({ sessionKey: `agent:logger:${name}`, agentId: "logger" });
const logged = async (after: number, upTo: number) =>
  (await loggedBetween(database.read, after, upTo)).map(({ sessionKey }) => sessionKey).sort();

test("who has logged between two sequences is found, also when some of the events have gone", async () => {
  const [a, b, c] = ["a", "b", "c"].map((name) => session(name).sessionKey) as [string, string, string];
  const before = await appended(awareness, completed(a));
  for (const key of [b, b, c]) await appended(awareness, completed(key));
  const last = await appended(awareness, completed(c));
  expect(await logged(before, last)).toEqual([b, c]);
  expect(await logged(last, last)).toEqual([]);
  await awareness.deleteSession({ sessionKey: b });
  expect(await logged(before, last)).toEqual([c]);
});

test("a look at what was logged reads a range of the log, and one at what was touched needs no whole table", () => {
  const reader = new SQLite(file, { readonly: true });
  const plan = (query: string) =>
    (reader.prepare(`EXPLAIN QUERY PLAN ${query}`).all() as { detail: string }[]).map(({ detail }) => detail);
  expect(
    plan("SELECT session_key FROM session_state_events WHERE sequence > 1 AND sequence <= 2 ORDER BY sequence LIMIT 9"),
  ).toEqual([expect.stringContaining("USING INTEGER PRIMARY KEY")]);
  for (const [table, column] of [
    ["sessions", "updated_at"],
    ["upstream_links", "last_checked_at"],
    ["session_watch_cursors", "updated_at"],
    ["session_endings", "ended_at"],
  ]) {
    expect(plan(`SELECT * FROM ${table} WHERE ${column} >= ''`)).toEqual([
      expect.stringMatching(/^SEARCH .* USING INDEX/),
    ]);
  }
  reader.close();
});

test("an ended watch and a deleted session are remembered for an hour, and forgotten by the pass after it", async () => {
  const since = clock.now();
  const names = async () =>
    (await touchedSince(database.read, since)).map((each) => [each.watcherSessionKey, each.sessionKey]);
  const [watcher, target] = [session("watcher").sessionKey, session("target").sessionKey];
  await awareness.watch({ watcherSessionKey: watcher, targetSessionKey: target });
  clock.moveOn(1);
  await awareness.deleteSession({ sessionKey: target });
  expect(await names()).toEqual(
    expect.arrayContaining([
      [null, target],
      [watcher, target],
    ]),
  );
  clock.moveOn(hourMs);
  await awareness.sweep();
  expect(await names()).toEqual(
    expect.arrayContaining([
      [null, target],
      [watcher, target],
    ]),
  );
  clock.moveOn(1);
  await awareness.sweep();
  expect((await names()).flat()).not.toContain(target);
});
