import { newDatabase, seed, seedWatches, urlOf, withFolder } from "../database.js";
import type { OpenLoopLoad, OpenLoopResult } from "../load/openLoop.js";
import { alternate, median } from "../measure.js";
import { drainAll, targetKey } from "../operations.js";
import { startProgram, startServer } from "../processes.js";
import type { Line, Row } from "../row.js";
import type { BareServer } from "../servers/bare.js";

const watcher = "agent:bench:watcher";
const rate = 200;

export const noticeLatency: Row = {
  name: "append to receipt of the notice, 200 events/s, open loop",
  what:
    "200 times a second, whatever is still under way, one process sends an `append` on a WebSocket, each to another of the " +
    "targets of one watcher, and takes the time until that target's notice arrives on the watcher's own WebSocket, against " +
    "the same bytes, sent on the same timetable to a bare ws server that echoes them.",
  run: (scale) =>
    withFolder(async (folder) => {
      const count = scale.quick ? 200 : 500;
      const file = await newDatabase(folder, "bench.db");
      const pairs = Array.from({ length: count }, (_, index) => ({ watcher, target: targetKey(index) }));
      seed(file, (database) => seedWatches(database, pairs, { lastSeen: 0, notified: 0 }));
      const server = await startServer({ databaseUrl: urlOf(file) });
      const bare = await startProgram<BareServer>("servers/bare.ts");
      const [ourLoad, theirLoad] = [await startLoad(), await startLoad()];
      const bareUrl = await bare.call("url");
      await ourLoad.call("open", { appendUrl: server.url, noticeUrl: server.url, watcher, bare: false });
      await theirLoad.call("open", { appendUrl: bareUrl, noticeUrl: bareUrl, watcher, bare: true });
      const atTwice = await theirLoad.call("run", { count, rate: rate * 2 });

      const results: { ours: OpenLoopResult[]; theirs: OpenLoopResult[] } = { ours: [], theirs: [] };
      await alternate(scale.samples, {
        async ours() {
          results.ours.push(await ourLoad.call("run", { count, rate }));
          await drainAll(server.url, watcher);
          return 0;
        },
        async theirs() {
          results.theirs.push(await theirLoad.call("run", { count, rate }));
          return 0;
        },
      });
      await Promise.all([ourLoad.stop(), theirLoad.stop(), server.stop(), bare.stop()]);
      const late = median([...results.ours, ...results.theirs].map((result) => result.late));
      const remark =
        `the generator sent at most ${late.toFixed(2)} ms late (99th percentile); at twice the rate, with bare ws, ` +
        `${atTwice.late.toFixed(2)} ms late and p50 ${atTwice.p50.toFixed(2)} ms.`;
      return [line("p50", { atMost: 4 }, results, remark), line("p99", null, results)];
    }),
};

const startLoad = () => startProgram<OpenLoopLoad>("load/openLoop.ts");

function line(
  which: "p50" | "p99",
  goal: Line["goal"],
  results: { ours: OpenLoopResult[]; theirs: OpenLoopResult[] },
  remark?: string,
): Line {
  return {
    // The first of each is the one that `alternate` throws away.
    ours: results.ours.slice(1).map((result) => result[which]),
    theirs: results.theirs.slice(1).map((result) => result[which]),
    row: `${noticeLatency.name}: ${which}`,
    comparator: "bare ws echo of the same bytes",
    unit: "ms",
    goal,
    ...(remark === undefined ? {} : { remark }),
  };
}
