import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pino } from "pino";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import type { Awareness, Page, SessionIdentity } from "../../src/awareness/awareness.js";
import { createAwareness, type RunningAwareness } from "../../src/awareness/createAwareness.js";
import { within } from "../../src/awareness/within.js";
import { limits, loadConfig } from "../../src/config.js";
import { startPostgres, type TestPostgres } from "../support/postgres.js";

/** What somebody sees of the domain who reaches the agents `mine` and `a_b` and no others. */
function describeReach(databaseUrl: () => Promise<string>): void {
  let everything: RunningAwareness;
  let own: Awareness;

  beforeAll(async () => {
    const config = loadConfig({ DATABASE_URL: await databaseUrl() });
    everything = await createAwareness({ ...config, limits, log: pino({ level: "silent" }) });
    own = within(everything, new Set(["mine", "a_b"]));
    // `axb` and `MINE` are what a careless pattern would take for `a_b` and `mine`.
    for (const agent of ["mine", "a_b", "axb", "MINE", "theirs"]) {
      for (let count = 1; count <= 7; count += 1) {
        await everything.registerSession({ sessionKey: `agent:${agent}:s${count}` });
        for (const target of ["mine", "theirs"]) {
          await everything.watch({
            watcherSessionKey: `agent:${agent}:w`,
            targetSessionKey: `agent:${target}:s${count}`,
          });
        }
      }
      await everything.registerSession({ sessionKey: "global", agentId: agent });
    }
  });
  afterAll(() => everything.stop());

  async function pages<T>(read: (after: string | null) => Promise<Page<T>>): Promise<T[][]> {
    const found: T[][] = [];
    for (let after: string | null = null; ; ) {
      const page: Page<T> = await read(after);
      found.push(page.edges.map(({ node }) => node));
      after = page.edges.at(-1)?.cursor ?? null;
      if (!page.hasNextPage) return found;
    }
  }

  test("sessionsList shows the sessions of its agents alone, and its pages are full", async () => {
    const found = await pages((after) => own.sessionsList({ first: 5, after }));
    const sessions = found.flat();
    expect(new Set(sessions.map(({ agentId }) => agentId))).toEqual(new Set(["mine", "a_b"]));
    expect(found.slice(0, -1).map((page) => page.length)).toEqual(found.slice(0, -1).map(() => 5));
    const all = (await pages((after) => everything.sessionsList({ first: 200, after }))).flat();
    const expected = all.filter(({ agentId }) => agentId === "mine" || agentId === "a_b");
    const names = (some: readonly SessionIdentity[]) =>
      some.map(({ agentId, sessionKey }) => `${agentId} ${sessionKey}`);
    expect(names(sessions).sort()).toEqual(names(expected).sort());
  });

  test("asked for another agent, or searched for one, the list says nothing of it", async () => {
    for (const agentId of ["theirs", "axb", "MINE"]) {
      expect(await own.sessionsList({ agentId })).toEqual({ edges: [], hasNextPage: false });
    }
    expect(await own.sessionsList({ search: "theirs" })).toEqual({ edges: [], hasNextPage: false });
  });

  test("watches shows a watch where both sides are its own, and its pages are full", async () => {
    const found = await pages((after) => own.watches({ first: 4, after }));
    expect(found.slice(0, -1).map((page) => page.length)).toEqual(found.slice(0, -1).map(() => 4));
    const watches = found.flat().map((watch) => `${watch.watcherSessionKey} ${watch.targetAgentId}`);
    expect(new Set(watches)).toEqual(new Set(["agent:mine:w mine", "agent:a_b:w mine"]));
    expect(watches).toHaveLength(14);
  });

  test("asked for another's watcher or target, watches says nothing of it", async () => {
    const nothing = { edges: [], hasNextPage: false };
    expect(await own.watches({ watcherSessionKey: "agent:theirs:w" })).toEqual(nothing);
    expect(await own.watches({ targetSessionKey: "agent:theirs:s1" })).toEqual(nothing);
    const { edges } = await own.watches({ targetSessionKey: "agent:mine:s1" });
    expect(edges.map(({ node }) => node.watcherSessionKey).sort()).toEqual(["agent:a_b:w", "agent:mine:w"]);
  });

  describe("notices", () => {
    const watcherSessionKey = "agent:mine:w";
    const changed = (sessionKey: string) =>
      everything.append({ sessionKey, kind: "GOAL_CHANGED", actor: { type: "HUMAN" } });
    const targets = (notices: readonly { targetSessionKey: string }[]) =>
      notices.map(({ targetSessionKey }) => targetSessionKey);

    beforeEach(async () => {
      await everything.drainNotices({ watcherSessionKey, limit: 500 });
      await changed("agent:theirs:s1");
      await changed("agent:mine:s1");
      await changed("agent:theirs:s2");
      await changed("agent:mine:s2");
    });

    test("of what it does not reach are neither pending, drained nor counted, and stay as they are", async () => {
      expect(targets(await own.pendingNotices({ watcherSessionKey }))).toEqual(["agent:mine:s1", "agent:mine:s2"]);
      const first = await own.drainNotices({ watcherSessionKey, limit: 1 });
      expect([targets(first.notices), first.remaining]).toEqual([["agent:mine:s1"], 1]);
      const second = await own.drainNotices({ watcherSessionKey });
      expect([targets(second.notices), second.remaining]).toEqual([["agent:mine:s2"], 0]);
      const left = await everything.pendingNotices({ watcherSessionKey });
      expect(targets(left)).toEqual(["agent:theirs:s1", "agent:theirs:s2"]);
    });

    test("of what it does not reach cannot be acknowledged: their ids are unknown", async () => {
      const ids = (await everything.pendingNotices({ watcherSessionKey })).map(({ id }) => id);
      const { results } = await own.acknowledgeNotices({ watcherSessionKey, noticeIds: ids });
      expect(results.map(({ outcome }) => outcome)).toEqual(["UNKNOWN", "ACKNOWLEDGED", "UNKNOWN", "ACKNOWLEDGED"]);
    });

    test("of what it does not reach are never told, neither those pending nor those that open", async () => {
      const notices = await own.subscribe(watcherSessionKey);
      const next = async () => (await notices.next()).value?.targetSessionKey;
      expect([await next(), await next()]).toEqual(["agent:mine:s1", "agent:mine:s2"]);
      await changed("agent:theirs:s3");
      await changed("agent:mine:s3");
      expect(await next()).toBe("agent:mine:s3");
      await notices.return?.();
    });
  });
}

describe("on SQLite", () => {
  let folder: string;
  afterAll(() => rm(folder, { recursive: true, force: true }));

  describeReach(async () => {
    folder = await mkdtemp(join(tmpdir(), "headsup-"));
    return `file:${join(folder, "reach.db")}`;
  });
});

describe("on PostgreSQL", () => {
  let server: TestPostgres | undefined;
  afterAll(() => server?.stop());

  describeReach(async () => {
    server = await startPostgres();
    return server.createDatabase();
  });
});

test("whoever reaches all agents has the domain itself", () => {
  const awareness = {} as Awareness;
  expect(within(awareness, null)).toBe(awareness);
});
