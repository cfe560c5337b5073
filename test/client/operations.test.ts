import { afterAll, beforeAll, describe, expect, expectTypeOf, test } from "vitest";
import {
  type AppendPayload,
  createClient,
  documents,
  type HeadsupClient,
  type HeadsupError,
  type Payload,
  type Session,
  type SessionEventKind,
  type SessionStateEvent,
  type StaleNotice,
  type Watch,
} from "../../src/client/index.js";
import { startTestService, type TestService } from "../support/server.js";

const watcherSessionKey = "agent:lead:main";
const human = { type: "HUMAN" } as const;

let service: TestService;
let client: HeadsupClient;
beforeAll(async () => {
  service = await startTestService();
  client = createClient({ url: service.url });
});
afterAll(() => service.stop());

/** A session that the lead watches, of its own for each test. */
async function watched(name: string): Promise<string> {
  const targetSessionKey = `agent:coder:${name}`;
  await client.watch({ watcherSessionKey, targetSessionKey });
  return targetSessionKey;
}

function humanWrites(sessionKey: string): Promise<AppendPayload> {
  return client.append({ sessionKey, kind: "HUMAN_DIRECT_MESSAGE", actor: human });
}

describe("each method makes its round trip", () => {
  test("append", async () => {
    const input = {
      sessionKey: "agent:coder:append",
      sessionId: "s1",
      kind: "RUN_FAILED",
      actor: { type: "AGENT", id: "agent:coder:append" },
      runId: "r1",
      outcome: "TIMEOUT",
      summary: "gave up",
      payload: { attempts: 3, last: true, host: "ci", note: null },
      dedupeKey: "once",
      occurredAt: new Date().toISOString(),
    } as const;
    const { recorded, duplicate, reason, event } = await client.append(input);
    expect({ recorded, duplicate, reason }).toEqual({ recorded: true, duplicate: false, reason: null });
    expect(event).toMatchObject({
      sessionKey: input.sessionKey,
      agentId: "coder",
      kind: "RUN_FAILED",
      actorType: "AGENT",
      outcome: "TIMEOUT",
      summary: "gave up",
      payload: { ...input.payload, outcome: "timeout" },
      occurredAt: input.occurredAt,
    });
    expect(await client.append(input)).toEqual({ recorded: true, duplicate: true, reason: null, event });
    expect(await humanWrites("agent:nobody:cares")).toMatchObject({ recorded: false, reason: "NOT_WATCHED" });
  });

  test("appendMany", async () => {
    const event = { sessionKey: "global", agentId: "coder", kind: "COMPACTED", actor: { type: "SYSTEM" } } as const;
    const answers = await client.appendMany([event, event]);
    expect(answers.map((answer) => answer.event?.agentId)).toEqual(["coder", "coder"]);
  });

  test("registerSession, sessionsList and sessionStatus", async () => {
    const names = ["one", "two", "three"].map((name) => `agent:lister:${name}`);
    for (const sessionKey of names) await client.registerSession({ sessionKey, label: `label of ${sessionKey}` });
    const { session } = await client.registerSession({ sessionKey: "agent:lister:four", spawnedBy: names[0] });
    expect(session).toMatchObject({ agentId: "lister", spawnedBy: names[0], stateVersion: null });
    const seen: string[] = [];
    for (let after: string | null | undefined; ; ) {
      const { nodes, pageInfo } = await client.sessionsList({ agentId: "lister", first: 3, after });
      seen.push(...nodes.map(({ sessionKey }) => sessionKey));
      if (!pageInfo.hasNextPage) break;
      after = pageInfo.endCursor;
    }
    expect(seen.sort()).toEqual([...names, "agent:lister:four"].sort());
    expect((await client.sessionsList()).nodes.length).toBeGreaterThanOrEqual(4);
    const status = await client.sessionStatus({ sessionKey: "agent:lister:one" });
    expect(status).toMatchObject({
      stateVersion: 0,
      stateChanges: null,
      session: { label: "label of agent:lister:one" },
    });
  });

  test("watch, watches and unwatch", async () => {
    const pair = { watcherSessionKey, targetSessionKey: "agent:coder:watch" };
    const { watched, reason, watch } = await client.watch(pair);
    expect({ watched, reason }).toEqual({ watched: true, reason: null });
    expect(watch).toMatchObject({ ...pair, targetAgentId: "coder", origin: "EXPLICIT", pending: false });
    expect(await client.watch({ ...pair, targetSessionKey: watcherSessionKey })).toEqual({
      watched: false,
      reason: "SELF",
      watch: null,
    });
    expect((await client.watches({ targetSessionKey: pair.targetSessionKey })).nodes).toEqual([watch]);
    expect((await client.watches()).nodes).toContainEqual(watch);
    expect(await client.unwatch(pair)).toEqual({ removed: true });
    expect(await client.unwatch(pair)).toEqual({ removed: false });
  });

  test("pendingNotices, drainNotices and acknowledgeNotices", async () => {
    const target = await watched("notices");
    const first = (await humanWrites(target)).event?.sequence;
    await humanWrites(target);
    const pending = await client.pendingNotices({ watcherSessionKey });
    expect(pending).toMatchObject([{ targetSessionKey: target, notified: first, delivery: "IMMEDIATE" }]);
    const noticeIds = pending.map(({ id }) => id);
    const { results } = await client.acknowledgeNotices({ watcherSessionKey, noticeIds });
    const [{ outcome, reopened } = expect.fail()] = results;
    expect([outcome, reopened?.changesSince]).toEqual(["ACKNOWLEDGED", first]);
    expect(await client.drainNotices({ watcherSessionKey, limit: 1 })).toEqual({ notices: [reopened], remaining: 0 });
  });

  test("reconcile", async () => {
    const targetSessionKey = await watched("reconcile");
    const upTo = (await humanWrites(targetSessionKey)).event?.sequence ?? 0;
    const { watch } = await client.reconcile({ watcherSessionKey, targetSessionKey, upTo });
    expect(watch).toMatchObject({ lastSeen: upTo, pending: false });
  });

  test("resetSession and deleteSession", async () => {
    const sessionKey = "agent:leaver:main";
    await client.registerSession({ sessionKey });
    await client.watch({ watcherSessionKey: sessionKey, targetSessionKey: watcherSessionKey });
    expect(await client.resetSession({ sessionKey })).toEqual({ watchesRemoved: 1 });
    expect(await client.deleteSession({ sessionKey })).toEqual({ deleted: true });
    expect(await client.deleteSession({ sessionKey })).toEqual({ deleted: false });
  });

  test("notices speak the client's language", async () => {
    const target = await watched("languages");
    await humanWrites(target);
    const texts = [];
    for (const locale of [undefined, "ES", "PT_BR", "RU"] as const) {
      const [notice] = await createClient({ url: service.url, locale }).pendingNotices({ watcherSessionKey });
      texts.push(notice?.text);
    }
    expect(new Set(texts).size).toBe(4);
    expect(texts[0]).toMatch(/^Session "agent:coder:languages" changed/);
    await client.drainNotices({ watcherSessionKey });
  });
});

describe("refusals of the real service", () => {
  test("bad input names its field, in a call and in one item of many", async () => {
    const bad = { sessionKey: " agent:a:b", kind: "COMPACTED", actor: { type: "SYSTEM" } } as const;
    await expect(client.append(bad)).rejects.toMatchObject({ code: "BAD_USER_INPUT", field: "sessionKey" });
    const good = { ...bad, sessionKey: "agent:a:b" };
    const many = client.appendMany([good, bad]);
    await expect(many).rejects.toMatchObject({ code: "BAD_USER_INPUT", field: "inputs[1].sessionKey" });
  });

  test("a version that no log ever issued is VERSION_AHEAD_OF_LOG", async () => {
    const asked = client.sessionStatus({ sessionKey: "agent:a:b", changesSince: Number.MAX_SAFE_INTEGER });
    await expect(asked).rejects.toMatchObject({ code: "VERSION_AHEAD_OF_LOG" });
  });

  test("a document the service does not know is BAD_USER_INPUT", async () => {
    const document = documents.UnwatchDocument.toString().replace("unwatch(", "forget(");
    const input = { watcherSessionKey, targetSessionKey: watcherSessionKey };
    await expect(client.request(document, { input })).rejects.toMatchObject({ code: "BAD_USER_INPUT" });
  });
});

test("every type is exact: no any, versions are numbers, times and keys are strings", () => {
  expectTypeOf<SessionStateEvent["sequence"]>().toEqualTypeOf<number>();
  expectTypeOf<SessionStateEvent["occurredAt"]>().toEqualTypeOf<string>();
  expectTypeOf<SessionStateEvent["kind"]>().toEqualTypeOf<SessionEventKind>();
  expectTypeOf<Payload>().toEqualTypeOf<Record<string, string | number | boolean | null>>();
  expectTypeOf<Session["stateVersion"]>().toEqualTypeOf<number | null>();
  expectTypeOf<Session["sessionKey"]>().toEqualTypeOf<string>();
  expectTypeOf<Watch["lastSeen"]>().toEqualTypeOf<number>();
  expectTypeOf<StaleNotice["delivery"]>().toEqualTypeOf<"IMMEDIATE" | "NEXT_TURN">();
  expectTypeOf<HeadsupError["code"]>().not.toBeAny();
  expectTypeOf<MethodsWithAny>().toEqualTypeOf<never>();
});

type IsAny<T> = 0 extends 1 & T ? true : false;
type HasAny<T> =
  IsAny<T> extends true
    ? true
    : T extends AbortSignal // the platform's own, with its `reason: any`
      ? false
      : T extends AsyncIterator<infer Item>
        ? HasAny<Item>
        : T extends object
          ? true extends { [Key in keyof T]: HasAny<T[Key]> }[keyof T]
            ? true
            : false
          : false;
/** The methods whose input or payload has an any at some depth. */
type MethodsWithAny = {
  [Name in keyof HeadsupClient]: HeadsupClient[Name] extends (...input: infer Input) => infer Output
    ? true extends HasAny<Input[0]> | HasAny<Awaited<Output>>
      ? Name
      : never
    : never;
}[keyof HeadsupClient];
