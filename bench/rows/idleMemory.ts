import { join } from "node:path";
import { urlOf, withFolder } from "../database.js";
import type { IdleLoad } from "../load/idle.js";
import { alternate, type Pairs } from "../measure.js";
import { noticeSubscription, type Operation } from "../operations.js";
import { type Program, startProgram, startServer } from "../processes.js";
import type { Goal, Line, Row } from "../row.js";
import type { ExtraCommands } from "../servers/extraFields.js";
import type { PlainSubscriptions } from "../servers/plainSubscriptions.js";

const withGc = ["--expose-gc"];
type Measurable = Program<{ memory(): Promise<number> }>;

export const idleMemory: Row = {
  name: "memory per idle subscription",
  what:
    "What the server's heap and external memory grow by, after garbage collection, when another process opens 1,000 " +
    "WebSockets with one `staleNotice` subscription of its own watcher each, divided by 1,000, against the very same messages " +
    "to a plain graphql-ws server (ws, graphql-js, no Yoga) where that subscription never emits; new processes for each " +
    "sample. The second line has the smallest subscription there is instead, `subscription { silent }`: plain graphql-ws " +
    "keeps each subscription's parsed document, so a long one costs it more.",
  run: (scale) =>
    withFolder(async (folder) => {
      const count = scale.quick ? 200 : 1_000;
      const same = Array.from({ length: count }, (_, index) => noticeSubscription(`agent:bench:watcher-${index}`));
      const smallest = same.map((): Operation => ({ query: "subscription { silent }", variables: {} }));
      const smallestSamples: number[] = [];
      const samples = await alternate(Math.min(scale.samples, 5), {
        async ours() {
          const databaseUrl = urlOf(join(folder, "bench.db"));
          const server = await startServer<ExtraCommands>({ databaseUrl, nodeOptions: withGc, extraFields: true });
          return growth(server, server.url, same);
        },
        async theirs() {
          smallestSamples.push(await plainGrowth(smallest));
          return plainGrowth(same);
        },
      });
      return [
        line(idleMemory.name, "a plain graphql-ws subscription that never emits", samples, { atMost: 1.2 }),
        line(
          `${idleMemory.name}: against the smallest`,
          "the smallest plain graphql-ws subscription that never emits",
          { ours: samples.ours, theirs: smallestSamples.slice(1) }, // the first is the one that `alternate` throws away
          { atMost: 1.2 },
        ),
      ];
    }),
};

function line(row: string, comparator: string, samples: Pairs, goal: Goal): Line {
  return { ...samples, row, comparator, unit: "KiB", goal };
}

async function plainGrowth(operations: Operation[]): Promise<number> {
  const server = await startProgram<PlainSubscriptions>("servers/plainSubscriptions.ts", withGc);
  return growth(server, await server.call("url"), operations);
}

/** KiB per subscription. Ends the server. */
async function growth(server: Measurable, url: string, operations: Operation[]): Promise<number> {
  const load = await startProgram<IdleLoad>("load/idle.ts");
  // What the first few cost once and for all is not a subscription's.
  await load.call("open", { url, operations: operations.slice(0, 50) });
  const before = await server.call("memory");
  const counted = operations.slice(50);
  await load.call("open", { url, operations: counted });
  const after = await server.call("memory");
  await load.stop();
  await server.stop();
  return (after - before) / counted.length / 1_024;
}
