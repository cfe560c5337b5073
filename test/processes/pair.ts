import { afterAll, beforeAll } from "vitest";
import { createClient, type HeadsupClient } from "../../src/client/index.js";
import { type ServerProcess, startServer } from "./serverProcess.js";

/** Two server processes on one database, for all tests of a file. */
export type Pair = {
  readonly databaseUrl: string;
  readonly servers: readonly [ServerProcess, ServerProcess];
  /** A client of each, for calls. */
  readonly clients: readonly [HeadsupClient, HeadsupClient];
  /** Starts the second one anew, where it was. */
  restartSecond(): Promise<void>;
};

/** The second server has no slow poll to speak of: what reaches it has come by a hint, or after a new connection. */
const limits = { crossProcessSlowPollMs: 600_000 };

export function sharedPair(createDatabase: () => Promise<string>): Pair {
  let state: Omit<Pair, "restartSecond"> | undefined;
  const running = () => {
    if (state === undefined) throw new Error("the servers start before the tests");
    return state;
  };
  beforeAll(async () => {
    const databaseUrl = await createDatabase();
    const [one, other] = await Promise.all([startServer({ databaseUrl }), startServer({ databaseUrl, limits })]);
    state = { databaseUrl, servers: [one, other], clients: [createClient(one), createClient(other)] };
  }, 60_000);
  afterAll(() => Promise.all((state?.servers ?? []).map((server) => server.end("SIGTERM"))));
  return {
    get databaseUrl() {
      return running().databaseUrl;
    },
    get servers() {
      return running().servers;
    },
    get clients() {
      return running().clients;
    },
    async restartSecond() {
      const { databaseUrl, servers, clients } = running();
      const other = await startServer({ databaseUrl, port: servers[1].port, limits });
      state = { databaseUrl, servers: [servers[0], other], clients: [clients[0], createClient(other)] };
    },
  };
}
