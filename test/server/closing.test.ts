import { once } from "node:events";
import { Agent, request } from "node:http";
import { connect } from "node:net";
import { expect, test } from "vitest";
import type { RunningAwareness } from "../../src/awareness/createAwareness.js";
import { startTestService } from "../support/server.js";
import { listening, openSocket, openStream } from "./clients.js";

const append =
  'mutation { append(input: { sessionKey: "agent:a:b", kind: GOAL_CHANGED, actor: { type: HUMAN } }) { recorded } }';

/** The real domain with a gate in front of `append`. */
function gatedAppend() {
  let open: () => void = () => {};
  let arrived: () => void = () => {};
  const gate = new Promise<void>((resolve) => {
    open = resolve;
  });
  const arrival = new Promise<void>((resolve) => {
    arrived = resolve;
  });
  const around = (awareness: RunningAwareness): RunningAwareness => ({
    ...awareness,
    async append(input) {
      arrived();
      await gate;
      return awareness.append(input);
    },
  });
  return { around, open, arrival };
}

test("a client that keeps its half of a refused upgrade open is let go, and does not hold up the end", async () => {
  const service = await startTestService();
  const { hostname, port } = new URL(service.url);
  const request = ["GET /nowhere HTTP/1.1", `Host: ${hostname}:${port}`, "Connection: Upgrade", "Upgrade: websocket"];
  const stubborn = connect({ host: hostname, port: Number(port), allowHalfOpen: true });
  stubborn.write(`${request.join("\r\n")}\r\n\r\n`);
  let said = "";
  stubborn.on("data", (bytes) => {
    said += bytes;
  });
  await once(stubborn, "end");
  expect(said).toMatch(/^HTTP\/1.1 404 /);
  stubborn.on("error", () => {}); // the reset that follows when it goes on talking
  await service.stop();
  stubborn.destroy();
});

test("on shutdown WebSockets close with 1001 and SSE streams end", async () => {
  const service = await startTestService();
  const socket = await openSocket(service.wsUrl);
  socket.subscribe("x", listening, { w: "agent:a:b" });
  const stream = await openStream(service.url, listening, { w: "agent:a:b" });
  expect(await stream.line()).toBe(":");
  await service.stop();
  expect(await socket.closed).toEqual({ code: 1001, reason: "Going away" });
  await stream.ended;
  expect(service.awareness.subscriberCount()).toBe(0);
});

test("an interrupted stream ends without `complete`, so that clients come back", async () => {
  const service = await startTestService();
  const stream = await openStream(service.url, listening, { w: "agent:a:b" });
  const lines: string[] = [];
  const reading = (async () => {
    for (;;) lines.push(await stream.line());
  })();
  await service.stop();
  await Promise.race([stream.ended, reading]);
  expect(lines.filter((line) => line.startsWith("event:"))).toEqual([]);
});

test("mutations in flight are answered before anything closes, over HTTP and over WebSocket", async () => {
  const { around, open, arrival } = gatedAppend();
  const service = await startTestService({ around });
  const socket = await openSocket(service.wsUrl);
  const overHttp = service.gql(append);
  await arrival;
  socket.subscribe("x", append);
  socket.subscribe("y", "{ __typename }");
  // The answer to y says that x, sent before it, is in flight.
  expect(await socket.next()).toMatchObject({ id: "y", type: "next" });
  const stopped = service.stop();
  open();
  expect((await overHttp).data).toEqual({ append: { recorded: true } });
  for (let message = await socket.next(); ; message = await socket.next()) {
    if (message.id !== "x") continue;
    expect(message.payload).toEqual({ data: { append: { recorded: true } } });
    break;
  }
  expect((await socket.closed).code).toBe(1001);
  await stopped;
});

test("while it closes it takes nothing new: no connection, no request, no operation", async () => {
  const { around, open, arrival } = gatedAppend();
  const service = await startTestService({ around });
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  const ask = async () => {
    const outgoing = request(`${service.origin}/readyz`, { agent });
    outgoing.end();
    const [response] = await once(outgoing, "response");
    response.resume();
    await once(response, "end");
    return response.statusCode;
  };
  const socket = await openSocket(service.wsUrl);
  const overHttp = service.gql(append);
  await arrival;
  const stopped = service.stop();
  socket.subscribe("late", append);
  expect((await socket.next()).payload[0].extensions).toEqual({ code: "SERVICE_UNAVAILABLE" });
  await expect(ask()).rejects.toThrow(/ECONNREFUSED|ECONNRESET/);
  open();
  await overHttp;
  await stopped;
  agent.destroy();
});

test("clients that keep a connection open and idle do not hold it up", async () => {
  const service = await startTestService();
  const agent = new Agent({ keepAlive: true });
  const outgoing = request(`${service.origin}/healthz`, { agent });
  outgoing.end();
  const [response] = await once(outgoing, "response");
  response.resume();
  await once(response, "end");
  const begun = performance.now();
  await service.stop();
  expect(performance.now() - begun).toBeLessThan(1_500);
  agent.destroy();
});

test("clients that ignore the goodbye are cut off within the grace", async () => {
  const service = await startTestService();
  const deaf = await openSocket(service.wsUrl);
  deaf.socket.pause(); // it will not answer the close frame, nor see that it was cut off
  const stream = await openStream(service.url, listening, { w: "agent:a:b" });
  stream.response.pause();
  const begun = performance.now();
  await service.stop();
  expect(performance.now() - begun).toBeLessThan(9_000);
});

test("stopping twice is one stop", async () => {
  const service = await startTestService();
  await Promise.all([service.stop(), service.stop()]);
});
