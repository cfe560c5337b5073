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

test("who has not said who they are gives way, the oldest first, and is not counted any more", () => {
  const sockets = createSockets({ sockets: 10, socketsPerToken: 2 });
  const gone: string[] = [];
  const stranger = (name: string) => place(sockets.take("address 1", "websocket", () => gone.push(name)));
  stranger("first");
  const second = stranger("second");
  stranger("third");
  expect([gone, sockets.count("websocket")]).toEqual([["first"], 2]);
  expect(second.moveTo("token a")).toBeNull();
  stranger("fourth");
  stranger("fifth");
  expect(gone).toEqual(["first", "third"]);
});

test("strangers of any address give way when there is no room at all; who is known never does", () => {
  const sockets = createSockets({ sockets: 3, socketsPerToken: 3 });
  const gone: string[] = [];
  place(sockets.take("token a", "websocket"));
  for (const name of ["1", "2"]) place(sockets.take(`address ${name}`, "websocket", () => gone.push(name)));
  place(sockets.take("token b", "event_stream"));
  expect([gone, sockets.count("websocket"), sockets.count("event_stream")]).toEqual([["1"], 2, 1]);
  place(sockets.take("token c", "websocket"));
  expect(gone).toEqual(["1", "2"]);
  expect(sockets.take("token d", "websocket")).toEqual(refusal);
});

test("a stranger who is over its own allowance pushes out its own, not those of others", () => {
  const sockets = createSockets({ sockets: 3, socketsPerToken: 2 });
  const gone: string[] = [];
  const stranger = (client: string, name: string) => place(sockets.take(client, "websocket", () => gone.push(name)));
  stranger("address 1", "other's");
  for (const name of ["mine", "mine too", "mine again"]) stranger("address 2", name);
  expect(gone).toEqual(["mine"]);
});
