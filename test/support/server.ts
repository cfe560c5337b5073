import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Writable } from "node:stream";
import { pino } from "pino";
import { createAwareness, type RunningAwareness } from "../../src/awareness/createAwareness.js";
import type { Clock } from "../../src/clock.js";
import { limits, loadConfig } from "../../src/config.js";
import { startService } from "../../src/service.js";
import { createSources } from "../../src/upstream/sources.js";

export type GraphQLAnswer = {
  // biome-ignore lint/suspicious/noExplicitAny: a test asserts on what it asked for itself
  data?: any;
  errors?: { message: string; path?: (string | number)[]; extensions: { code: string; field?: string } }[];
};

export type TestServiceOptions = {
  /** Off unless a test is about access. */
  auth?: "on" | "off";
  env?: Record<string, string>;
  clock?: Clock;
  keepAliveMs?: number;
  /** Stands between the server and the real domain, to hold a call back or to look on. */
  around?: (awareness: RunningAwareness) => RunningAwareness;
};

/** The product on a port and a SQLite file of its own. */
export type TestService = {
  url: string;
  /** `url` without its path. */
  origin: string;
  wsUrl: string;
  awareness: RunningAwareness;
  /** Every line that was logged. */
  logged: readonly string[];
  gql(query: string, variables?: Record<string, unknown>): Promise<GraphQLAnswer>;
  /** Posts a body as it is. */
  post(body: string, headers?: Record<string, string>): Promise<Response>;
  /** Stops the service and removes its folder. Safe to call twice. */
  stop(): Promise<void>;
};

/** Starts the product as `main` does, in this process. */
export async function startTestService(options: TestServiceOptions = {}): Promise<TestService> {
  const { env = {}, keepAliveMs, clock, around = (awareness) => awareness } = options;
  const folder = await mkdtemp(join(tmpdir(), "headsup-"));
  const config = loadConfig({
    DATABASE_URL: `file:${join(folder, "test.db")}`,
    PORT: "0",
    HEADSUP_AUTH: options.auth ?? "off",
    ...env,
  });
  const { log, logged } = keptLog();
  const awareness = around(await createAwareness({ ...config, limits, log, clock, sources: createSources(config) }));
  const service = await startService(config, { awareness, log, keepAliveMs });

  const post = (body: string, headers: Record<string, string> = {}) =>
    fetch(service.url, {
      method: "POST",
      headers: { "content-type": "application/json", accept: "application/json", ...headers },
      body,
    });
  return {
    url: service.url,
    origin: new URL(service.url).origin,
    wsUrl: service.url.replace(/^http/, "ws"),
    awareness,
    logged,
    post,
    async gql(query, variables) {
      const response = await post(JSON.stringify({ query, variables }));
      return (await response.json()) as GraphQLAnswer;
    },
    async stop() {
      await service.stop();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/** A log that can be read: every line that was written. */
export function keptLog() {
  const logged: string[] = [];
  const sink = new Writable({
    write(chunk: Buffer, _encoding, done) {
      logged.push(chunk.toString());
      done();
    },
  });
  return { log: pino({ level: "debug" }, sink), logged };
}
