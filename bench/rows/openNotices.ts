import type Database from "better-sqlite3";
import { newDatabase, openRaw, seed, seedWatches, timeText, withFolder } from "../database.js";
import { startDomain, target } from "../domain.js";
import { alternate, perSecond } from "../measure.js";
import { goalChanged } from "../operations.js";
import type { Row } from "../row.js";

export const openNotices: Row = {
  name: "opening 10,000 notices by one event",
  what:
    "One `append` of the domain to a target with 10,000 watchers, none of which has a notice pending, until it is durable, " +
    "against one raw `UPDATE … RETURNING` of the same 10,000 cursors with better-sqlite3 in a transaction of its own, all " +
    "returned rows read; between samples the notices are acknowledged, which is not measured.",
  run: (scale) =>
    withFolder(async (folder) => {
      const watchers = scale.quick ? 1_000 : 10_000;
      const pairs = Array.from({ length: watchers }, (_, index) => ({
        watcher: `agent:bench:watcher-${index}`,
        target,
      }));
      const files = [await newDatabase(folder, "ours.db"), await newDatabase(folder, "theirs.db")] as const;
      for (const file of files) seed(file, (database) => seedWatches(database, pairs, { lastSeen: 0, notified: 0 }));
      const domain = await startDomain(files[0]);
      const [beside, raw] = [openRaw(files[0]), openRaw(files[1])];
      const update = rawOpening(raw);
      let version = 0;
      const samples = await alternate(scale.samples * 2, {
        async ours() {
          acknowledgeAll(beside);
          return perSecond(watchers, () => domain.append(goalChanged(target, "agent:bench:producer")));
        },
        async theirs() {
          acknowledgeAll(raw);
          version += 1;
          return perSecond(watchers, () => update(version, watchers));
        },
      });
      await domain.stop();
      for (const database of [beside, raw]) database.close();
      return [
        {
          ...samples,
          row: openNotices.name,
          comparator: "raw UPDATE … RETURNING of 10,000 rows",
          unit: "notices/s",
          goal: { atLeast: 0.6 },
        },
      ];
    }),
};

function rawOpening(database: Database.Database): (version: number, expected: number) => void {
  const update = database.prepare(
    `UPDATE session_watch_cursors SET notified = ?, opened_at = ?, updated_at = ?
      WHERE target_session_key = ? AND target_agent_id = 'bench' AND notified = last_seen
      RETURNING id, watcher_session_key, target_session_key, target_agent_id, last_seen, notified`,
  );
  const inOneTransaction = database.transaction((version: number) => {
    const at = timeText(new Date());
    return update.all(version, at, at, target);
  });
  return (version, expected) => {
    const rows = inOneTransaction.immediate(version);
    if (rows.length !== expected) throw new Error(`${rows.length} rows were updated, not ${expected}`);
  };
}

/** Nothing is pending afterwards. The checkpoint keeps one side's log from being carried over into the next sample. */
function acknowledgeAll(database: Database.Database): void {
  database.exec("UPDATE session_watch_cursors SET last_seen = notified, opened_at = NULL WHERE notified > last_seen");
  database.pragma("wal_checkpoint(PASSIVE)");
}
