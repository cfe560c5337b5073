import { expect, test } from "vitest";
import { Refusal } from "../../src/awareness/refusals.js";
import { createSockets, type Place } from "../../src/server/sockets.js";

function place(taken: Place | Refusal): Place {
  if (taken instanceof Refusal) throw taken;
  return taken;
}
const refusal = expect.objectContaining({ code: "LIMIT_EXCEEDED", retryAfterMs: expect.any(Number) });

test("a client has so many places, and gets them back", () => {
  const sockets = createSockets({ sockets: 10, socketsPerToken: 2 });
  const first = place(sockets.take("a", "websocket"));
  place(sockets.take("a", "event_stream"));
  expect(sockets.take("a", "websocket")).toEqual(refusal);
  place(sockets.take("b", "websocket"));
  first.leave();
  first.leave();
  expect([sockets.count("websocket"), sockets.count("event_stream")]).toEqual([1, 1]);
  place(sockets.take("a", "websocket"));
  expect(sockets.take("a", "websocket")).toEqual(refusal);
});

test("all clients together have so many places", () => {
  const sockets = createSockets({ sockets: 3, socketsPerToken: 2 });
  for (const client of ["a", "b", "c"]) place(sockets.take(client, "websocket"));
  expect(sockets.take("d", "event_stream")).toEqual(refusal);
});

test("who turns out to be somebody else is counted as that one, within its own places", () => {
  const sockets = createSockets({ sockets: 10, socketsPerToken: 1 });
  const first = place(sockets.take("address 127.0.0.1", "websocket"));
  expect(first.moveTo("token a")).toBeNull();
  expect(first.moveTo("token a")).toBeNull();
  const second = place(sockets.take("address 127.0.0.1", "websocket"));
  expect(second.moveTo("token a")).toEqual(refusal);
  first.leave();
  expect(second.moveTo("token a")).toBeNull();
  second.leave();
  expect(second.moveTo("token b")).toBeNull();
  expect(sockets.count("websocket")).toBe(0);
  place(sockets.take("token a", "websocket"));
  place(sockets.take("token b", "websocket"));
});
