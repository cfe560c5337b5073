import { newDatabase, openRaw, urlOf, withFolder } from "../database.js";
import { checkedHttpLoad } from "../httpRow.js";
import { alternate, perSecond } from "../measure.js";
import { appendManyOperation, goalChanged } from "../operations.js";
import { startServer } from "../processes.js";
import { rawAppend } from "../rawAppend.js";
import type { Row } from "../row.js";

const clients = 4;
const eventsPerCall = 500;
const sessions = 50;

const events = Array.from({ length: eventsPerCall }, (_, index) =>
  goalChanged(`agent:bench:session-${index % sessions}`, "agent:bench:producer"),
);

export const httpAppendMany: Row = {
  name: "appendMany of 500 by HTTP, events/s",
  what:
    "4 kept-alive connections from another process call `appendMany` with 500 events of 50 sessions, `recorded event " +
    "{ sequence }` selected for each, against better-sqlite3 alone as in the first row, 500 of the same events in a " +
    "transaction.",
  run: (scale) =>
    withFolder(async (folder) => {
      const ms = scale.quick ? 500 : 1_500;
      const transactions = scale.quick ? 20 : 150;
      const server = await startServer({ databaseUrl: urlOf(await newDatabase(folder, "ours.db")) });
      const database = openRaw(await newDatabase(folder, "theirs.db"));
      const append = rawAppend(database);
      const operation = appendManyOperation(events);
      const calls = {
        connections: Array.from({ length: clients }, () => ({ url: server.url, operation })),
        expect: '"recorded":true',
      };
      const load = await checkedHttpLoad(calls);
      const pairs = await alternate(scale.samples, {
        ours: async () => (await load.run({ ...calls, ms })).perSecond * eventsPerCall,
        theirs: () =>
          perSecond(eventsPerCall * transactions, () => {
            for (let done = 0; done < transactions; done += 1) append(events);
          }),
      });
      database.close();
      await Promise.all([load.generator.stop(), server.stop()]);
      return [
        {
          ...pairs,
          row: httpAppendMany.name,
          comparator: "raw better-sqlite3, transactions of 500",
          unit: "events/s",
          goal: { atLeast: 0.4 },
          generator: { capacity: load.capacity, asked: load.asked(), unit: "requests/s" },
        },
      ];
    }),
};
