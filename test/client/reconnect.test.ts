import { describe, expect, test, vi } from "vitest";
import type { ClientOptions } from "../../src/client/index.js";
import { deferred, errorMessage, noticeMessage, type Peer, type Script } from "./scriptedServer.js";
import { startPair } from "./startPair.js";

/** Breaks the first subscription in the given way; the later ones get one notice. */
function breakingOnce(how: (peer: Peer, id: string) => void): Script {
  let subscribed = 0;
  return {
    subscribe: (peer, id) => (++subscribed === 1 ? how(peer, id) : peer.send(noticeMessage(id, "a", subscribed))),
  };
}

describe("a subscription that is lost is made anew", () => {
  test.each([1000, 1001, 1008, 1009, 1011, 1012, 1013, 4000, 4408, 4409, 4429, 4499, 4500])(
    "after close code %i",
    async (code) => {
      const { notices } = await startPair(breakingOnce(({ socket }) => socket.close(code, "gone")));
      expect((await notices.next()).value?.id).toBe("a@2");
    },
  );

  test("after a connection that breaks without a word", async () => {
    const { notices } = await startPair(breakingOnce(({ socket }) => socket.terminate()));
    expect((await notices.next()).value?.id).toBe("a@2");
  });

  test("after the server completed it, as one that shuts down does, also where the connection stays", async () => {
    const { notices, server } = await startPair(breakingOnce((peer, id) => peer.send({ id, type: "complete" })));
    expect((await notices.next()).value?.id).toBe("a@2");
    expect(server.sockets.size).toBeLessThanOrEqual(2);
  });

  test.each(["SERVICE_UNAVAILABLE", "INTERNAL_SERVER_ERROR", "RATE_LIMITED", "LIMIT_EXCEEDED"])(
    "after the error %s",
    async (code) => {
      const { notices } = await startPair(breakingOnce((peer, id) => peer.send(errorMessage(id, code))));
      expect((await notices.next()).value?.id).toBe("a@2");
    },
  );

  test("after a message that is no GraphQL at all", async () => {
    const { notices } = await startPair(breakingOnce(({ socket }) => socket.send("hello")));
    expect((await notices.next()).value?.id).toBe("a@2");
  });

  test("after refused upgrades and refused connections, as often as it takes", async () => {
    let tries = 0;
    const script = breakingOnce(({ socket }) => socket.terminate());
    const { notices } = await startPair({ ...script, refuseUpgrade: () => (++tries < 20 ? 503 : undefined) });
    expect((await notices.next()).value?.id).toBe("a@2");
    expect(tries).toBe(21);
  });

  test("after a server that stopped answering pings", async () => {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    const [subscribed, pinged] = [deferred(), deferred()];
    const script = breakingOnce(() => subscribed.resolve());
    const ping = () => {
      pinged.resolve();
      return false;
    };
    const { notices } = await startPair({ ...script, ping });
    const next = notices.next();
    await subscribed.promise;
    await vi.advanceTimersByTimeAsync(10_000);
    await pinged.promise;
    await vi.advanceTimersByTimeAsync(5_001);
    expect((await next).value?.id).toBe("a@2");
  });

  test("after a server that accepts the connection and never acknowledges it", async () => {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    const asked = deferred();
    let connections = 0;
    const { notices } = await startPair({
      connectionInit: (peer) => (++connections === 1 ? asked.resolve() : peer.send({ type: "connection_ack" })),
      subscribe: (peer, id) => peer.send(noticeMessage(id, "a", 7)),
    });
    const next = notices.next();
    await asked.promise;
    await vi.advanceTimersByTimeAsync(15_001);
    expect((await next).value?.id).toBe("a@7");
  });
});

describe("the application is told of the connection", () => {
  test("once per change, with the reason of a loss; its own errors do no harm here", async () => {
    const states: unknown[] = [];
    const onConnection: ClientOptions["onConnection"] = (state, reason) => void states.push([state, reason?.message]);
    const { notices } = await startPair(
      breakingOnce(({ socket }) => socket.close(1001, "bye")),
      { onConnection },
    );
    await notices.next();
    expect(states).toEqual([
      ["connected", undefined],
      ["reconnecting", "The connection was closed with 1001 (bye)."],
      ["connected", undefined],
    ]);
  });

  test("the token goes into the connection parameters and is asked for anew each time", async () => {
    const seen: unknown[] = [];
    let asked = 0;
    const script = breakingOnce(({ socket }) => socket.terminate());
    const connectionInit = (peer: Peer) => {
      seen.push(peer.params);
      peer.send({ type: "connection_ack" });
    };
    const { notices } = await startPair({ ...script, connectionInit }, { token: async () => `t${++asked}` });
    await notices.next();
    expect(seen).toEqual([{ authorization: "Bearer t1" }, { authorization: "Bearer t2" }]);
  });

  test("a token function that fails once is asked again", async () => {
    let asked = 0;
    const token = () => (++asked === 1 ? Promise.reject(new Error("vault is sealed")) : "t");
    const reasons: unknown[] = [];
    const { notices } = await startPair(
      { subscribe: (peer, id) => peer.send(noticeMessage(id, "a", 1)) },
      { token, onConnection: (_, reason) => void reasons.push(reason?.message) },
    );
    expect((await notices.next()).value?.id).toBe("a@1");
    expect(reasons).toEqual(["The connection was lost: vault is sealed", undefined]);
  });
});
