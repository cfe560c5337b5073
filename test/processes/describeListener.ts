import pg from "pg";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { TestPostgres } from "../support/postgres.js";
import { type BlackHole, startBlackHole } from "./blackHole.js";
import { goal, watchAll } from "./describeCrossing.js";
import { hearOverEventStream, hearOverWebSocket } from "./heard.js";
import type { Pair } from "./pair.js";
import { type ServerProcess, startServer } from "./serverProcess.js";
import { runSql, untilRows } from "./sql.js";

/** The database's own processes that serve listening connections. */
const listening = `SELECT pid FROM pg_stat_activity
  WHERE application_name = 'headsup listener' AND datname = current_database()`;

/** How processes tell each other on PostgreSQL: hints over one listening connection each, and what if that breaks. */
export function describeListener(pair: Pair, postgres: () => TestPostgres): void {
  test("listening connections that are killed while the other process appends lose no notice and restart no client", async () => {
    const watcher = "agent:killed:main";
    const targets = Array.from({ length: 60 }, (_, n) => `agent:killed${n}:main`);
    await watchAll(pair.clients[0], watcher, targets);
    const states: string[] = [];
    const client = pair.servers[1].client({ onConnection: (state) => states.push(state) });
    const overWebSocket = hearOverWebSocket(client, watcher);
    const overEventStream = await hearOverEventStream(pair.servers[1].url, watcher);
    for (const [n, target] of targets.entries()) {
      if (n % 20 === 5) await killListeners();
      await pair.clients[0].append(goal(target));
    }
    for (const heard of [overWebSocket, overEventStream]) {
      await heard.untilAll(targets);
      expect([...heard.all].sort()).toEqual([...targets].sort());
    }
    expect(states).toEqual(["connected"]);
  });

  async function listeners(): Promise<number[]> {
    return (await runSql<{ pid: number }>(pair.databaseUrl, listening)).map(({ pid }) => pid);
  }

  function untilAnotherListens(before: readonly number[]): Promise<void> {
    return untilRows(pair.databaseUrl, `${listening} AND pid <> ALL ($1)`, [before]);
  }

  /** Those killed before come again by themselves. */
  async function killListeners(): Promise<void> {
    await untilAnotherListens([]);
    for (const pid of await listeners()) await runSql(pair.databaseUrl, "SELECT pg_terminate_backend($1)", [pid]);
  }

  test("a hint is small and holds no text, also for 500 targets with the longest keys, and the notices cross", async () => {
    const watcher = "agent:longest:main";
    const keys = Array.from({ length: 500 }, (_, n) => `agent:a:${n}:`.padEnd(512, "界"));
    const spawned = keys.map((sessionKey) => ({
      sessionKey,
      kind: "CHILD_SPAWNED" as const,
      actor: { type: "AGENT" as const, id: watcher },
    }));
    await pair.clients[0].appendMany(spawned);
    const heard = await hearOverEventStream(pair.servers[1].url, watcher);
    const listener = new pg.Client({ connectionString: pair.databaseUrl });
    await listener.connect();
    const hints: string[] = [];
    listener.on("notification", ({ payload = "" }) => hints.push(payload));
    await listener.query("LISTEN headsup_changes");

    await pair.clients[0].appendMany(keys.map((sessionKey) => ({ ...goal(sessionKey), summary: "never told" })));
    await heard.untilAll(keys);
    await pair.clients[0].append({ ...goal("agent:killed1:main"), summary: "never told" });
    await pair.clients[0].drainNotices({ watcherSessionKey: watcher, limit: 500 });
    await pair.clients[0].drainNotices({ watcherSessionKey: "agent:killed:main", limit: 2 });
    await listener.query("SELECT 1");
    await listener.end();

    expect(heard.all).toHaveLength(500);
    expect(hints.length).toBeGreaterThanOrEqual(3);
    for (const hint of hints) expect(Buffer.byteLength(hint)).toBeLessThan(8_000);
    expect(hints.join()).not.toContain("never told");
  });

  describe("a process whose way to the database is lost without a word", () => {
    let way: BlackHole;
    let cutOff: ServerProcess;
    beforeEach(async () => {
      way = await startBlackHole(postgres().port);
      const databaseUrl = way.through(pair.databaseUrl);
      // What takes seconds takes moments here.
      const limits = { crossProcessSlowPollMs: 250, databaseStatementMs: 500 };
      cutOff = await startServer({ databaseUrl, limits });
    });
    afterEach(async () => {
      await cutOff?.end("SIGKILL");
      await way?.stop();
    });

    test("finds out, connects anew, and its subscribers are told of everything, once", async () => {
      const watcher = "agent:cutoff:main";
      const targets = Array.from({ length: 9 }, (_, n) => `agent:cutoff${n}:main`);
      await watchAll(pair.clients[0], watcher, targets);
      const states: string[] = [];
      const client = cutOff.client({ onConnection: (state) => states.push(state) });
      const heard = hearOverWebSocket(client, watcher);
      const appendAndHear = async (part: readonly string[], comeBack: () => void) => {
        for (const target of part) await pair.clients[0].append(goal(target));
        comeBack();
        await heard.untilAll(part);
      };
      await appendAndHear(targets.slice(0, 3), () => {});
      const before = await listeners();
      way.swallow();
      // The connections from before never come back; only new ones get through.
      await appendAndHear(targets.slice(3, 6), () => way.passNew());
      await untilAnotherListens(before);
      way.swallow();
      await appendAndHear(targets.slice(6), () => way.pass());
      expect([...heard.all].sort()).toEqual(targets);
      expect(states).toEqual(["connected"]);
      // It writes again, too.
      expect(await client.append(goal(targets[0]))).toMatchObject({ recorded: true });
    });
  });
}
