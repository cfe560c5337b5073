import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type ChangesPage, createClient, type HeadsupClient } from "../../src/client/index.js";
import { startTestService, type TestService } from "../support/server.js";

const watcherSessionKey = "agent:lead:main";

let service: TestService;
let client: HeadsupClient;
beforeAll(async () => {
  service = await startTestService();
  client = createClient({ url: service.url });
});
afterAll(() => service.stop());

async function logGoals(sessionKey: string, count: number): Promise<number[]> {
  const goal = { sessionKey, kind: "GOAL_CHANGED", actor: { type: "HUMAN" } } as const;
  const answers = await client.appendMany(Array.from({ length: count }, () => goal));
  return answers.map(({ event }) => event?.sequence ?? expect.fail());
}

async function pagesOf(pages: AsyncIterable<ChangesPage>): Promise<ChangesPage[]> {
  const all: ChangesPage[] = [];
  for await (const page of pages) all.push(page);
  return all;
}

describe("changes", () => {
  test("it pages on without overlap or hole, also where other sessions' events lie between", async () => {
    const [sessionKey, others] = ["agent:coder:pages", "agent:coder:others"];
    const sequences: number[] = [];
    for (let round = 0; round < 5; round++) {
      sequences.push(...(await logGoals(sessionKey, 3)));
      await logGoals(others, 2);
    }
    for (const first of [1, 4, 5, 15, 200, undefined]) {
      const pages = await pagesOf(client.changes({ sessionKey, changesSince: 0, first }));
      expect(pages.flatMap(({ events }) => events.map(({ sequence }) => sequence))).toEqual(sequences);
      expect(pages.length).toBe(Math.ceil(sequences.length / (first ?? 200)));
      expect(pages.every(({ historyGap, stateVersion }) => !historyGap && stateVersion === sequences.at(-1))).toBe(
        true,
      );
    }
    const since = sequences[6] ?? expect.fail();
    const [page] = await pagesOf(client.changes({ sessionKey, changesSince: since }));
    expect(page?.events.map(({ sequence }) => sequence)).toEqual(sequences.slice(7));
  });

  test("what is logged while it pages comes too", async () => {
    const sessionKey = "agent:coder:growing";
    const before = await logGoals(sessionKey, 3);
    const pages = client.changes({ sessionKey, changesSince: 0, first: 2 });
    const first = (await pages.next()).value;
    const after = await logGoals(sessionKey, 2);
    const rest = await pagesOf(pages);
    const seen = [first ?? expect.fail(), ...rest].flatMap(({ events }) => events);
    expect(seen.map(({ sequence }) => sequence)).toEqual([...before, ...after]);
  });

  test("a bare session is named with its agent", async () => {
    const name = { sessionKey: "global", agentId: "coder" };
    await client.append({ ...name, kind: "COMPACTED", actor: { type: "SYSTEM" } });
    const [page] = await pagesOf(client.changes({ ...name, changesSince: 0 }));
    expect(page?.events.length).toBe(1);
  });

  test("with nothing new there is one empty page, and a gap is told even so", async () => {
    const sessionKey = "agent:coder:deleted";
    const [last = 0] = await logGoals(sessionKey, 1);
    const quiet = await pagesOf(client.changes({ sessionKey, changesSince: last }));
    expect(quiet).toMatchObject([{ events: [], historyGap: false, stateVersion: last }]);
    await client.deleteSession({ sessionKey });
    const gone = await pagesOf(client.changes({ sessionKey, changesSince: last }));
    expect(gone).toMatchObject([{ events: [], historyGap: true }]);
  });

  test("a version ahead of the log is refused", async () => {
    const pages = client.changes({ sessionKey: "agent:coder:ahead", changesSince: 2 ** 40 });
    await expect(pages.next()).rejects.toMatchObject({ code: "VERSION_AHEAD_OF_LOG" });
  });
});

describe("catchUp", () => {
  async function watched(name: string): Promise<string> {
    const targetSessionKey = `agent:coder:${name}`;
    await client.watch({ watcherSessionKey, targetSessionKey });
    return targetSessionKey;
  }

  test("it hands over the exact delta of each pending notice, reconciles, and then nothing is pending", async () => {
    const [a, b] = [await watched("a"), await watched("b")];
    const expected = { [a]: await logGoals(a, 3), [b]: await logGoals(b, 1) };
    const seen: Record<string, number[]> = {};
    for await (const { notice, events, historyGap } of client.catchUp({ watcherSessionKey })) {
      expect(historyGap).toBe(false);
      seen[notice.targetSessionKey] = events.map(({ sequence }) => sequence);
    }
    expect(seen).toEqual(expected);
    expect(await client.pendingNotices({ watcherSessionKey })).toEqual([]);
  });

  test("what the agent did not finish with is told again", async () => {
    const target = await watched("unfinished");
    await logGoals(target, 1);
    const before = await client.pendingNotices({ watcherSessionKey });
    for await (const { notice } of client.catchUp({ watcherSessionKey })) {
      expect(notice.targetSessionKey).toBe(target);
      break;
    }
    expect(await client.pendingNotices({ watcherSessionKey })).toEqual(before);
    for await (const _ of client.catchUp({ watcherSessionKey }));
    expect(await client.pendingNotices({ watcherSessionKey })).toEqual([]);
  });

  test("what changes while the agent works comes in the same round", async () => {
    const target = await watched("busy");
    await logGoals(target, 2);
    const counts: number[] = [];
    for await (const { events } of client.catchUp({ watcherSessionKey })) {
      if (counts.push(events.length) === 1) await logGoals(target, 1);
    }
    expect(counts).toEqual([2, 1]);
  });
});
