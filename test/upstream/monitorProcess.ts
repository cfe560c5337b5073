import { pino } from "pino";
import { createAwareness } from "../../src/awareness/createAwareness.js";
import { limits, loadConfig } from "../../src/config.js";
import { Monitor } from "../../src/upstream/monitor.js";
import { createSources } from "../../src/upstream/sources.js";

/** The service without its front door, joined as in service.ts: domain, sources and monitor, until it is killed. */
const config = loadConfig(process.env);
const log = pino({ level: "silent" });
const sources = createSources(config);
const awareness = await createAwareness({ ...config, limits, log, sources });
const { monitoring: desk, onLinksChanged } = awareness;
const { monitorIntervalMs: intervalMs, monitorFirstMs: firstMs } = config;
new Monitor({ desk, onLinksChanged, sources, log, limits, nodeId: "local", intervalMs, firstMs }).start();
process.stdout.write("ready\n");
