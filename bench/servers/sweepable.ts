import { loadConfig as loadConfigModule, loadService } from "../product.js";
import { serve } from "../worker.js";

/** The built product as its main program starts it, with one thing more: it sweeps when the bench says so. */
const [{ startService }, { loadConfig }] = await Promise.all([loadService(), loadConfigModule()]);
const service = await startService(loadConfig(process.env));
process.once("SIGTERM", () => void service.stop().then(() => process.exit(0)));
process.stdout.write(`headsup ready at ${service.url}\n`);

const commands = {
  /** One whole retention pass; how many milliseconds it took. */
  async sweep(): Promise<number> {
    const start = performance.now();
    await service.awareness.sweep();
    return performance.now() - start;
  },
};
export type Sweepable = typeof commands;
serve(commands);
