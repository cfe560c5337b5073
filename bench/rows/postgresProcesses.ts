import { checkedHttpLoad } from "../httpRow.js";
import type { OpenLoopLoad } from "../load/openLoop.js";
import { alternate, type Pairs } from "../measure.js";
import { appendOperation, call, drainAll, goalChanged, targetKey } from "../operations.js";
import { withPostgres } from "../postgres.js";
import { type Server, startProgram, startServer } from "../processes.js";
import type { Line, Row, Scale } from "../row.js";

const clients = 50;
const watcher = "agent:bench:watcher";
const noticeRate = 50;

export const postgresProcesses: Row = {
  name: "two PostgreSQL processes",
  what:
    "Two server processes on one embedded PostgreSQL. Append/s: 50 kept-alive HTTP connections from another process, 25 to each " +
    "server, against all 50 to one of them. Notice: as in the open-loop row at 50 events/s, p50 from the append on one " +
    "server to the notice on a WebSocket to the other, against the same on one server. PostgreSQL, both servers and the " +
    "generators share this machine.",
  run: (scale) =>
    withPostgres(async (postgres) => {
      const databaseUrl = await postgres.createDatabase();
      const first = await startServer({ databaseUrl });
      const second = await startServer({ databaseUrl });
      const lines = [await appendLine(scale, first, second), await noticeLine(scale, first, second)];
      await Promise.all([first.stop(), second.stop()]);
      return lines;
    }),
};

async function appendLine(scale: Scale, first: Server, second: Server): Promise<Line> {
  const ms = scale.quick ? 500 : 1_500;
  const loadOn = (servers: readonly [Server, Server]) => ({
    connections: Array.from({ length: clients }, (_, client) => ({
      url: servers[client % 2 === 0 ? 0 : 1].url,
      operation: appendOperation(goalChanged(`agent:bench:session-${client}`, "agent:bench:producer")),
    })),
    expect: '"recorded":true',
  });
  const load = await checkedHttpLoad(loadOn([first, second]));
  const pairs = await alternate(scale.samples, {
    ours: async () => (await load.run({ ...loadOn([first, second]), ms })).perSecond,
    theirs: async () => (await load.run({ ...loadOn([first, first]), ms })).perSecond,
  });
  await load.generator.stop();
  return {
    ...pairs,
    row: `${postgresProcesses.name}: append/s together`,
    comparator: "one process",
    unit: "requests/s",
    goal: { atLeast: 1.3 },
    generator: { capacity: load.capacity, asked: load.asked(), unit: "requests/s" },
  };
}

async function noticeLine(scale: Scale, first: Server, second: Server): Promise<Line> {
  const count = scale.quick ? 30 : 100;
  for (let index = 0; index < count; index += 1) {
    const input = { watcherSessionKey: watcher, targetSessionKey: targetKey(index) };
    await call(first.url, {
      query: "mutation ($input: WatchInput!) { watch(input: $input) { watched } }",
      variables: { input },
    });
  }
  const [across, within] = [await openLoop(first, second), await openLoop(first, first)];
  const measure = async (load: typeof across) => {
    const { p50 } = await load.call("run", { count, rate: noticeRate });
    await drainAll(first.url, watcher);
    return p50;
  };
  const pairs: Pairs = await alternate(scale.samples, { ours: () => measure(across), theirs: () => measure(within) });
  await Promise.all([across.stop(), within.stop()]);
  return {
    ...pairs,
    row: `${postgresProcesses.name}: notice across processes, p50`,
    comparator: "same process p50",
    unit: "ms",
    goal: { atMost: 3 },
  };
}

async function openLoop(appendOn: Server, noticeOn: Server) {
  const load = await startProgram<OpenLoopLoad>("load/openLoop.ts");
  await load.call("open", { appendUrl: appendOn.url, noticeUrl: noticeOn.url, watcher, bare: false });
  return load;
}
