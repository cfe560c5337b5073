import { once } from "node:events";
import { type IncomingMessage, request } from "node:http";
import { Readable } from "node:stream";
import { text } from "node:stream/consumers";
import { pipeline } from "node:stream/promises";
import { describe, expect, test } from "vitest";
import WebSocket from "ws";
import { listening } from "../server/clients.js";
import { authorization, type Target } from "./target.js";

const mebibyte = 2 ** 20;

/** What became of a body that is written until the server has had enough. */
async function bigBody(
  target: Target,
  bytes: number,
  headers: Record<string, string | number>,
): Promise<number | "cut off"> {
  const outgoing = request(target.url, {
    method: "POST",
    headers: { "content-type": "application/json", ...authorization, ...headers },
    agent: false,
  });
  const answer = once(outgoing, "response").then(
    ([response]: IncomingMessage[]) => response?.resume().statusCode ?? 0,
    () => "cut off" as const,
  );
  const piece = Buffer.alloc(65_536, "x");
  const pieces = Readable.from(Array.from({ length: bytes / piece.length }, () => piece));
  await pipeline(pieces, outgoing).catch(() => {}); // the server hangs up in the middle
  return answer;
}

/** Opens a WebSocket and says nothing; or the status and body that the server refused it with. */
export async function openSilently(target: Target): Promise<WebSocket | { status: number; body: string }> {
  const socket = new WebSocket(target.wsUrl, "graphql-transport-ws", { headers: authorization });
  socket.on("error", () => {});
  return new Promise((resolve, reject) => {
    socket.once("open", () => resolve(socket));
    socket.once("unexpected-response", (_request, response) => {
      text(response).then((body) => resolve({ status: response.statusCode ?? 0, body }), reject);
    });
    socket.once("close", () => reject(new Error("the connection broke")));
  });
}

/** Resolves once a figure has come to a value: the server notices what clients do in its own time. */
export async function comesTo(target: Target, name: string, value: number): Promise<void> {
  while ((await target.figure(name)) !== value);
}

export const websockets = 'headsup_sockets{kind="websocket"}';

export function connectionAttacks(target: () => Target): void {
  describe("20 MB", () => {
    test("in a body of that length are refused with 413, and not read", async () => {
      const outcome = await bigBody(target(), 20 * mebibyte, { "content-length": 20 * mebibyte });
      expect([413, "cut off"]).toContain(outcome); // a client that goes on writing may not get to read the answer
    });

    test("in a body without a length are refused", async () => {
      const outcome = await bigBody(target(), 20 * mebibyte, { "transfer-encoding": "chunked" });
      expect([413, "cut off"]).toContain(outcome);
    });

    test("in a message close the WebSocket with 1009", async () => {
      const client = await target().socket();
      client.send("x".repeat(20 * mebibyte));
      expect((await client.closed).code).toBe(1009);
    });

    test("in many small frames of one message close the WebSocket with 1009", async () => {
      const client = await target().socket();
      client.socket.on("error", () => {});
      for (let sent = 0; sent < 2 * mebibyte; sent += 1_024) client.socket.send("x".repeat(1_024), { fin: false });
      expect([1006, 1009]).toContain((await client.closed).code); // 1006 when it was still sending
    });
  });

  test("half a MiB of nothing but brackets is refused before it is parsed", async () => {
    const brackets = "[".repeat(250_000) + "]".repeat(250_000);
    const operation = `{"query":"{ __typename }","variables":{"a":${brackets}}}`;
    const { status, body } = await target().post(operation);
    expect([status, body.errors[0].extensions.code]).toEqual([400, "LIMIT_EXCEEDED"]);
    const client = await target().socket();
    client.send(`{"type":"subscribe","id":"a","payload":${operation}}`);
    expect((await client.closed).code).toBe(4400);
  });

  test("an id that is in use closes the WebSocket with 4409", async () => {
    const client = await target().socket();
    for (let again = 0; again < 2; again += 1) client.subscribe("same", listening, { w: "agent:a:b" });
    expect((await client.closed).code).toBe(4409);
  });

  test("a second connection_init closes the WebSocket with 4429", async () => {
    const client = await target().socket();
    client.send({ type: "connection_init" });
    expect((await client.closed).code).toBe(4429);
  });

  test("of 10,000 subscriptions on one socket 100 are taken", async () => {
    const client = await target().socket();
    for (let id = 0; id < 10_000; id += 1) client.subscribe(`s${id}`, listening, { w: `agent:crowd:${id}` });
    for (let refused = 0; refused < 9_900; refused += 1) {
      const { type, payload } = await client.next();
      expect([type, payload[0].extensions.code]).toEqual(["error", "LIMIT_EXCEEDED"]);
    }
    expect(await target().figure("headsup_subscribers")).toBe(100);
    client.send({ type: "complete", id: "s0" });
    client.subscribe("again", listening, { w: "agent:crowd:again" });
    client.subscribe("query", "{ __typename }");
    expect((await client.next()).payload).toEqual({ data: { __typename: "Query" } });
    await comesTo(target(), "headsup_subscribers", 100);
    client.socket.terminate();
    await comesTo(target(), "headsup_subscribers", 0);
  });

  test("nor are there more when an id is let go and used again before its subscription stands", async () => {
    const client = await target().socket();
    for (let round = 0; round < 1_000; round += 1) {
      client.subscribe("same", listening, { w: `agent:crowd:${round}` });
      client.send({ type: "complete", id: "same" });
    }
    client.subscribe("query", "{ __typename }");
    for (let message = await client.next(); message.id !== "query"; ) message = await client.next();
    expect(await target().figure("headsup_subscribers")).toBeLessThanOrEqual(100);
    client.socket.terminate();
    await comesTo(target(), "headsup_subscribers", 0);
  });

  test("of 2,000 WebSockets of one token 500 are let in; the others are told to come back later", async () => {
    await comesTo(target(), websockets, 0);
    const sockets: WebSocket[] = [];
    const refused: { status: number; body: string }[] = [];
    for (let wave = 0; wave < 20; wave += 1) {
      const opened = await Promise.all(Array.from({ length: 100 }, () => openSilently(target())));
      for (const each of opened) {
        if (each instanceof WebSocket) sockets.push(each);
        else refused.push(each);
      }
      // A normal client beside them goes about its business.
      expect(await target().gql("{ __typename }")).toEqual({ data: { __typename: "Query" } });
    }
    expect([sockets.length, refused.length]).toEqual([500, 1_500]);
    for (const { status, body } of refused) {
      expect(status).toBe(429);
      expect(JSON.parse(body).errors[0].extensions).toEqual({ code: "LIMIT_EXCEEDED", retryAfterMs: 10_000 });
    }
    const stream = await target().post(JSON.stringify({ query: listening }), { accept: "text/event-stream" });
    expect([stream.status, stream.headers.get("retry-after")]).toEqual([429, "10"]);
    expect(stream.body.errors[0].extensions.code).toBe("LIMIT_EXCEEDED");
    await comesTo(target(), "headsup_subscribers", 0);

    for (const socket of sockets) socket.terminate();
    await comesTo(target(), websockets, 0);
    const client = await target().socket();
    client.socket.terminate();
  });
}
