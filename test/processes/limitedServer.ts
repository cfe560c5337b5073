import { pino } from "pino";
import { createAwareness } from "../../src/awareness/createAwareness.js";
import { limits, loadConfig } from "../../src/config.js";
import { startService } from "../../src/service.js";

/** The product, but for bounds of the domain that no variable changes: those that `LIMITS` names are as it says. */
const config = loadConfig(process.env);
const log = pino({ level: config.logLevel }, pino.destination({ dest: 2, sync: true }));
const changed = { ...limits, ...JSON.parse(process.env.LIMITS ?? "{}") };
const awareness = await createAwareness({ ...config, limits: changed, log });
const { url } = await startService(config, { awareness, log });
process.stdout.write(`headsup ready at ${url}\n`);
