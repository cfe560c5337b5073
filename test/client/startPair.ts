import { afterEach, beforeEach, vi } from "vitest";
import { type ClientOptions, createClient } from "../../src/client/index.js";
import { type Script, startScriptedServer } from "./scriptedServer.js";

const ends: (() => Promise<void> | void)[] = [];
// The wait before a reconnect is random from 0 on: here it is always 0.
beforeEach(() => void vi.spyOn(Math, "random").mockReturnValue(0));
afterEach(async () => {
  for (const end of ends.splice(0).reverse()) await end();
  vi.restoreAllMocks();
  vi.useRealTimers();
});

/** A scripted server, a client of it and that client's notices; all of it ends with the test. */
export async function startPair(script: Script, options: Partial<ClientOptions> = {}) {
  const server = await startScriptedServer(script);
  const client = createClient({ url: server.url, ...options });
  ends.push(server.stop, client.close);
  return { server, client, notices: client.staleNotices({ watcherSessionKey: "agent:lead:main" }) };
}
