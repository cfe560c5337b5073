import type { HttpLoad, HttpLoadOptions, LoadResult } from "./load/http.js";
import { type Program, startProgram } from "./processes.js";
import type { BareServer } from "./servers/bare.js";

/** A generator of HTTP load, and how much it can do. */
export type CheckedHttpLoad = {
  run(options: HttpLoadOptions & { ms: number }): Promise<LoadResult>;
  generator: Program<HttpLoad>;
  /** Requests per second that it reached against the cheapest server that gives the same answer. */
  capacity: number;
  /** The highest rate that it was asked for since. */
  asked(): number;
};

/** Starts a generator and checks it with this load, against a bare server that gives the first real answer to it. */
export async function checkedHttpLoad(load: HttpLoadOptions): Promise<CheckedHttpLoad> {
  const generator = await startProgram<HttpLoad>("load/http.ts");
  const bare = await startProgram<BareServer>("servers/bare.ts");
  const [first] = load.connections;
  if (first === undefined) throw new Error("a load has connections");
  await bare.call("answerHttp", await generator.call("answer", first));
  const url = await bare.call("url");
  const connections = load.connections.map(({ operation }) => ({ url, operation }));
  const once = () => generator.call("run", { ...load, connections, ms: 700 });
  await once(); // not compiled yet
  const { perSecond: capacity } = await once();
  await bare.stop();
  let most = 0;
  return {
    generator,
    capacity,
    asked: () => most,
    async run(options) {
      const result = await generator.call("run", options);
      most = Math.max(most, result.perSecond);
      return result;
    },
  };
}
