import { newDatabase, seed, seedWatches, urlOf, withFolder } from "../database.js";
import type { FanOutLoad } from "../load/fanOut.js";
import { alternate, median } from "../measure.js";
import { appendOperation, goalChanged, noticeSubscription } from "../operations.js";
import { startProgram, startServer } from "../processes.js";
import type { Row } from "../row.js";
import type { BareServer } from "../servers/bare.js";

const target = "agent:bench:target";
const append = appendOperation(goalChanged(target, "agent:bench:producer"));

export const fanOut: Row = {
  name: "one event to 2,000 graphql-ws subscribers",
  what:
    "One `append` by HTTP to a target that 2,000 sessions watch, each subscribed on a WebSocket of its own, timed from the " +
    "request to the last of the 2,000 notices (so opening and committing them is in it), against a bare ws server that " +
    "is told by HTTP to send a text of the same bytes to 2,000 sockets; the sockets are held by one other process per side.",
  run: (scale) =>
    withFolder(async (folder) => {
      const count = scale.quick ? 300 : 2_000;
      const watchers = Array.from(
        { length: count },
        (_, index) => `agent:bench:watcher-${String(index).padStart(4, "0")}`,
      );
      const file = await newDatabase(folder, "bench.db");
      const pairs = watchers.map((watcher) => ({ watcher, target }));
      seed(file, (database) => seedWatches(database, pairs, { lastSeen: 0, notified: 0 }));
      const server = await startServer({ databaseUrl: urlOf(file) });
      const bare = await startProgram<BareServer>("servers/bare.ts");
      const [ourLoad, theirLoad] = [await startLoad(), await startLoad()];
      await ourLoad.call("open", { url: server.url, operations: watchers.map(noticeSubscription), count });
      const bareUrl = await bare.call("url");
      await theirLoad.call("open", { url: bareUrl, operations: [], count });

      const busy = { ours: [0], theirs: [0] };
      const samples = await alternate(scale.samples, {
        async ours() {
          const done = await ourLoad.call("trigger", { url: server.url, operation: append });
          await bare.call("answerHttp", done.sample);
          await ourLoad.call("drain", { url: server.url, watchers });
          busy.ours.push(done.busy);
          return (count / done.ms) * 1_000;
        },
        async theirs() {
          const done = await theirLoad.call("trigger", {
            url: bareUrl.replace("/graphql", "/broadcast"),
            operation: append,
          });
          busy.theirs.push(done.busy);
          return (count / done.ms) * 1_000;
        },
      });
      await Promise.all([ourLoad.stop(), theirLoad.stop(), server.stop(), bare.stop()]);
      const share = (values: number[]) => `${Math.round(median(values.slice(1)) * 100)} %`;
      return [
        {
          ...samples,
          row: fanOut.name,
          comparator: "bare ws sending the same bytes",
          unit: "deliveries/s",
          goal: { atLeast: 0.4 },
          generator: { capacity: median(samples.theirs), asked: median(samples.ours), unit: "deliveries/s" },
          remark: `the receiving process used ${share(busy.ours)} of a core here and ${share(busy.theirs)} with bare ws.`,
        },
      ];
    }),
};

const startLoad = () => startProgram<FanOutLoad>("load/fanOut.ts");
