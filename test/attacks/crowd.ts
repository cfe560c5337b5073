import { once } from "node:events";
import { request } from "node:http";
import { createConnection } from "node:net";
import { expect, test } from "vitest";
import WebSocket from "ws";
import { listening, openStream, type SocketClient } from "../server/clients.js";
import { comesTo, websockets } from "./connections.js";
import { authorization, type Target } from "./target.js";

const mebibyte = 2 ** 20;
/** Keys are long, so that what somebody does not read is more than the network holds for them. */
const keyOf = (agent: string, at: number) => `agent:${agent}:${String(at).padStart(150, "x")}`;
const pairs = Array.from({ length: 20 }, (_, at) => ({ watcher: keyOf("boss", at), target: keyOf("worker", at) }));
const toEverybody = "subscription { staleNotice { id } }";
const atLength = `subscription { staleNotice { id ${Array.from({ length: 29 }, (_, at) => `t${at}: text`).join(" ")} } }`;
const appendMany = "mutation ($inputs: [AppendInput!]!) { appendMany(inputs: $inputs) { recorded } }";
const drainAll = `mutation { ${pairs
  .map(({ watcher }, at) => `d${at}: drainNotices(input: { watcherSessionKey: "${watcher}" }) { remaining }`)
  .join(" ")} }`;
const watchAll = `mutation { ${pairs
  .map(
    ({ watcher, target }, at) =>
      `w${at}: watch(input: { watcherSessionKey: "${watcher}", targetSessionKey: "${target}" }) { watched }`,
  )
  .join(" ")} }`;
/** 500 material events, 25 for each pair in turn. */
const inputs = Array.from({ length: 500 }, (_, at) => ({
  sessionKey: keyOf("worker", at % pairs.length),
  kind: "GOAL_CHANGED",
  actor: { type: "HUMAN" },
}));

async function readNotices(client: SocketClient, count: number): Promise<void> {
  for (let read = 0; read < count; read += 1) expect((await client.next()).payload.data.staleNotice.id).toBeTruthy();
}

/** 500 events land on all pairs; when their notices are drained, new ones open for the rest, and who reads is told. */
async function round(target: Target, reader: SocketClient): Promise<void> {
  const { data } = await target.gql(appendMany, { inputs });
  expect(data.appendMany).toHaveLength(500);
  expect((await target.gql(drainAll)).errors).toBeUndefined();
  await readNotices(reader, pairs.length);
}

async function stopReading(target: Target): Promise<() => void> {
  const client = await target.socket();
  client.subscribe("all", atLength);
  client.socket.pause();
  const stream = await openStream(target.url, atLength, {}, authorization);
  stream.response.pause();
  return () => {
    client.socket.terminate();
    stream.leave();
  };
}

type Stage = (target: Target, watcher: string) => Promise<void>;

/** Everywhere on its way where a subscriber can be when it vanishes. */
const stages: Record<string, Stage> = {
  "before its upgrade is whole": async ({ port }) => {
    const socket = createConnection(port, "127.0.0.1");
    await once(socket, "connect");
    socket.write("GET /graphql HTTP/1.1\r\nHost: 127.0.0.1\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n");
    socket.destroy();
  },
  "when its WebSocket is open": async (target) => (await open(target)).terminate(),
  "when it has said connection_init": async (target) => {
    const socket = await open(target);
    socket.send('{"type":"connection_init"}');
    socket.terminate();
  },
  "when it has been let in": async (target) => (await target.socket()).socket.terminate(),
  "when it has subscribed": async (target, w) => {
    const client = await target.socket();
    client.subscribe("x", listening, { w });
    client.socket.terminate();
  },
  "when it has a notice": async (target, w) => {
    const client = await target.socket();
    client.subscribe("x", listening, { w });
    await client.next();
    client.socket.terminate();
  },
  "when it has stopped reading": async (target, w) => {
    const client = await target.socket();
    client.socket.pause();
    for (let id = 0; id < 5; id += 1) client.subscribe(String(id), toEverybody);
    await target.gql("query ($w: ID!) { pendingNotices(watcherSessionKey: $w) { id } }", { w });
    client.socket.terminate();
  },
  "when it has unsubscribed": async (target, w) => {
    const client = await target.socket();
    client.subscribe("x", listening, { w });
    client.send({ type: "complete", id: "x" });
    client.socket.terminate();
  },
  "when it has asked for a stream": async ({ url }, w) => {
    const outgoing = request(url, {
      method: "POST",
      agent: false,
      headers: { accept: "text/event-stream", "content-type": "application/json", ...authorization },
    });
    outgoing.on("error", () => {});
    outgoing.end(JSON.stringify({ query: listening, variables: { w } }));
    await once(outgoing, "finish");
    outgoing.destroy();
  },
  "in the middle of a stream": async ({ url }, w) => {
    const stream = await openStream(url, listening, { w }, authorization);
    await stream.next();
    stream.leave();
  },
};

async function open({ wsUrl }: Target): Promise<WebSocket> {
  const socket = new WebSocket(wsUrl, "graphql-transport-ws", { headers: authorization });
  await once(socket, "open");
  return socket;
}

export function crowdAttacks(target: () => Target): void {
  test("while readers have stopped reading, 50,000 material events on 20 pairs reach the others; memory grows by less than 50 MB", async () => {
    expect((await target().gql(watchAll)).errors).toBeUndefined();
    const reader = await target().socket();
    reader.subscribe("all", toEverybody);
    const leave = await stopReading(target());
    await target().gql(appendMany, { inputs });
    await readNotices(reader, pairs.length);
    const highestOf = async (rounds: number) => {
      let highest = 0;
      for (let each = 0; each < rounds; each += 1) {
        await round(target(), reader);
        highest = Math.max(highest, await target().figure("process_resident_memory_bytes"));
      }
      return highest;
    };
    const residentBefore = await highestOf(15); // until the process has settled
    const heldBefore = await target().held();
    const deliveredBefore = await target().figure("headsup_deliveries_total");
    const resident = await highestOf(100);
    const read = 100 * pairs.length;
    const delivered = (await target().figure("headsup_deliveries_total")) - deliveredBefore;
    expect(delivered).toBeGreaterThanOrEqual(read);
    expect(delivered).toBeLessThan(2.5 * read); // the others have one undelivered notice per pair at most
    expect((await target().held()) - heldBefore).toBeLessThan(10 * mebibyte);
    expect(resident - residentBefore).toBeLessThan(50 * mebibyte);
    leave();
    reader.socket.terminate();
    await comesTo(target(), "headsup_subscribers", 0);
  }, 120_000);

  test("500 subscribers vanish at every stage, three times: nobody is counted afterwards, and memory is flat", async () => {
    await target().gql(appendMany, { inputs }); // so that there is something to be told of
    const held: number[] = [];
    for (let again = 0; again < 3; again += 1) {
      for (const [when, vanish] of Object.entries(stages)) {
        const fifty = pairs.concat(pairs, pairs).slice(0, 50);
        await Promise.all(fifty.map(({ watcher }) => vanish(target(), watcher))).catch((error: unknown) => {
          throw new Error(`a subscriber that vanishes ${when} failed`, { cause: error });
        });
      }
      await comesTo(target(), "headsup_subscribers", 0);
      await comesTo(target(), websockets, 0);
      await comesTo(target(), 'headsup_sockets{kind="event_stream"}', 0);
      held.push(await target().held());
    }
    expect((held[2] ?? 0) - (held[0] ?? 0)).toBeLessThan(5 * mebibyte);
    expect(await target().gql("{ __typename }")).toEqual({ data: { __typename: "Query" } });
  }, 120_000);
}
