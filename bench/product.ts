import { fileURLToPath } from "node:url";

/**
 * The product as it is built and shipped: `dist`, not `src`, so that no transpiler stands between the figures and
 * what users run. `src` lends its types only.
 */
const built = new URL("../dist/", import.meta.url);

export const mainProgram: string = fileURLToPath(new URL("main.js", built));

const load = (file: string) => import(new URL(file, built).href);

export const loadAwareness = (): Promise<typeof import("../src/awareness/createAwareness.js")> =>
  load("awareness/createAwareness.js");
export const loadConfig = (): Promise<typeof import("../src/config.js")> => load("config.js");
export const loadMonitor = (): Promise<typeof import("../src/upstream/monitor.js")> => load("upstream/monitor.js");
export const loadSources = (): Promise<typeof import("../src/upstream/sources.js")> => load("upstream/sources.js");
export const loadSchema = (): Promise<typeof import("../src/graphql/schema.js")> => load("graphql/schema.js");
export const loadService = (): Promise<typeof import("../src/service.js")> => load("service.js");
