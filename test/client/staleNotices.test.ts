import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { type ClientOptions, type ConnectionState, createClient, type HeadsupClient } from "../../src/client/index.js";
import { startTestService, type TestService } from "../support/server.js";
import { deferred } from "./scriptedServer.js";

const watcherSessionKey = "agent:lead:main";
const target = "agent:coder:subagent:work";

let folder: string;
let service: TestService;
const clients: HeadsupClient[] = [];
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "headsup-client-"));
  service = await startOn("0");
});
afterEach(async () => {
  for (const client of clients.splice(0)) client.close();
  await service.stop();
  await rm(folder, { recursive: true, force: true });
});

/** The product on this test's database file. */
function startOn(port: string): Promise<TestService> {
  return startTestService({ env: { DATABASE_URL: `file:${join(folder, "kept.db")}`, PORT: port } });
}

function clientOf(options: Partial<ClientOptions> = {}): HeadsupClient {
  const client = createClient({ url: service.url, ...options });
  clients.push(client);
  return client;
}

function humanWrites(client: HeadsupClient, sessionKey = target) {
  return client.append({ sessionKey, kind: "HUMAN_DIRECT_MESSAGE", actor: { type: "HUMAN" } });
}

describe("notices over the real service", () => {
  test("what is pending comes first, then each notice as it opens", async () => {
    const client = clientOf();
    await client.watch({ watcherSessionKey, targetSessionKey: target });
    await client.watch({ watcherSessionKey, targetSessionKey: "agent:other:main" });
    await humanWrites(client);
    const notices = client.staleNotices({ watcherSessionKey });
    const [pending] = await client.pendingNotices({ watcherSessionKey });
    expect((await notices.next()).value).toEqual(pending);
    await humanWrites(client);
    await humanWrites(client, "agent:other:main");
    expect((await notices.next()).value?.targetSessionKey).toBe("agent:other:main");
    await notices.return();
  });

  test("after a restart on the same port and file it subscribes again and is told again of what is pending", async () => {
    const states: ConnectionState[] = [];
    const [lost, back] = [deferred(), deferred()];
    const onConnection = (state: ConnectionState) => {
      states.push(state);
      if (state === "reconnecting") lost.resolve();
      if (states.length === 3) back.resolve();
    };
    const client = clientOf({ onConnection });
    await client.watch({ watcherSessionKey, targetSessionKey: target });
    const notices = client.staleNotices({ watcherSessionKey });
    await humanWrites(client);
    const told = (await notices.next()).value;

    const { port } = new URL(service.url);
    await service.stop();
    await lost.promise;
    service = await startOn(port);
    await back.promise;
    expect((await notices.next()).value).toEqual(told);
    expect(states).toEqual(["connected", "reconnecting", "connected"]);

    await client.drainNotices({ watcherSessionKey });
    await humanWrites(client);
    expect((await notices.next()).value?.changesSince).toBe(told?.notified);
  });

  test("a slow consumer finds the newest notice of each pair, not one for each that opened", async () => {
    const client = clientOf();
    // On the same socket: what the witness has been told of, the slow one has nearly all been sent.
    const witness = client.staleNotices();
    await client.watch({ watcherSessionKey, targetSessionKey: target });
    const slow = client.staleNotices({ watcherSessionKey });
    await humanWrites(client);
    const first = await slow.next();
    await witness.next();
    for (let round = 0; round < 5; round++) {
      await client.drainNotices({ watcherSessionKey });
      await humanWrites(client);
      await witness.next();
    }
    await client.watch({ watcherSessionKey, targetSessionKey: "agent:last:main" });
    await humanWrites(client, "agent:last:main");
    await witness.next();
    const seen = [first.value];
    while (seen.at(-1)?.targetSessionKey === target) seen.push((await slow.next()).value);
    const [pending] = await client.pendingNotices({ watcherSessionKey });
    expect(seen.at(-2)).toEqual(pending);
    expect(seen.length).toBeLessThanOrEqual(4);
  });

  test("leaving for await ends the subscription on the server", async () => {
    const ended = deferred();
    await service.stop();
    service = await startTestService({
      around: (awareness) => ({
        ...awareness,
        async subscribe(watcher) {
          const inner = await awareness.subscribe(watcher);
          const end = () => {
            ended.resolve();
            return inner.return?.() ?? Promise.resolve({ done: true, value: undefined });
          };
          const watched = { next: () => inner.next(), return: end, [Symbol.asyncIterator]: () => watched };
          return watched;
        },
      }),
    });
    const client = clientOf();
    await client.watch({ watcherSessionKey, targetSessionKey: target });
    await humanWrites(client);
    for await (const notice of client.staleNotices({ watcherSessionKey })) {
      expect(notice.targetSessionKey).toBe(target);
      break;
    }
    await ended.promise;
  });

  test("a watcher key that is refused ends it with the refusal", async () => {
    const failure = clientOf().staleNotices({ watcherSessionKey: "agent:no" }).next();
    await expect(failure).rejects.toMatchObject({ code: "BAD_USER_INPUT", field: "watcherSessionKey" });
  });
});
