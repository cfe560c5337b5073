import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { iso, type Speaker, startSpeaker } from "./speaker.js";

let speaker: Speaker;
beforeAll(async () => {
  speaker = await startSpeaker();
});
afterAll(() => speaker.service.stop());
const ask: Speaker["ask"] = (query, variables) => speaker.ask(query, variables);
const pairOf = (watcherSessionKey: string, targetSessionKey: string) => ({ watcherSessionKey, targetSessionKey });
const noticeFields = "id watcherSessionKey targetSessionKey targetAgentId changesSince notified delivery openedAt text";

describe("notices", () => {
  test("pendingNotices and drainNotices return the same notice, in the four languages", async () => {
    const pair = pairOf("agent:told:main", "agent:news:main");
    await speaker.watch(pair.watcherSessionKey, pair.targetSessionKey);
    const version = await speaker.changeGoal(pair.targetSessionKey);
    const { pendingNotices } = await ask(
      `{ pendingNotices(watcherSessionKey: "agent:told:main") {
        ${noticeFields} es: text(locale: ES) pt: text(locale: PT_BR) ru: text(locale: RU)
      } }`,
    );
    expect(pendingNotices).toHaveLength(1);
    const { es, pt, ru, ...pending } = pendingNotices[0];
    const call = 'session_status sessionKey "agent:news:main" changesSince 0';
    for (const line of [pending.text, es, pt, ru]) expect(line).toContain(call);
    expect(new Set([pending.text, es, pt, ru]).size).toBe(4);
    expect(pending).toEqual({
      id: expect.any(String),
      ...pair,
      targetAgentId: "news",
      changesSince: 0,
      notified: version,
      delivery: "IMMEDIATE",
      openedAt: iso,
      text: `Session "agent:news:main" changed (other actor). Reconcile before acting: ${call}.`,
    });
    const drain = `mutation { drainNotices(input: { watcherSessionKey: "agent:told:main" }) { notices { ${noticeFields} } remaining } }`;
    expect((await ask(drain)).drainNotices).toEqual({ notices: [pending], remaining: 0 });
    expect((await ask(drain)).drainNotices).toEqual({ notices: [], remaining: 0 });
  });

  test("pendingNotices takes a limit", async () => {
    for (const target of ["agent:limit:a", "agent:limit:b"]) {
      await speaker.watch("agent:limited:main", target);
      await speaker.changeGoal(target);
    }
    const { pendingNotices } = await ask(
      '{ pendingNotices(watcherSessionKey: "agent:limited:main", limit: 1) { targetSessionKey } }',
    );
    expect(pendingNotices).toEqual([{ targetSessionKey: "agent:limit:a" }]);
  });

  test("acknowledgeNotices tells acknowledged, already acknowledged and unknown apart, and what reopened", async () => {
    await speaker.watch("agent:ack:main", "agent:acked:main");
    await speaker.changeGoal("agent:acked:main");
    await speaker.changeGoal("agent:acked:main");
    const { pendingNotices } = await ask('{ pendingNotices(watcherSessionKey: "agent:ack:main") { id notified } }');
    const query = `mutation ($ids: [ID!]!) {
      acknowledgeNotices(input: { watcherSessionKey: "agent:ack:main", noticeIds: $ids }) {
        results { noticeId outcome reopened { changesSince } }
      }
    }`;
    const { id, notified } = pendingNotices[0];
    const { acknowledgeNotices: first } = await ask(query, { ids: [id, "nonsense"] });
    expect(first.results).toEqual([
      { noticeId: id, outcome: "ACKNOWLEDGED", reopened: { changesSince: notified } },
      { noticeId: "nonsense", outcome: "UNKNOWN", reopened: null },
    ]);
    const { acknowledgeNotices: second } = await ask(query, { ids: [id] });
    expect(second.results[0].outcome).toBe("ALREADY_ACKNOWLEDGED");
  });

  test("reconcile moves the watch up; for a pair that is not watched it answers null", async () => {
    await speaker.watch("agent:read:main", "agent:ahead:main");
    const version = await speaker.changeGoal("agent:ahead:main");
    const query = `mutation ($input: ReconcileInput!) { reconcile(input: $input) { watch { lastSeen pending } } }`;
    const input = { ...pairOf("agent:read:main", "agent:ahead:main"), upTo: version };
    expect((await ask(query, { input })).reconcile.watch).toEqual({ lastSeen: input.upTo, pending: false });
    expect(
      (await ask(query, { input: { ...input, watcherSessionKey: "agent:other:main" } })).reconcile.watch,
    ).toBeNull();
  });
});
