import { newDatabase, seed, seedWatches, withFolder } from "../database.js";
import { appendRate, startDomain, target } from "../domain.js";
import { alternate } from "../measure.js";
import type { Row } from "../row.js";

export const pendingWatchers: Row = {
  name: "append to a target with 10,000 pending watchers",
  what:
    "The row above on a target that 10,000 sessions watch, all of them with a notice pending, against the same domain, " +
    "the same load, on a target with one such watcher.",
  run: (scale) =>
    withFolder(async (folder) => {
      const rounds = scale.quick ? 30 : 300;
      const watched = async (name: string, watchers: number) => {
        const file = await newDatabase(folder, name);
        const pairs = Array.from({ length: watchers }, (_, index) => ({
          watcher: `agent:bench:watcher-${index}`,
          target,
        }));
        seed(file, (database) => seedWatches(database, pairs, { lastSeen: 0, notified: 1 }));
        return startDomain(file);
      };
      const many = await watched("many.db", scale.quick ? 1_000 : 10_000);
      const one = await watched("one.db", 1);
      const pairs = await alternate(scale.samples, {
        ours: () => appendRate(many, rounds),
        theirs: () => appendRate(one, rounds),
      });
      await Promise.all([many.stop(), one.stop()]);
      return [
        {
          ...pairs,
          row: pendingWatchers.name,
          comparator: "the same with 1 watcher",
          unit: "events/s",
          goal: { atLeast: 0.9 },
        },
      ];
    }),
};
