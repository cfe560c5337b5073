import pg from "pg";
import { pino } from "pino";
import { afterAll, beforeAll, expect, test } from "vitest";
import { loadConfig } from "../../src/config.js";
import { type Service, startService } from "../../src/service.js";
import { Heard } from "../processes/heard.js";
import { listening, openSocket, type SocketClient } from "../server/clients.js";
import { startPostgres, type TestPostgres } from "../support/postgres.js";

const target = "agent:away:worker";
const watcher = "agent:away:boss";
const append = `mutation ($key: String) {
  append(input: { sessionKey: "${target}", kind: GOAL_CHANGED, actor: { type: HUMAN }, summary: $key, dedupeKey: $key }) {
    recorded reason
  }
}`;
const read = `{ sessionStatus(sessionKey: "${target}", changesSince: 0) { stateChanges { events { summary } } } }`;
const drain = `mutation { drainNotices(input: { watcherSessionKey: "${watcher}", limit: 500 }) { remaining } }`;

let postgres: TestPostgres;
const logged = new Heard<string>();
let service: Service;
beforeAll(async () => {
  postgres = await startPostgres();
  const config = loadConfig({ DATABASE_URL: await postgres.createDatabase(), PORT: "0", HEADSUP_AUTH: "off" });
  service = await startService(config, {
    log: pino({ level: "info" }, { write: (line: string) => logged.push(JSON.parse(line).msg) }),
  });
}, 60_000);
afterAll(async () => {
  await service?.stop();
  await postgres?.stop();
});

type Answer = { data?: Record<string, unknown> | null; errors?: { extensions: { code: string } }[] };

async function gql(query: string, variables: object = {}): Promise<Answer> {
  const response = await fetch(service.url, {
    method: "POST",
    headers: { "content-type": "application/json", accept: "application/json" },
    body: JSON.stringify({ query, variables }),
  });
  return (await response.json()) as Answer;
}
/** As an administrator, on a connection of its own. */
async function administer(...statements: string[]): Promise<void> {
  const administrator = new pg.Client({ connectionString: postgres.url("postgres") });
  await administrator.connect();
  for (const statement of statements) await administrator.query(statement);
  await administrator.end();
}
const statusOf = async (path: string) => (await fetch(new URL(path, service.url))).status;
/** Appends one event; when it is not recorded, storage is what it must be for. */
async function isRecorded(key: string): Promise<boolean> {
  const { data, errors } = await gql(append, { key });
  expect(errors).toBeUndefined();
  const { recorded, reason } = (data?.append ?? {}) as { recorded: boolean; reason: string | null }; // what is asked for
  expect(reason).toBe(recorded ? null : "STORAGE_UNAVAILABLE");
  return recorded;
}

async function summaries(): Promise<string[]> {
  const { data, errors } = await gql(read);
  expect(errors).toBeUndefined();
  const { stateChanges } = (data?.sessionStatus ?? {}) as { stateChanges: { events: { summary: string }[] } }; // the same
  return stateChanges.events.map(({ summary }) => summary);
}

async function nextNotice(client: SocketClient): Promise<void> {
  expect((await client.next()).payload.data.staleNotice.targetSessionKey).toBe(target);
}

test("a database that goes away for a while: told so, nothing acknowledged is lost, and all goes on by itself", async () => {
  await service.awareness.watch({ watcherSessionKey: watcher, targetSessionKey: target });
  const client = await openSocket(service.url.replace(/^http/, "ws"));
  client.subscribe("x", listening, { w: watcher });
  const acknowledged: string[] = [];
  for (const key of ["one", "two", "three"]) {
    expect(await isRecorded(key)).toBe(true);
    acknowledged.push(key);
  }
  await nextNotice(client);

  await postgres.restart(async () => {
    expect(await isRecorded("lost")).toBe(false);
    for (const query of [read, drain]) {
      expect((await gql(query)).errors?.[0]?.extensions).toEqual({ code: "SERVICE_UNAVAILABLE" });
    }
    expect([await statusOf("/healthz"), await statusOf("/readyz"), await statusOf("/metrics")]).toEqual([
      200, 503, 200,
    ]);
  });

  // The first use of each connection that broke may still say so.
  while ((await statusOf("/readyz")) !== 200);
  while ((await gql(drain)).errors !== undefined);
  for (const key of ["four", "five"]) {
    while (!(await isRecorded(key)));
    acknowledged.push(key);
  }
  expect(await summaries()).toEqual(acknowledged);
  // Listening fails at each try, and is spoken of once.
  await logged.until((all) => all.includes("could listen for other processes again"));
  expect(logged.all.filter((line) => line.includes("listen for other processes"))).toEqual([
    "could not listen for other processes; trying again",
    "could listen for other processes again",
  ]);
  // The same subscription on the same connection, and what is pending is told of.
  await nextNotice(client);
  client.socket.terminate();
});

test("a database that has become read-only: read from, no append taken, and all goes on when it is writable again", async () => {
  const acknowledged = await summaries();
  await administer("ALTER SYSTEM SET default_transaction_read_only = on", "SELECT pg_reload_conf()");
  // Its sessions hear of that in their own time.
  for (let each = 1; await isRecorded(`still ${each}`); each += 1) acknowledged.push(`still ${each}`);
  expect(await summaries()).toEqual(acknowledged);

  await administer("ALTER SYSTEM RESET default_transaction_read_only", "SELECT pg_reload_conf()");
  while (!(await isRecorded("writable")));
  expect(await summaries()).toEqual([...acknowledged, "writable"]);
});
