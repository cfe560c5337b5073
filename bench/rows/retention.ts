import { setTimeout as sleep } from "node:timers/promises";
import { newDatabase, seed, seedEvents, urlOf, withFolder } from "../database.js";
import { checkedHttpLoad } from "../httpRow.js";
import { alternate, median } from "../measure.js";
import { appendOperation, goalChanged } from "../operations.js";
import { startServer } from "../processes.js";
import type { Row } from "../row.js";
import type { Sweepable } from "../servers/sweepable.js";

const clients = 10;
const dayMs = 86_400_000;
/** While others write a sweep takes its time, the more the slower the machine is; then the load ends before it does. */
const measuredMaxMs = 5_000;

export const retention: Row = {
  name: "retention of 60,000 rows while 10 clients append",
  what:
    "The 99th percentile of how long an `append` takes for 10 kept-alive HTTP connections from another process, while the " +
    "server (the built service, told to sweep at a given moment) prunes 60,000 events of 40 days ago, while the sweep runs " +
    "and at most for 5 s of it, against the same load on the same process for as long, without a sweep.",
  run: (scale) =>
    withFolder(async (folder) => {
      const old = { count: scale.quick ? 6_000 : 60_000, perSession: 100 };
      const file = await newDatabase(folder, "bench.db");
      const server = await startServer<Sweepable>({
        databaseUrl: urlOf(file),
        program: "servers/sweepable.ts",
      });
      const append = {
        connections: Array.from({ length: clients }, (_, client) => ({
          url: server.url,
          operation: appendOperation(goalChanged(`agent:bench:session-${client}`, "agent:bench:producer")),
        })),
        expect: '"recorded":true',
      };
      const load = await checkedHttpLoad(append);
      await load.run({ ...append, ms: 1_000 });
      let sweeps = 0;
      let measuredMs = 0;
      const durations: number[] = [];
      const samples = await alternate(Math.min(scale.samples, 5), {
        async ours() {
          sweeps += 1;
          const occurredAt = new Date(Date.now() - 40 * dayMs);
          seed(file, (database) => seedEvents(database, { ...old, occurredAt, prefix: `old-${sweeps}-` }));
          await load.generator.call("start", append);
          const start = performance.now();
          const sweep = server.call("sweep");
          await Promise.race([sweep, sleep(measuredMaxMs)]);
          measuredMs = performance.now() - start;
          const { p99 } = await load.generator.call("stop");
          durations.push(await sweep);
          return p99;
        },
        async theirs() {
          await load.generator.call("start", append);
          await sleep(measuredMs);
          return (await load.generator.call("stop")).p99;
        },
      });
      const { perSecond } = await load.run({ ...append, ms: 500 });
      await Promise.all([load.generator.stop(), server.stop()]);
      return [
        {
          ...samples,
          row: retention.name,
          comparator: "the same without retention",
          unit: "ms (p99)",
          goal: { atMost: 2 },
          generator: { capacity: load.capacity, asked: perSecond, unit: "requests/s" },
          remark: `a sweep took ${Math.round(median(durations))} ms.`,
        },
      ];
    }),
};
