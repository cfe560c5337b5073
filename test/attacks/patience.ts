import { once } from "node:events";
import { createConnection, type Socket } from "node:net";
import { expect, test } from "vitest";
import WebSocket from "ws";
import { openSilently } from "./connections.js";
import { authorization, type Target } from "./target.js";

type Lurking = {
  silent: WebSocket[];
  silentClosed: Promise<number[]>;
  slow: Socket[];
  stuck: { socket: WebSocket; closed: Promise<unknown> };
};

/** Opens connections that only wait, so that what becomes of them can be seen when other attacks are over. */
export async function lurk(target: Target): Promise<Lurking> {
  const opened = await Promise.all(Array.from({ length: 20 }, () => openSilently(target)));
  const silent = opened.filter((each) => each instanceof WebSocket);
  const silentClosed = Promise.all(silent.map(async (socket) => Number((await once(socket, "close"))[0])));
  const slow = [
    ...Array.from({ length: 20 }, () => connect(target, "")),
    ...Array.from({ length: 20 }, () => connect(target, "POST /graphql HTTP/1.1\r\nHost: 127.0.0.1\r\nX-A: ")),
  ];
  return { silent, silentClosed, slow, stuck: await stuckReader(target) };
}

function connect({ port }: Target, head: string): Socket {
  const socket = createConnection(port, "127.0.0.1");
  socket.on("error", () => {});
  socket.resume(); // otherwise it would not notice its end
  socket.write(head);
  return socket;
}

/** Asks for a hundred megabytes, one list at a time, and reads none of it. */
async function stuckReader(target: Target) {
  const { socket } = await target.socket({ headers: authorization });
  for (let each = 0; each < 200; each += 1) {
    const name = `agent:stuck:${each}`;
    await target.gql(
      "mutation ($k: ID!, $l: String) { registerSession(input: { sessionKey: $k, label: $l }) { session { label } } }",
      {
        k: name,
        l: name.padEnd(280, "x"),
      },
    );
  }
  const query = `{ ${Array.from({ length: 5 }, (_, at) => `a${at}: sessionsList(agentId: "stuck", first: 200) { nodes { sessionKey label } }`).join(" ")} }`;
  socket.pause();
  const closed = once(socket, "close");
  for (let id = 0; id < 2_000; id += 1) {
    socket.send(JSON.stringify({ type: "subscribe", id: String(id), payload: { query } }));
  }
  return { socket, closed };
}

export function patienceAttacks(target: () => Target, lurking: () => Lurking): void {
  test("WebSockets that never say connection_init are closed with 4408 after 10 s", async () => {
    expect(await lurking().silentClosed).toEqual(lurking().silent.map(() => 4408));
  });

  test("connections that never finish the head of a request are closed after 10 s", async () => {
    await Promise.all(lurking().slow.map((socket) => socket.destroyed || once(socket, "close")));
    expect(await target().gql("{ __typename }")).toEqual({ data: { __typename: "Query" } });
  });

  test("a reader that asks and never reads is cut off when it answers no ping, and has held next to nothing", async () => {
    const { socket, closed } = lurking().stuck;
    expect(await target().held()).toBeLessThan(100 * 2 ** 20);
    while ((await target().figure('headsup_websocket_closes_total{code="1006"}')) === 0);
    socket.resume();
    await closed;
  });
}
