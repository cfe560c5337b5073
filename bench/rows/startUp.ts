import { newDatabase, seed, seedEvents, seedWatches, urlOf, withFolder } from "../database.js";
import { alternate } from "../measure.js";
import { startServer } from "../processes.js";
import type { Row } from "../row.js";

export const startUp: Row = {
  name: "start to ready with 50,000 events and 10,000 pending cursors",
  what:
    "From the start of `node dist/main.js` as a process to its line that it is ready, on a database with 50,000 fresh " +
    "events in 500 sessions and 10,000 cursors with a notice pending, against the same on a database with all tables and " +
    "no rows (so neither side migrates).",
  run: (scale) =>
    withFolder(async (folder) => {
      const size = scale.quick ? { events: 5_000, cursors: 1_000 } : { events: 50_000, cursors: 10_000 };
      const [full, empty] = [await newDatabase(folder, "full.db"), await newDatabase(folder, "empty.db")];
      seed(full, (database) => {
        seedEvents(database, { count: size.events, perSession: 100, occurredAt: new Date(), prefix: "session-" });
        const pairs = Array.from({ length: size.cursors }, (_, index) => ({
          watcher: `agent:bench:watcher-${Math.floor(index / 10)}`,
          target: `agent:bench:session-${index % 10}`,
        }));
        seedWatches(database, pairs, { lastSeen: 0, notified: 1 });
      });
      const startOn = async (file: string) => {
        const server = await startServer({ databaseUrl: urlOf(file) });
        await server.stop();
        return server.readyMs;
      };
      const samples = await alternate(scale.samples, { ours: () => startOn(full), theirs: () => startOn(empty) });
      return [
        {
          ...samples,
          row: startUp.name,
          comparator: "start with an empty database",
          unit: "ms",
          goal: { atMost: 1.3 },
        },
      ];
    }),
};
