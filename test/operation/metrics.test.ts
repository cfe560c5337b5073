import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pino } from "pino";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { loadConfig } from "../../src/config.js";
import { type Service, startService } from "../../src/service.js";
import { listening, openSocket, openStream } from "../server/clients.js";

const adminToken = "token-of-the-operation-tests-0123456789";
let folder: string;
let service: Service;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "headsup-"));
  const DATABASE_URL = `file:${join(folder, "test.db")}`;
  const config = loadConfig({ DATABASE_URL, PORT: "0", HEADSUP_ADMIN_TOKEN: adminToken, HEADSUP_RETENTION_ROWS: "2" });
  service = await startService(config, { log: pino({ level: "silent" }) });
});
afterAll(async () => {
  await service.stop();
  await rm(folder, { recursive: true, force: true });
});

const as = (token: string) => ({ authorization: `Bearer ${token}` });
const scrape = (headers: Record<string, string>) => fetch(new URL("/metrics", service.url), { headers });

async function figures(): Promise<Map<string, number>> {
  const lines = (await (await scrape(as(adminToken))).text()).split("\n").filter((line) => /^\w/.test(line));
  return new Map(lines.map((line) => [line.replace(/ \S+$/, ""), Number(/\S+$/.exec(line)?.[0])]));
}
const gql = (query: string) =>
  fetch(service.url, {
    method: "POST",
    headers: { "content-type": "application/json", accept: "application/json", ...as(adminToken) },
    body: JSON.stringify({ query }),
  });

describe("GET /metrics", () => {
  test("is for those who may read", async () => {
    const token = async (name: string, scopes: ("read" | "write")[]) =>
      (await service.awareness.tokens.create({ name, scopes, agents: ["one"] })).secret;
    expect((await scrape({})).status).toBe(401);
    expect((await scrape(as("hup_nobody"))).status).toBe(401);
    expect((await scrape(as(await token("writer", ["write"])))).status).toBe(403);
    const shown = await scrape(as(await token("reader", ["read"])));
    expect([shown.status, shown.headers.get("content-type")]).toEqual([
      200,
      "text/plain; version=0.0.4; charset=utf-8",
    ]);
  });
});

describe("what is counted", () => {
  const event = { sessionKey: "agent:counted:main", kind: "GOAL_CHANGED", actor: { type: "HUMAN" } } as const;

  test("appends by what became of them, batches, and the time of their commits", async () => {
    const before = await figures();
    const grown = async (name: string) => ((await figures()).get(name) ?? 0) - (before.get(name) ?? 0);
    await service.awareness.append({ ...event, dedupeKey: "one" });
    await service.awareness.append({ ...event, dedupeKey: "one" });
    await service.awareness.appendMany([event, { ...event, kind: "HUMAN_DIRECT_MESSAGE" }, event]);
    expect(await grown('headsup_appends_total{result="recorded"}')).toBe(3);
    expect(await grown('headsup_appends_total{result="duplicate"}')).toBe(1);
    expect(await grown('headsup_appends_total{result="not_watched"}')).toBe(1);
    expect(await grown('headsup_appends_total{result="storage_unavailable"}')).toBe(0);
    expect(await grown("headsup_batch_events_count")).toBe(3);
    expect(await grown("headsup_batch_events_sum")).toBe(5);
    expect(await grown('headsup_batch_events_bucket{le="1"}')).toBe(2);
    expect(await grown("headsup_commit_seconds_count")).toBe(3);
    expect(await grown("headsup_commit_seconds_sum")).toBeGreaterThan(0);
  });

  test("notices that are open, subscribers, what they were handed, and what they came by", async () => {
    await service.awareness.watch({ watcherSessionKey: "agent:boss:main", targetSessionKey: event.sessionKey });
    const client = await openSocket(service.url.replace(/^http/, "ws"), { headers: as(adminToken) });
    client.subscribe("x", listening, { w: "agent:boss:main" });
    const stream = await openStream(service.url, listening, { w: "agent:boss:main" }, as(adminToken));
    await stream.line();
    await service.awareness.append(event);
    await Promise.all([client.next(), stream.next()]);
    const now = await figures();
    expect(now.get("headsup_subscribers")).toBe(2);
    expect(now.get("headsup_deliveries_total")).toBe(2);
    expect(now.get('headsup_sockets{kind="websocket"}')).toBe(1);
    expect(now.get('headsup_sockets{kind="event_stream"}')).toBe(1);
    expect(now.get("headsup_queue_events")).toBe(0);
    expect(now.get("headsup_queue_jobs")).toBe(0);
    // It is a query, so it may be 5 s old; by then it is right.
    expect([0, 1]).toContain(now.get("headsup_open_notices"));
    client.socket.close(1000);
    await client.closed;
    stream.leave();
    while ((await figures()).get('headsup_websocket_closes_total{code="1000"}') !== 1);
  });

  test("codes that a client makes up are counted together", async () => {
    for (const code of [3999, 4999]) {
      const client = await openSocket(service.url.replace(/^http/, "ws"), { headers: as(adminToken) });
      client.socket.close(code);
      await client.closed;
    }
    while ((await figures()).get('headsup_websocket_closes_total{code="other"}') !== 2);
  });

  test("what retention has removed", async () => {
    await service.awareness.sweep();
    expect((await figures()).get("headsup_pruned_events_total")).toBeGreaterThan(0);
  });

  test("refusals by code, over every transport", async () => {
    const name = 'headsup_refused_total{code="BAD_USER_INPUT"}';
    const before = (await figures()).get(name) ?? 0;
    await gql("{ nothing }");
    expect((await figures()).get(name)).toBe(before + 1);
    const client = await openSocket(service.url.replace(/^http/, "ws"), { headers: as(adminToken) });
    client.subscribe("x", "{ nothing }");
    await client.next();
    client.subscribe("y", '{ sessionStatus(sessionKey: "agent:") { stateVersion } }');
    await client.next();
    client.socket.terminate();
    expect((await figures()).get(name)).toBe(before + 3);
    await (await openStream(service.url, "{ nothing }", {}, as(adminToken))).next();
    expect((await figures()).get(name)).toBe(before + 4);
    expect((await figures()).get('headsup_refused_total{code="RATE_LIMITED"}')).toBe(0);
  });

  test("what the process is doing", async () => {
    const now = await figures();
    for (const quantile of ["0.5", "0.99", "1"]) {
      expect(now.get(`headsup_event_loop_delay_seconds{quantile="${quantile}"}`)).toBeGreaterThanOrEqual(0);
    }
    for (const name of ["process_resident_memory_bytes", "nodejs_heap_size_used_bytes", "process_cpu_seconds_total"]) {
      expect(now.get(name)).toBeGreaterThan(0);
    }
  });
});
