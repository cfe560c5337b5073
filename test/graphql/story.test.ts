import { createClient } from "graphql-ws";
import { afterAll, beforeAll, expect, test } from "vitest";
import WebSocket from "ws";
import { openStream } from "../server/clients.js";
import { type Speaker, startSpeaker } from "./speaker.js";

const coordinator = "agent:coordinator:main";
const worker = "agent:worker:main";
const query = `subscription { staleNotice(watcherSessionKey: "${coordinator}") { id changesSince notified text } }`;

let speaker: Speaker;
beforeAll(async () => {
  speaker = await startSpeaker();
});
afterAll(() => speaker.service.stop());

type Notice = { id: string; changesSince: number; notified: number; text: string };

/** Listens as an agent does, with the client that graphql-ws brings. */
function listenOverWebSocket() {
  const client = createClient({ url: speaker.service.wsUrl, webSocketImpl: WebSocket });
  const results = client.iterate<{ staleNotice: Notice }>({ query });
  return {
    async next(): Promise<Notice> {
      const { value } = await results.next();
      return value.data.staleNotice;
    },
    async leave() {
      await results.return?.();
      await client.dispose();
    },
  };
}

async function humanWrites(summary: string): Promise<number> {
  const input = { sessionKey: worker, kind: "HUMAN_DIRECT_MESSAGE", actor: { type: "HUMAN" }, summary };
  const { append } = await speaker.ask(
    "mutation ($input: AppendInput!) { append(input: $input) { event { sequence } } }",
    { input },
  );
  return append.event.sequence;
}

async function drain(): Promise<Notice[]> {
  const { drainNotices } = await speaker.ask(
    `mutation { drainNotices(input: { watcherSessionKey: "${coordinator}" }) { notices { id changesSince notified text } } }`,
  );
  return drainNotices.notices;
}

test("a coordinator is told once, reads the exact delta, and is told again only of what came after", async () => {
  const start = await speaker.changeGoal(worker);
  await speaker.watch(coordinator, worker);
  const socket = listenOverWebSocket();
  const stream = await openStream(speaker.service.url, query);

  // A human writes three times behind the coordinator's back: one notice opens, on both transports.
  const sequences = [await humanWrites("one"), await humanWrites("two"), await humanWrites("three")];
  const [first = 0, , last = 0] = sequences;
  const told = await socket.next();
  expect(told).toMatchObject({ changesSince: start, notified: first });
  expect(told.text).toBe(
    `Session "${worker}" changed (other actor). Reconcile before acting: session_status sessionKey "${worker}" changesSince ${start}.`,
  );
  expect((await stream.next()).data.staleNotice).toEqual(told);

  // Being told acknowledges nothing: who connects now is told as well.
  const latecomer = listenOverWebSocket();
  expect(await latecomer.next()).toEqual(told);
  await latecomer.leave();

  // The coordinator reads exactly what it has missed.
  const { sessionStatus } = await speaker.ask(
    `{ sessionStatus(sessionKey: "${worker}", changesSince: ${told.changesSince}) {
      stateVersion stateChanges { historyGap truncated events { sequence summary } }
    } }`,
  );
  expect(sessionStatus).toEqual({
    stateVersion: last,
    stateChanges: {
      historyGap: false,
      truncated: false,
      events: ["one", "two", "three"].map((summary, index) => ({ sequence: sequences[index], summary })),
    },
  });

  // Its turn takes the notice. One more opens for the rest, and both transports say so.
  expect(await drain()).toEqual([told]);
  const rest = await socket.next();
  expect(rest).toMatchObject({ changesSince: first, notified: last });
  expect((await stream.next()).data.staleNotice).toEqual(rest);

  // It has read everything already, says so, and nothing is left to be told.
  await speaker.ask(
    `mutation { reconcile(input: { watcherSessionKey: "${coordinator}", targetSessionKey: "${worker}", upTo: ${last} }) { watch { pending } } }`,
  );
  expect(await drain()).toEqual([]);

  // The next change is news again.
  const next = await humanWrites("four");
  expect(await socket.next()).toMatchObject({ changesSince: last, notified: next });
  expect((await stream.next()).data.staleNotice).toMatchObject({ changesSince: last, notified: next });
  await socket.leave();
  stream.leave();
});

test("without a watcher a subscription brings the notices of all", async () => {
  await speaker.watch("agent:one:main", "agent:any:a");
  await speaker.watch("agent:two:main", "agent:any:b");
  const stream = await openStream(speaker.service.url, "subscription { staleNotice { watcherSessionKey } }");
  const watchers = new Set<string>();
  await speaker.changeGoal("agent:any:a");
  await speaker.changeGoal("agent:any:b");
  while (watchers.size < 2) {
    const { watcherSessionKey } = (await stream.next()).data.staleNotice;
    if (watcherSessionKey !== coordinator) watchers.add(watcherSessionKey);
  }
  expect([...watchers].sort()).toEqual(["agent:one:main", "agent:two:main"]);
  stream.leave();
});
