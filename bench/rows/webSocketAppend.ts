import { join } from "node:path";
import { urlOf, withFolder } from "../database.js";
import { checkedHttpLoad } from "../httpRow.js";
import type { WebSocketLoad } from "../load/webSocket.js";
import { alternate } from "../measure.js";
import { appendOperation, goalChanged } from "../operations.js";
import { startProgram, startServer } from "../processes.js";
import type { Row } from "../row.js";
import type { BareServer } from "../servers/bare.js";

const clients = 50;
const operations = Array.from({ length: clients }, (_, client) =>
  appendOperation(goalChanged(`agent:bench:session-${client}`, "agent:bench:producer")),
);
const expect = '"recorded":true';

export const webSocketAppend: Row = {
  name: "WebSocket append, 50 connections",
  what:
    "50 graphql-transport-ws connections from another process, each beginning its next `append` when the one before is " +
    "complete, against 50 kept-alive HTTP connections that send the same operations to the same server process.",
  run: (scale) =>
    withFolder(async (folder) => {
      const ms = scale.quick ? 500 : 1_500;
      const server = await startServer({ databaseUrl: urlOf(join(folder, "bench.db")) });
      const { url } = server;
      const http = { connections: operations.map((operation) => ({ url, operation })), expect };
      const httpLoad = await checkedHttpLoad(http);
      const { generator, capacity } = await checkedWebSocketLoad(url);
      let asked = 0;
      const pairs = await alternate(scale.samples, {
        async ours() {
          const { perSecond } = await generator.call("run", { url, operations, expect, graphql: true, ms });
          asked = Math.max(asked, perSecond);
          return perSecond;
        },
        theirs: async () => (await httpLoad.run({ ...http, ms })).perSecond,
      });
      await Promise.all([generator.stop(), httpLoad.generator.stop(), server.stop()]);
      return [
        {
          ...pairs,
          row: webSocketAppend.name,
          comparator: "the same by HTTP",
          unit: "requests/s",
          goal: { atLeast: 1.5 },
          generator: { capacity, asked, unit: "operations/s" },
        },
      ];
    }),
};

/** The generator, and how much it can do against a bare ws server that sends the same answers. */
async function checkedWebSocketLoad(url: string) {
  const generator = await startProgram<WebSocketLoad>("load/webSocket.ts");
  const bare = await startProgram<BareServer>("servers/bare.ts");
  const [operation] = operations;
  if (operation === undefined) throw new Error("there are operations");
  await bare.call("answerSockets", await generator.call("answers", { url, operation }));
  const load = { url: await bare.call("url"), operations, expect, graphql: false, ms: 700 };
  await generator.call("run", load); // not compiled yet
  const { perSecond: capacity } = await generator.call("run", load);
  await bare.stop();
  return { generator, capacity };
}
