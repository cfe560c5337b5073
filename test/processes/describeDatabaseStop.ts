import { expect, test } from "vitest";
import type { HeadsupClient } from "../../src/client/index.js";
import type { TestPostgres } from "../support/postgres.js";
import { goal, watchAll } from "./describeCrossing.js";
import { hearOverEventStream, hearOverWebSocket } from "./heard.js";
import type { Pair } from "./pair.js";
import type { ServerProcess } from "./serverProcess.js";

const downMs = 3_000;

/** The database goes away and comes back; the processes and their clients stay. */
export function describeDatabaseStop(pair: Pair, postgres: () => TestPostgres): void {
  test("a database that stops for 3 s loses no notice and nothing answered, and needs no restart of servers or clients", async () => {
    const { servers, clients } = pair;
    const watcher = "agent:patient:main";
    const targets = ["agent:stop:a", "agent:stop:b", "agent:stop:c", "agent:stop:d"] as const;
    await watchAll(clients[0], watcher, targets);
    const states: string[] = [];
    const listeners = servers.map((server) => server.client({ onConnection: (state) => states.push(state) }));
    const streams = await Promise.all(servers.map(({ url }) => hearOverEventStream(url, watcher)));
    const subscribers = [...listeners.map((client) => hearOverWebSocket(client, watcher)), ...streams];
    await clients[0].append(goal(targets[0]));
    await clients[1].append(goal(targets[1]));
    await Promise.all(subscribers.map((heard) => heard.untilAll(targets.slice(0, 2))));

    const answered = appendUntilRefused(clients);
    await postgres().restart(async () => {
      const start = performance.now();
      while (performance.now() - start < downMs) {
        for (const [n, server] of servers.entries()) await expectUnavailable(server, clients[n === 0 ? 0 : 1]);
      }
    });

    expect(await clients[0].append(goal(targets[2]))).toMatchObject({ recorded: true });
    expect(await clients[1].append(goal(targets[3]))).toMatchObject({ recorded: true });
    await Promise.all(subscribers.map((heard) => heard.untilAll(targets)));
    for (const { all } of subscribers) expect([...all].sort()).toEqual(targets);
    expect(states).toEqual(["connected", "connected"]);
    expect(servers.map((server) => server.ended())).toEqual([null, null]);
    const log: number[] = [];
    for await (const { events } of clients[0].changes({ sessionKey: "agent:stop:load", changesSince: 0 })) {
      log.push(...events.map(({ sequence }) => sequence));
    }
    expect(log).toEqual(expect.arrayContaining(await answered));
  }, 60_000);

  /** The sequences of answered events; goes on until the database is gone. */
  async function appendUntilRefused(clients: readonly HeadsupClient[]): Promise<number[]> {
    const sequences: number[] = [];
    const append = async (client: HeadsupClient) => {
      for (;;) {
        const { event, reason } = await client.append(goal("agent:stop:load"));
        if (event === null) return expect(reason).toBe("STORAGE_UNAVAILABLE");
        sequences.push(event.sequence);
      }
    };
    await Promise.all(clients.map(append));
    return sequences;
  }
}

async function expectUnavailable(server: ServerProcess, client: HeadsupClient): Promise<void> {
  expect(await client.append(goal("agent:stop:load"))).toMatchObject({
    recorded: false,
    reason: "STORAGE_UNAVAILABLE",
  });
  await expect(client.sessionStatus({ sessionKey: "agent:stop:load" })).rejects.toMatchObject({
    code: "SERVICE_UNAVAILABLE",
  });
  expect((await fetch(new URL("/healthz", server.url))).status).toBe(200);
  expect((await fetch(new URL("/readyz", server.url))).status).toBe(503);
}
