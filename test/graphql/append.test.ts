import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { appendOperation, goal, iso, type Speaker, startSpeaker } from "./speaker.js";

let speaker: Speaker;
beforeAll(async () => {
  speaker = await startSpeaker();
});
afterAll(() => speaker.service.stop());
const ask: Speaker["ask"] = (query, variables) => speaker.ask(query, variables);

describe("append", () => {
  test("answers with the event as it was logged", async () => {
    const input = {
      sessionKey: "agent:worker:full",
      agentId: "worker",
      sessionId: "incarnation-1",
      kind: "RUN_FAILED",
      actor: { type: "AGENT", id: "agent:other:main" },
      runId: "run-1",
      outcome: "TIMEOUT",
      summary: "It took\ntoo long",
      payload: { seconds: 30, final: true },
      dedupeKey: "once",
    };
    const { append: first } = await ask(appendOperation, { input });
    expect(first).toEqual({
      recorded: true,
      duplicate: false,
      reason: null,
      event: {
        sequence: expect.any(Number),
        sessionKey: "agent:worker:full",
        agentId: "worker",
        sessionId: "incarnation-1",
        kind: "RUN_FAILED",
        actorType: "AGENT",
        actorId: "agent:other:main",
        runId: "run-1",
        outcome: "TIMEOUT",
        occurredAt: iso,
        summary: "It took too long",
        payload: { seconds: 30, final: true, outcome: "timeout" },
      },
    });
    const { append: again } = await ask(appendOperation, { input });
    expect(again).toEqual({ ...first, duplicate: true });
  });

  test("of a human's message to a session that nobody watches records nothing", async () => {
    const input = { ...goal("agent:worker:lonely"), kind: "HUMAN_DIRECT_MESSAGE" };
    const { append: answer } = await ask(appendOperation, { input });
    expect(answer).toEqual({ recorded: false, duplicate: false, reason: "NOT_WATCHED", event: null });
  });

  test.each(["yesterday", "2026-02-30T00:00:00Z", 12, true, null])(
    "takes occurredAt %j as absent",
    async (occurredAt) => {
      const before = Date.now();
      const { append: answer } = await ask(appendOperation, { input: goal("agent:worker:times", { occurredAt }) });
      expect(Date.parse(answer.event.occurredAt)).toBeGreaterThanOrEqual(before);
    },
  );

  test("keeps payload keys such as __proto__ as data, from variables", async () => {
    const body = `{"query":${JSON.stringify(appendOperation)},"variables":{"input":{"sessionKey":"agent:worker:proto","kind":"GOAL_CHANGED",
      "actor":{"type":"HUMAN"},"payload":{"__proto__":"a","constructor":"b","toString":"c"}}}}`;
    const answer = await (await speaker.service.post(body)).text();
    expect(answer).toContain('"payload":{"__proto__":"a","constructor":"b","toString":"c"}');
  });

  test("keeps payload keys such as __proto__ as data, written out", async () => {
    const query = `mutation ($word: String) {
      append(input: {
        sessionKey: "agent:worker:proto", kind: GOAL_CHANGED, actor: { type: HUMAN },
        payload: { __proto__: "a", constructor: 1.5, prototype: null, big: 9007199254740991, yes: true, word: $word }
      }) { event { payload } }
    }`;
    const answer = await (await speaker.service.post(JSON.stringify({ query, variables: { word: "hi" } }))).text();
    expect(answer).toContain(
      '"payload":{"__proto__":"a","constructor":1.5,"prototype":null,"big":9007199254740991,"yes":true,"word":"hi"}',
    );
    expect(Object.prototype).not.toHaveProperty("a");
  });

  test("appendMany logs in order", async () => {
    const inputs = [goal("agent:worker:many", { summary: "one" }), goal("agent:worker:many", { summary: "two" })];
    const { appendMany } = await ask(
      "mutation ($inputs: [AppendInput!]!) { appendMany(inputs: $inputs) { recorded event { sequence summary } } }",
      { inputs },
    );
    expect(appendMany.map((answer: { event: { summary: string } }) => answer.event.summary)).toEqual(["one", "two"]);
    expect(appendMany[1].event.sequence).toBeGreaterThan(appendMany[0].event.sequence);
  });

  test("takes 500 items", async () => {
    const { data, errors } = await speaker.service.gql(
      "mutation ($inputs: [AppendInput!]!) { appendMany(inputs: $inputs) { recorded } }",
      { inputs: Array(500).fill(goal("agent:worker:flood")) },
    );
    expect(errors).toBeUndefined();
    expect(data.appendMany).toHaveLength(500);
  });
});
