import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { manualClock } from "./manualClock.js";
import { connect, type GuardedService, startGuarded } from "./support.js";

/** Revoking by another process is shown in commandLine.test.ts. */
let service: GuardedService;
const clock = manualClock();
beforeAll(async () => {
  service = await startGuarded({ clock });
});
afterAll(() => service.stop());

const listening = 'subscription { staleNotice(watcherSessionKey: "agent:coder:w") { id } }';

async function openBoth(token: string) {
  const socket = await connect(service.wsUrl, { params: { authorization: `Bearer ${token}` } });
  await socket.next(); // connection_ack
  socket.subscribe("s", listening);
  const response = await fetch(service.url, {
    method: "POST",
    headers: { authorization: `Bearer ${token}`, "content-type": "application/json", accept: "text/event-stream" },
    body: JSON.stringify({ query: listening }),
  });
  while (service.awareness.subscriberCount() < 2) await service.admin.gql("{ __typename }");
  return { socket, stream: response.text() };
}

describe.each<[string, (id: string) => unknown]>([
  ["revoked", (id) => service.awareness.tokens.revoke(id)],
  ["expired", () => clock.advance(3_600_000)],
])("a token that is %s while its streams run", (_how, over) => {
  test("ends its WebSocket with 4403 and its event stream, and leaves no subscriber behind", async () => {
    const expiresAt = new Date(clock.now().getTime() + 3_600_000);
    const request = { name: `streams ${expiresAt.getTime()}`, scopes: ["read"], agents: ["coder"], expiresAt } as const;
    const { token, secret } = await service.awareness.tokens.create(request);
    const { socket, stream } = await openBoth(secret);
    await over(token.id);
    expect(await socket.closed).toEqual({ code: 4403, reason: "Forbidden" });
    expect(await stream).not.toContain("event: complete"); // interrupted: the client comes back, and is told why it may not
    while (service.awareness.subscriberCount() > 0) await service.admin.gql("{ __typename }");
  });
});

test("a WebSocket that was opened before and says hello after its token was revoked does not come in", async () => {
  const { headers, id } = await service.bearer({ scopes: ["read"], agents: ["coder"] });
  const { WebSocket } = await import("ws");
  const socket = new WebSocket(service.wsUrl, "graphql-transport-ws", { headers });
  await new Promise((resolve) => socket.once("open", resolve));
  await service.awareness.tokens.revoke(id);
  socket.send('{"type":"connection_init"}');
  const code = await new Promise((resolve) => socket.once("close", resolve));
  expect(code).toBe(4403);
});
