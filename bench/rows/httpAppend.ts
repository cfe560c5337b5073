import { join } from "node:path";
import { urlOf, withFolder } from "../database.js";
import { checkedHttpLoad } from "../httpRow.js";
import { alternate } from "../measure.js";
import { appendOperation, goalChanged, noOperation, type Operation } from "../operations.js";
import { startServer } from "../processes.js";
import type { Row } from "../row.js";

const clients = 50;

export const httpAppend: Row = {
  name: "HTTP append, 50 connections",
  what:
    "50 kept-alive connections from another process, each sending its next request when it is answered: the mutation " +
    "`append` with its input as a variable and `recorded event { sequence }` selected, against `mutation { benchNothing }` " +
    "without arguments, which a field added to the schema of the same server process answers with true; and, to tell the " +
    "share of GraphQL from that of the domain, against a mutation with the same input and answer that does nothing.",
  run: (scale) =>
    withFolder(async (folder) => {
      const ms = scale.quick ? 500 : 1_500;
      const server = await startServer({ databaseUrl: urlOf(join(folder, "bench.db")), extraFields: true });
      const all = (operation: (client: number) => Operation) =>
        Array.from({ length: clients }, (_, client) => ({ url: server.url, operation: operation(client) }));
      const input = (client: number) => goalChanged(`agent:bench:session-${client}`, "agent:bench:producer");
      const expect = '"recorded":true';
      const append = { connections: all((client) => appendOperation(input(client))), expect };
      const same = { connections: all((client) => appendOperation(input(client), "benchAppend")), expect };
      const nothing = { connections: all(() => noOperation), expect: '"benchNothing":true' };
      const load = await checkedHttpLoad(append);
      const shareless: number[] = [];
      const pairs = await alternate(scale.samples, {
        ours: async () => (await load.run({ ...append, ms })).perSecond,
        async theirs() {
          shareless.push((await load.run({ ...same, ms })).perSecond);
          return (await load.run({ ...nothing, ms })).perSecond;
        },
      });
      await Promise.all([load.generator.stop(), server.stop()]);
      const unit = "requests/s";
      return [
        {
          ...pairs,
          row: httpAppend.name,
          comparator: "a no-op mutation on the same server",
          unit,
          goal: { atLeast: 0.85 },
          generator: { capacity: load.capacity, asked: load.asked(), unit },
        },
        {
          ours: pairs.ours,
          theirs: shareless.slice(1), // the first is the one that `alternate` throws away
          row: `${httpAppend.name}: without GraphQL's share`,
          comparator: "a no-op with the same input and answer",
          unit,
          goal: null,
        },
      ];
    }),
};
