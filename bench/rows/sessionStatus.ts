import { newDatabase, seed, seedEvents, urlOf, withFolder } from "../database.js";
import { checkedHttpLoad } from "../httpRow.js";
import { alternate } from "../measure.js";
import { statusOperation } from "../operations.js";
import { startServer } from "../processes.js";
import type { Row } from "../row.js";

const clients = 10;
const sessions = 50;

export const sessionStatus: Row = {
  name: "sessionStatus(changesSince) with 200 events by HTTP",
  what:
    "10 kept-alive connections from another process ask for the 200 events of a session among 50 such sessions, all " +
    "fields but the repeated key selected, against a field added to the schema of the same server process that answers " +
    "the same selection with the same 200 records, kept in memory.",
  run: (scale) =>
    withFolder(async (folder) => {
      const ms = scale.quick ? 500 : 1_500;
      const file = await newDatabase(folder, "bench.db");
      const events = { count: sessions * 200, perSession: 200, occurredAt: new Date(), prefix: "session-" };
      seed(file, (database) => seedEvents(database, events));
      const server = await startServer({ databaseUrl: urlOf(file), extraFields: true });
      const reading = (field: "sessionStatus" | "benchStatus") => ({
        connections: Array.from({ length: clients }, (_, client) => ({
          url: server.url,
          operation: statusOperation(field, `agent:bench:session-${client}`),
        })),
        expect: '"truncated":false',
      });
      const load = await checkedHttpLoad(reading("sessionStatus"));
      const pairs = await alternate(scale.samples, {
        ours: async () => (await load.run({ ...reading("sessionStatus"), ms })).perSecond,
        theirs: async () => (await load.run({ ...reading("benchStatus"), ms })).perSecond,
      });
      await Promise.all([load.generator.stop(), server.stop()]);
      return [
        {
          ...pairs,
          row: sessionStatus.name,
          comparator: "a resolver that returns the same 200 from memory",
          unit: "requests/s",
          goal: { atLeast: 0.75 },
          generator: { capacity: load.capacity, asked: load.asked(), unit: "requests/s" },
        },
      ];
    }),
};
