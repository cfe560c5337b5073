import { getEventListeners, once } from "node:events";
import { describe, expect, test } from "vitest";
import { HeadsupError } from "../../src/client/index.js";
import { deferred, errorMessage, noticeMessage, type Script } from "./scriptedServer.js";
import { startPair } from "./startPair.js";

describe("what no reconnect can mend ends the iterable", () => {
  const closing = (code: number): Script => ({ connectionInit: ({ socket }) => socket.close(code, "no") });
  const answering = (message: (id: string) => Record<string, unknown>): Script => ({
    subscribe: (peer, id) => peer.send(message(id)),
  });
  const data = { data: null, errors: [{ message: "no", extensions: { code: "FORBIDDEN" } }] };

  test.each<[string, string, Script]>([
    ["close code 4400", "BAD_USER_INPUT", closing(4400)],
    ["close code 4401", "UNAUTHENTICATED", closing(4401)],
    ["close code 4403", "FORBIDDEN", closing(4403)],
    ["an upgrade refused with 401", "UNAUTHENTICATED", { refuseUpgrade: () => 401 }],
    ["an upgrade refused with 403", "FORBIDDEN", { refuseUpgrade: () => 403 }],
    ["the error BAD_USER_INPUT", "BAD_USER_INPUT", answering((id) => errorMessage(id, "BAD_USER_INPUT"))],
    ["the error UNAUTHENTICATED", "UNAUTHENTICATED", answering((id) => errorMessage(id, "UNAUTHENTICATED"))],
    ["an operation the server does not know", "BAD_USER_INPUT", answering((id) => errorMessage(id, "OTHER"))],
    [
      "a refusal in a result",
      "FORBIDDEN",
      {
        subscribe: (peer, id) => {
          peer.send({ id, type: "next", payload: data });
          peer.send({ id, type: "complete" });
        },
      },
    ],
  ])("%s is %s", async (_, code, script) => {
    const { notices, server } = await startPair(script);
    const failure = await notices.next().catch((thrown: unknown) => thrown);
    expect(failure).toBeInstanceOf(HeadsupError);
    expect(failure).toMatchObject({ code });
    expect(await notices.next()).toEqual({ done: true, value: undefined });
    for (const socket of server.sockets) await once(socket, "close");
  });
});

test("many feeds and calls of one agent's signal are one listener on it, also after they have failed", async () => {
  const { client } = await startPair({ connectionInit: ({ socket }) => socket.close(4403, "no") });
  const { signal } = new AbortController();
  const feeds = Array.from({ length: 12 }, () => client.staleNotices({ signal }));
  const failed = await Promise.allSettled(feeds.map((feed) => feed.next()));
  expect(failed.map(({ status }) => status)).toEqual(feeds.map(() => "rejected"));
  const calls = Array.from({ length: 12 }, () => client.resetSession({ sessionKey: "agent:a:b" }, { signal }));
  expect(getEventListeners(signal, "abort")).toHaveLength(1);
  await Promise.allSettled(calls);
});

describe("one socket, as long as it is needed", () => {
  test("subscriptions share it, and it closes with the last, with 1000", async () => {
    const closed = deferred<number>();
    const completed = deferred<string>();
    const { client, notices, server } = await startPair({
      connectionInit: (peer) => {
        peer.socket.on("close", closed.resolve);
        peer.send({ type: "connection_ack" });
      },
      subscribe: (peer, id) => peer.send(noticeMessage(id, "a", 1)),
      complete: (_, id) => completed.resolve(id),
    });
    const others = client.staleNotices();
    await Promise.all([notices.next(), others.next()]);
    expect(server.sockets.size).toBe(1);
    await notices.return();
    await completed.promise;
    expect(server.sockets.size).toBe(1);
    await others.return();
    expect(await closed.promise).toBe(1000);
  });

  test("nothing is opened before the first next(), nor by an iterable that was ended before", async () => {
    const { client, notices, server } = await startPair({});
    await notices.return();
    expect(await notices.next()).toEqual({ done: true, value: undefined });
    const aborted = client.staleNotices({ signal: AbortSignal.abort() });
    expect((await aborted.next()).done).toBe(true);
    expect(server.sockets.size).toBe(0);
  });

  test("leaving for await ends the subscription and closes the socket", async () => {
    const closed = deferred<number>();
    const { notices } = await startPair({
      subscribe: (peer, id) => {
        peer.socket.on("close", closed.resolve);
        peer.send(noticeMessage(id, "a", 1));
      },
    });
    for await (const { id } of notices) {
      expect(id).toBe("a@1");
      break;
    }
    expect(await closed.promise).toBe(1000);
  });

  test.each(["signal", "return", "close"])("%s ends a next() that waits, and the socket", async (how) => {
    const [subscribed, closed] = [deferred(), deferred()];
    const { client } = await startPair({
      subscribe: ({ socket }) => {
        socket.on("close", closed.resolve);
        subscribed.resolve();
      },
    });
    const stop = new AbortController();
    const notices = client.staleNotices({ signal: stop.signal });
    const waiting = notices.next();
    await subscribed.promise;
    if (how === "signal") stop.abort();
    if (how === "return") await notices.return();
    if (how === "close") client.close();
    expect(await waiting).toEqual({ done: true, value: undefined });
    await closed.promise;
  });

  test("an end while it connects leaves no socket behind", async () => {
    const [asked, closed] = [deferred(), deferred()];
    const { notices } = await startPair({
      connectionInit: ({ socket }) => {
        socket.on("close", closed.resolve);
        asked.resolve();
      },
    });
    const waiting = notices.next();
    await asked.promise;
    await notices.return();
    expect((await waiting).done).toBe(true);
    await closed.promise;
  });
});

describe("a slow consumer", () => {
  test("finds at most one undelivered notice per pair, the newest, however many were sent", async () => {
    const read = deferred();
    const { notices } = await startPair({
      subscribe: (peer, id) => {
        for (let version = 1; version <= 5_000; version++) {
          for (const target of ["a", "b"]) peer.send(noticeMessage(id, target, version));
        }
        peer.send({ type: "ping" });
      },
      pong: () => read.resolve(),
    });
    const first = await notices.next();
    await read.promise;
    const rest = [await notices.next(), await notices.next()];
    expect([first, ...rest].map(({ value }) => value?.id)).toEqual(["a@1", "b@5000", "a@5000"]);
  });
});
