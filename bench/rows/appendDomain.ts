import { newDatabase, openRaw, seed, seedWatches, withFolder } from "../database.js";
import { appendRate, events, producers, startDomain, target } from "../domain.js";
import { alternate, perSecond } from "../measure.js";
import { rawAppend } from "../rawAppend.js";
import type { Row } from "../row.js";

export const appendDomain: Row = {
  name: "append through the domain, 64 producers, 1 watcher",
  what:
    "64 loops in one process call `append` of the domain on one watched target, each its next event when the one before " +
    "is durable, against better-sqlite3 alone in the same process: insert the event, move the head, open what is idle, " +
    "each prepared once, 64 events in a transaction, the same tables and `synchronous=FULL`, each side on a file of its own.",
  run: (scale) =>
    withFolder(async (folder) => {
      const rounds = scale.quick ? 30 : 400;
      const [ourFile, theirFile] = [await newDatabase(folder, "ours.db"), await newDatabase(folder, "theirs.db")];
      for (const file of [ourFile, theirFile]) {
        seed(file, (database) =>
          seedWatches(database, [{ watcher: "agent:bench:watcher", target }], { lastSeen: 0, notified: 0 }),
        );
      }
      const domain = await startDomain(ourFile);
      const database = openRaw(theirFile);
      const append = rawAppend(database);
      const pairs = await alternate(scale.samples, {
        ours: () => appendRate(domain, rounds),
        theirs: () =>
          perSecond(producers * rounds, () => {
            for (let round = 0; round < rounds; round += 1) append(events);
          }),
      });
      await domain.stop();
      database.close();
      return [
        {
          ...pairs,
          row: appendDomain.name,
          comparator: "raw better-sqlite3, the same statements, transactions of 64, same synchronous",
          unit: "events/s",
          goal: { atLeast: 0.6 },
        },
      ];
    }),
};
