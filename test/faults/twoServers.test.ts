import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type ServerProcess, startServer } from "./serverProcess.js";

const appendOne = `mutation ($input: AppendInput!) {
  append(input: $input) { recorded duplicate event { sequence } }
}`;
const watch = "mutation ($input: WatchInput!) { watch(input: $input) { watched } }";
const drain = "mutation ($input: DrainNoticesInput!) { drainNotices(input: $input) { remaining } }";

describe("two servers that start at once on one fresh database", () => {
  let folder: string;
  let one: ServerProcess;
  let other: ServerProcess;

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), "headsup-two-"));
    const file = join(folder, "test.db");
    [one, other] = await Promise.all([startServer(file), startServer(file)]);
  });
  afterAll(async () => {
    await Promise.all([one, other].map((server) => server?.end("SIGTERM")));
    await rm(folder, { recursive: true, force: true });
  });

  async function append(server: ServerProcess, sessionKey: string, dedupeKey?: string) {
    const input = { sessionKey, kind: "GOAL_CHANGED", actor: { type: "HUMAN" }, dedupeKey };
    const answer = await server.call(appendOne, { input });
    return answer.data?.append as { recorded: boolean; duplicate: boolean; event: { sequence: number } };
  }

  async function eachEventOnce(sessionKey: string): Promise<number[]> {
    const query = `query ($key: ID!) { sessionStatus(sessionKey: $key, changesSince: 0) {
      stateChanges { events { sequence } } } }`;
    const answer = await other.call(query, { key: sessionKey });
    const status = answer.data?.sessionStatus as { stateChanges: { events: { sequence: number }[] } };
    return status.stateChanges.events.map(({ sequence }) => sequence);
  }

  it("append at the same time and never give a number twice", async () => {
    const sessionKey = "agent:main:both";
    const servers = Array.from({ length: 100 }, (_, index) => (index % 2 === 0 ? one : other));
    const answers = await Promise.all(servers.map((server) => append(server, sessionKey)));
    const numbers = answers.map(({ event }) => event.sequence).sort((a, b) => a - b);
    expect(new Set(numbers).size).toBe(100);
    expect(await eachEventOnce(sessionKey)).toEqual(numbers);
  });

  it("record a dedupe key once, whichever of them is asked", async () => {
    const sessionKey = "agent:main:deduped";
    const keys = Array.from({ length: 20 }, (_, index) => `key-${index}`);
    const answers = await Promise.all(
      keys.map((key) => Promise.all([append(one, sessionKey, key), append(other, sessionKey, key)])),
    );
    for (const pair of answers) {
      expect(pair[0].event.sequence).toBe(pair[1].event.sequence);
      expect(pair.map(({ duplicate }) => duplicate).sort()).toEqual([false, true]);
    }
    expect(await eachEventOnce(sessionKey)).toHaveLength(20);
  });

  it("tell their subscribers of a notice that the other one opened", async () => {
    const watcherSessionKey = "agent:main:subscriber";
    const targets = ["agent:main:first", "agent:main:second"];
    for (const targetSessionKey of targets) await one.call(watch, { input: { watcherSessionKey, targetSessionKey } });
    const ending = AbortSignal.timeout(25_000);
    const notices = other.subscribe(
      `subscription { staleNotice(watcherSessionKey: "${watcherSessionKey}") { targetSessionKey notified } }`,
      ending,
    );

    // The first is pending before: its arrival shows that the subscription is live.
    const before = await append(one, "agent:main:first");
    expect(await nextOf(notices)).toEqual({ targetSessionKey: "agent:main:first", notified: before.event.sequence });
    const live = await append(one, "agent:main:second");
    expect(await nextOf(notices)).toEqual({ targetSessionKey: "agent:main:second", notified: live.event.sequence });

    await one.call(drain, { input: { watcherSessionKey } });
    const again = await append(one, "agent:main:first");
    expect(await nextOf(notices)).toEqual({ targetSessionKey: "agent:main:first", notified: again.event.sequence });
    await notices.return(undefined);
  });
});

async function nextOf(notices: AsyncGenerator<Record<string, unknown>>): Promise<unknown> {
  const { value } = await notices.next();
  return value?.staleNotice;
}
