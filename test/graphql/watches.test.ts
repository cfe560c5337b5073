import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { iso, type Speaker, startSpeaker } from "./speaker.js";

let speaker: Speaker;
beforeAll(async () => {
  speaker = await startSpeaker();
});
afterAll(() => speaker.service.stop());
const ask: Speaker["ask"] = (query, variables) => speaker.ask(query, variables);
const pairOf = (watcherSessionKey: string, targetSessionKey: string) => ({ watcherSessionKey, targetSessionKey });

describe("watches", () => {
  const watchQuery = `mutation ($input: WatchInput!) { watch(input: $input) {
    watched reason watch { watcherSessionKey targetSessionKey targetAgentId origin lastSeen notified material pending updatedAt }
  } }`;

  test("watch starts at the target's present version, unwatch ends it", async () => {
    const version = await speaker.changeGoal("agent:watched:main");
    const input = pairOf("agent:looker:main", "agent:watched:main");
    expect((await ask(watchQuery, { input })).watch).toEqual({
      watched: true,
      reason: null,
      watch: {
        ...input,
        targetAgentId: "watched",
        origin: "EXPLICIT",
        lastSeen: version,
        notified: version,
        material: expect.any(Number),
        pending: false,
        updatedAt: iso,
      },
    });
    const unwatch = "mutation ($input: WatchInput!) { unwatch(input: $input) { removed } }";
    expect((await ask(unwatch, { input })).unwatch).toEqual({ removed: true });
    expect((await ask(unwatch, { input })).unwatch).toEqual({ removed: false });
  });

  test.each([
    ["SELF", pairOf("agent:a:main", "agent:a:main")],
    ["WATCHER_NOT_AGENT_QUALIFIED", pairOf("global", "agent:a:main")],
  ])("watch is refused without an error: %s", async (reason, input) => {
    expect((await ask(watchQuery, { input })).watch).toEqual({ watched: false, reason, watch: null });
  });

  test("watches are listed by watcher and by target", async () => {
    await speaker.watch("agent:lister:main", "agent:listed:one");
    await speaker.watch("agent:lister:main", "agent:listed:two");
    const query = `query ($watcher: ID, $target: ID, $agent: ID) {
      watches(watcherSessionKey: $watcher, targetSessionKey: $target, targetAgentId: $agent) {
        nodes { targetSessionKey } edges { cursor } pageInfo { hasNextPage }
      }
    }`;
    const targets = async (variables: Record<string, string>) =>
      (await ask(query, variables)).watches.nodes
        .map((node: { targetSessionKey: string }) => node.targetSessionKey)
        .sort();
    expect(await targets({ watcher: "agent:lister:main" })).toEqual(["agent:listed:one", "agent:listed:two"]);
    expect(await targets({ target: "agent:listed:two" })).toEqual(["agent:listed:two"]);
    expect(await targets({ agent: "listed" })).toEqual(["agent:listed:one", "agent:listed:two"]);
  });
});
