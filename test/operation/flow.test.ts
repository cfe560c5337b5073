import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { afterEach, beforeEach, expect, test } from "vitest";
import { WebSocket, WebSocketServer } from "ws";
import { ClientGone, createFlow } from "../../src/server/flow.js";

const kibibyte = 1024;
let server: WebSocketServer;
let client: WebSocket;
/** The server's end of it. */
let socket: WebSocket;
beforeEach(async () => {
  server = new WebSocketServer({ host: "127.0.0.1", port: 0, autoPong: false });
  await once(server, "listening");
  client = new WebSocket(`ws://127.0.0.1:${(server.address() as AddressInfo).port}`); // a TCP server has a port
  client.on("error", () => {});
  [[socket]] = (await Promise.all([once(server, "connection"), once(client, "open")])) as [[WebSocket], unknown];
});
afterEach(() => {
  client.terminate();
  server.close();
});

const turn = () => new Promise((resolve) => setImmediate(resolve));
const until = async (condition: () => boolean) => {
  while (!condition()) await turn();
};
const bounds = { operations: 2, pauseBytes: 256 * kibibyte, ofAllMaxBytes: Number.POSITIVE_INFINITY };

test("a few operations at a time; while others wait, nothing more is read", async () => {
  const flow = createFlow(socket, { bytes: 0 }, bounds);
  const begun: number[] = [];
  for (let each = 0; each < 4; each += 1) void flow.begin().then(() => begun.push(each));
  await turn();
  expect([begun, socket.isPaused]).toEqual([[0, 1], true]);
  flow.end();
  await turn();
  expect([begun, socket.isPaused]).toEqual([[0, 1, 2], true]);
  flow.end();
  await turn();
  expect([begun, socket.isPaused]).toEqual([[0, 1, 2, 3], false]);
});

test("who sends and never reads is not read from while much waits for it, and goes on when it reads", async () => {
  const flow = createFlow(socket, { bytes: 0 }, bounds);
  const text = "x".repeat(64 * kibibyte);
  socket.on("message", () => void flow.send(text));
  client.pause();
  for (let each = 0; each < 1_000; each += 1) client.send("more");
  await until(() => socket.isPaused);
  for (let each = 0; each < 100; each += 1) await turn();
  // What had arrived already is answered still; most of it is not even read.
  expect(socket.bufferedAmount).toBeLessThan(64 * 1_000 * kibibyte);
  let read = 0;
  client.on("message", () => {
    read += 1;
  });
  client.resume();
  await until(() => read === 1_000);
  expect(socket.isPaused).toBe(false);
});

test("so it is with pings", async () => {
  createFlow(socket, { bytes: 0 }, bounds);
  client.pause();
  const filler = "x".repeat(125);
  for (let each = 0; each < 200_000; each += 1) client.ping(filler);
  await until(() => socket.isPaused);
  for (let each = 0; each < 100; each += 1) await turn();
  expect(socket.bufferedAmount).toBeLessThan(2 * bounds.pauseBytes);
});

test("when all together have more unread than may be, one that is behind is cut off", async () => {
  const unread = { bytes: 0 };
  const flow = createFlow(socket, unread, { ...bounds, ofAllMaxBytes: 1024 * kibibyte });
  client.pause();
  const sending = Array.from({ length: 400 }, () => flow.send("x".repeat(64 * kibibyte)));
  const gone = expect(Promise.all(sending)).rejects.toBeInstanceOf(ClientGone);
  await once(socket, "close");
  await gone;
  await Promise.allSettled(sending);
  expect(unread.bytes).toBe(0);
});
