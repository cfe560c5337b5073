import { quantile } from "../measure.js";

/** One client of a closed loop: asks, waits for the answer, asks again. */
export type LoopClient = {
  /** One exchange; resolves with the size of its answer. */
  once(): Promise<number>;
  close(): void;
};

export type LoadResult = {
  count: number;
  perSecond: number;
  /** Milliseconds from a question to its answer. */
  p50: number;
  p99: number;
  /** The share of its core that this generator used. */
  busy: number;
};

/** Commands of a generator whose clients `open` makes: for a given time, or from `start` to `stop`. */
export function closedLoop<Options>(open: (options: Options) => Promise<LoopClient[]>) {
  let running: { stopping: boolean; done: Promise<LoadResult> } | undefined;

  const commands = {
    async run({ ms, ...options }: Options & { ms: number }): Promise<LoadResult> {
      // What is left after `ms` is taken out is `Options`, which the type system does not see through.
      await commands.start(options as unknown as Options);
      await new Promise((resolve) => setTimeout(resolve, ms));
      return commands.stop();
    },
    async start(options: Options): Promise<void> {
      const clients = await open(options);
      const state = { stopping: false };
      running = Object.assign(state, { done: measure(clients, state) });
      running.done.catch(() => undefined); // told by `stop`
    },
    async stop(): Promise<LoadResult> {
      if (running === undefined) throw new Error("nothing was started");
      running.stopping = true;
      return running.done;
    },
  };
  return commands;
}

async function measure(clients: LoopClient[], state: { stopping: boolean }): Promise<LoadResult> {
  const latencies: number[] = [];
  const start = performance.now();
  const cpu = process.cpuUsage();
  try {
    await Promise.all(
      clients.map(async (client) => {
        while (!state.stopping) {
          const asked = performance.now();
          await client.once();
          latencies.push(performance.now() - asked);
        }
      }),
    );
  } finally {
    for (const client of clients) client.close();
  }
  const elapsed = performance.now() - start;
  const { user, system } = process.cpuUsage(cpu);
  return {
    count: latencies.length,
    perSecond: (latencies.length / elapsed) * 1_000,
    p50: quantile(latencies, 0.5),
    p99: quantile(latencies, 0.99),
    busy: (user + system) / 1_000 / elapsed,
  };
}
