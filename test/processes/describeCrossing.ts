import { describe, expect, test } from "vitest";
import type { HeadsupClient } from "../../src/client/index.js";
import { listening, openSocket } from "../server/clients.js";
import { startOn } from "../support/domain.js";
import { hearOverEventStream, hearOverWebSocket } from "./heard.js";
import type { Pair } from "./pair.js";
import type { ServerProcess } from "./serverProcess.js";

/** Section 7: a notice opened by any of several server processes reaches subscribers on all of them. */
export function describeCrossing(pair: Pair, tries: number): void {
  describe("two server processes on one database", () => {
    test("a notice opened by either reaches WebSocket and SSE subscribers of both, exactly once", async () => {
      const { servers, clients } = pair;
      const watcher = "agent:w:main";
      const targets = Array.from({ length: 12 }, (_, n) => `agent:t${n}:main`);
      await watchAll(clients[0], watcher, targets);
      const streams = await Promise.all(servers.map(({ url }) => hearOverEventStream(url, watcher)));
      const subscribers = [...servers.map((server) => hearOverWebSocket(server.client(), watcher)), ...streams];
      // The first is pending or new, as it comes; the others find everybody subscribed.
      await clients[0].append(goal(targets[0]));
      await Promise.all(subscribers.map((heard) => heard.untilAll(targets.slice(0, 1))));
      for (const [n, target] of targets.slice(1).entries()) await clients[n % 2 === 0 ? 1 : 0].append(goal(target));
      await Promise.all(subscribers.map((heard) => heard.untilAll(targets)));

      // What is heard twice comes before this.
      const last = ["agent:last:one", "agent:last:other"];
      await watchAll(clients[0], watcher, last);
      for (const [n, target] of last.entries()) await clients[n === 0 ? 0 : 1].append(goal(target));
      await Promise.all(subscribers.map((heard) => heard.untilAll(last)));
      for (const { all } of subscribers) expect([...all].sort()).toEqual([...targets, ...last].sort());
    });

    test(`a subscribe on one that races an append on the other is told exactly once, ${tries} times`, async () => {
      const { servers, clients } = pair;
      const socket = await openSocket(servers[1].url.replace(/^http/, "ws"));
      const told = new Map<string, string[]>();
      const groupSize = 25;
      for (let done = 0; done < tries; done += groupSize) {
        const group = Array.from({ length: groupSize }, (_, n) => `race${done + n}`);
        for (const name of group) told.set(name, []);
        await seed(group);
        const appends = group.map(async (name, n) => {
          // Before, at and after: the subscribe messages go out one after the other below.
          if (n % 3 > 0) await anAnswerOf(servers[1]);
          await clients[0].append(goal(`agent:target:${name}`));
        });
        for (const name of group) socket.subscribe(name, listening, { w: `agent:racer:${name}` });
        await Promise.all(appends);
        // Whatever comes twice comes before the notice of this later event.
        await clients[0].appendMany(group.map((name) => goal(`agent:fence:${name}`)));
        while (group.some((name) => told.get(name)?.includes("fence") !== true)) await hearOne();
        for (const name of group) socket.send({ type: "complete", id: name });
      }
      socket.socket.close();
      expect([...told].filter(([, heard]) => heard.join() !== "target,fence")).toEqual([]);

      async function hearOne(): Promise<void> {
        const { type, id = "", payload } = await socket.next();
        if (type === "next") told.get(id)?.push(payload.data.staleNotice.targetSessionKey.split(":")[1]);
      }
    });

    /** Each racer watches a target and a fence, by one call. */
    async function seed(group: readonly string[]): Promise<void> {
      const spawns = group.flatMap((name) =>
        ["target", "fence"].map((what) => ({
          sessionKey: `agent:${what}:${name}`,
          kind: "CHILD_SPAWNED" as const,
          actor: { type: "AGENT" as const, id: `agent:racer:${name}` },
        })),
      );
      await pair.clients[0].appendMany(spawns);
    }

    test("after a drain on one, the next notice is told on the other", async () => {
      const { servers, clients } = pair;
      const watcher = "agent:drains:main";
      const target = "agent:drained:main";
      await watchAll(clients[0], watcher, [target]);
      const heard = await hearOverEventStream(servers[1].url, watcher);
      for (let round = 1; round <= 4; round += 1) {
        await clients[0].append(goal(target));
        await heard.until((all) => all.length >= round);
        await clients[round % 2 === 0 ? 0 : 1].drainNotices({ watcherSessionKey: watcher });
      }
      expect(heard.all).toHaveLength(4);
    });

    test("a drain on one takes away what is undelivered on another", async () => {
      const client = pair.clients[0];
      const [watcher, target, next] = ["agent:slow:main", "agent:undelivered:main", "agent:delivered:main"];
      const [attentive, fence] = ["agent:attentive:main", "agent:fence:main"];
      await watchAll(client, watcher, [target, next]);
      await watchAll(client, attentive, [fence]);
      const other = await startOn(pair.databaseUrl);
      const slow = await other.subscribe(watcher);
      const quick = await other.subscribe(attentive);
      // Changes are heard of in their order: who has heard of a later one has heard of these.
      const otherHasHeard = async () => {
        await client.append(goal(fence));
        await quick.next();
        await client.drainNotices({ watcherSessionKey: attentive });
      };
      await client.append(goal(target));
      await otherHasHeard();
      expect((await client.drainNotices({ watcherSessionKey: watcher })).notices).toHaveLength(1);
      await otherHasHeard();
      await client.append(goal(next));
      expect((await slow.next()).value).toMatchObject({ targetSessionKey: next });
      await other.stop();
    });
  });
}

export function goal(sessionKey = "") {
  return { sessionKey, kind: "GOAL_CHANGED" as const, actor: { type: "SYSTEM" as const } };
}

export async function watchAll(client: HeadsupClient, watcherSessionKey: string, targets: readonly string[]) {
  await Promise.all(targets.map((targetSessionKey) => client.watch({ watcherSessionKey, targetSessionKey })));
}

async function anAnswerOf(server: ServerProcess): Promise<void> {
  await (await fetch(new URL("/healthz", server.url))).text();
}
