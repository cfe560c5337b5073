import { randomBytes } from "node:crypto";
import { utimesSync, writeFileSync } from "node:fs";
import { setImmediate as nextTurn } from "node:timers/promises";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { NodeReport, NodeSource, NodeStart } from "../../src/awareness/nodeDesk.js";
import { claudeTurn, sha256 } from "../upstream/lines.js";
import { boss, type OpenWorld, type World } from "../upstream/world.js";

const source: NodeSource = {
  ...{ position: 3_000_000_001, fileIdentity: "1:2", headDigest: sha256("h"), tailDigest: sha256("t") },
  ...{ knownTurns: '{"complete":true,"turns":[["abcdefghijk","abcdefghijk"]]}', readerState: "null" },
};
const machineDigest = sha256("machine");
const at = (second: number) => new Date(Date.UTC(2026, 10, 30, 16, 0, second));

/** What nodes report, on any database. */
export function describeDesk(name: string, open: OpenWorld): void {
  describe(`what nodes report, on ${name}`, () => {
    let world: World;
    beforeEach(async () => {
      world = await open();
    });
    afterEach(() => world.dispose());

    const report = (more: Partial<NodeReport> = {}) =>
      world.awareness.reportNode({
        ...{ nodeId: "laptop", machineDigest, cadenceMs: 60_000, complete: true },
        ...{ catalogId: randomBytes(32).toString("hex"), threads: [], goneThreads: [], quietLinkIds: [] },
        ...more,
      });

    /** Adopts a thread that the node starts at `source`, watched by the boss. */
    async function follow(): Promise<string> {
      const adopting = world.awareness.adoptSession({
        source: { kind: "CLAUDE_CODE", nodeId: "laptop", threadId: "thread" },
        agentId: "worker",
      });
      let start: NodeStart | undefined;
      while (start === undefined) {
        await nextTurn();
        [start] = await world.awareness.nodeStarts("laptop");
      }
      const answer = { nodeId: "laptop", machineDigest, startId: String(start.id), source };
      const elsewhere = world.awareness.reportStart({ ...answer, machineDigest: sha256("other") });
      await expect(elsewhere).rejects.toMatchObject({ code: "BAD_USER_INPUT", field: "nodeId" });
      expect(await world.awareness.reportStart(answer)).toEqual({ taken: true });
      expect(await world.awareness.reportStart(answer)).toEqual({ taken: false });
      const { session } = await adopting;
      await world.awareness.watch({ watcherSessionKey: boss, targetSessionKey: session.sessionKey });
      expect(await world.awareness.nodeStarts("laptop")).toEqual([]);
      return session.sessionKey;
    }

    it("the catalogs of all machines are one, newest first, paged without overlap or hole", async () => {
      for (const [thread, second] of [
        ["a", 1],
        ["b", 2],
      ] as const) {
        writeFileSync(world.claudeFile(thread), claudeTurn("x"));
        utimesSync(world.claudeFile(thread), at(second), at(second));
      }
      const named = (threadId: string, second: number) => ({
        kind: "CLAUDE_CODE" as const,
        threadId,
        updatedAt: at(second),
      });
      await report({ threads: [named("a", 1), named("B", 2), named("c", 3)] });
      await report({ nodeId: "desk", threads: [named("a", 1)] });
      const found: string[] = [];
      for (let after: string | null = null, more = true; more; ) {
        const page = await world.awareness.upstreamCatalog({ first: 1, after });
        found.push(...page.edges.map(({ node }) => `${node.nodeId} ${node.threadId}`));
        after = page.edges.at(-1)?.cursor ?? null;
        more = page.hasNextPage;
      }
      expect(found).toEqual(["laptop c", "laptop B", "local b", "desk a", "laptop a", "local a"]);
    });

    it("a catalog goes on from the listing that is known, and a whole one replaces it", async () => {
      const catalogId = sha256("one");
      const [a, b] = ["a", "b"].map((threadId) => ({ kind: "CODEX" as const, threadId, updatedAt: at(1) }));
      if (a === undefined || b === undefined) throw new Error("there are two");
      const listed = async () =>
        (await world.awareness.upstreamCatalog({})).edges.map(({ node: { threadId } }) => threadId);
      expect(await report({ catalogId, threads: [a] })).toEqual({ catalogKnown: true });
      expect(await report({ catalogId, complete: false, threads: [b] })).toEqual({ catalogKnown: true });
      expect(await listed()).toEqual(["a", "b"]);
      expect(await report({ catalogId, complete: false, goneThreads: [a] })).toEqual({ catalogKnown: true });
      expect(await listed()).toEqual(["b"]);
      expect(await report({ threads: [a] })).toEqual({ catalogKnown: true });
      expect(await listed()).toEqual(["a"]);
      expect(await report({ catalogId, complete: false })).toEqual({ catalogKnown: false });
    });

    it("of a thread named twice in one report the last counts", async () => {
      const named = (second: number) => ({ kind: "CODEX" as const, threadId: "a", updatedAt: at(second) });
      expect(await report({ threads: [named(1), named(2)], goneThreads: [] })).toEqual({ catalogKnown: true });
      const { edges } = await world.awareness.upstreamCatalog({});
      expect(edges.map(({ node: { threadId, updatedAt } }) => [threadId, updatedAt])).toEqual([["a", at(2)]]);
    });

    it("a time beyond the year 9999 is refused by its field", async () => {
      const named = (text: string) => ({ kind: "CODEX" as const, threadId: "a", updatedAt: new Date(text) });
      expect(await report({ threads: [named("9999-12-31T23:59:59.999Z")] })).toEqual({ catalogKnown: true });
      for (const text of ["9999-12-31T23:59:59-23:59", "+010000-01-01T00:00:00Z", "1969-12-31T23:59:59Z", "never"]) {
        const refused = report({ threads: [named("2026-11-30T12:00:00Z"), named(text)] });
        await expect(refused).rejects.toMatchObject({ code: "BAD_USER_INPUT", field: "threads[1].updatedAt" });
      }
      const { tokens } = world.awareness;
      const asked = { name: "for ever", scopes: ["read" as const], agents: null };
      await expect(tokens.create({ ...asked, expiresAt: new Date("9999-12-31T23:59:59-23:59") })).rejects.toMatchObject(
        {
          ...{ code: "BAD_USER_INPUT", field: "expiresAt" },
        },
      );
    });

    it("of two machines that take one name at the same moment, at two servers, one is refused", async () => {
      const other = await world.another();
      for (let round = 0; round < 8; round += 1) {
        const taking = [world.awareness, other.awareness].map((awareness, machine) =>
          awareness
            .reportNode({
              ...{ nodeId: `name${round}`, machineDigest: sha256(`machine ${machine}`), cadenceMs: 60_000 },
              ...{ catalogId: sha256("all"), threads: [], goneThreads: [], complete: true, quietLinkIds: [] },
            })
            .then(
              () => "taken",
              ({ code, field }: { code?: string; field?: string }) => `${code} ${field}`,
            ),
        );
        expect((await Promise.all(taking)).sort()).toEqual(["BAD_USER_INPUT nodeId", "taken"]);
      }
      await other.stop();
    });

    it("an adoption that waits for its node is refused as soon as the server stops, and so is every read from then on", async () => {
      await report();
      const other = await world.another();
      const adopting = other.awareness.adoptSession({
        source: { kind: "CODEX", nodeId: "laptop", threadId: "waiting" },
        agentId: "worker",
      });
      const refused = expect(adopting).rejects.toMatchObject({
        code: "SERVICE_UNAVAILABLE",
        message: expect.stringContaining("being stopped"),
      });
      while ((await world.awareness.nodeStarts("laptop")).length === 0) await nextTurn();
      other.awareness.endWaits();
      await refused;
      await other.stop();
      for (const read of [
        other.awareness.sessionStatus({ sessionKey: boss }),
        other.awareness.sessionsList({}),
        other.awareness.pendingNotices({ watcherSessionKey: boss }),
        other.awareness.subscribe(boss),
      ]) {
        await expect(read).rejects.toMatchObject({ code: "SERVICE_UNAVAILABLE" });
      }
      expect(await other.awareness.ready()).toBe(false);
    });

    it("position and event move together, once: the same report again changes nothing", async () => {
      await report();
      const sessionKey = await follow();
      await world.awareness.noteOwnPrompt({ sessionKey, textDigest: sha256("own") });
      const [link] = await world.awareness.nodeLinks("laptop", {});
      expect(link).toMatchObject({ revision: 0, threadId: "thread", checkedMsAgo: null, restMs: null });
      const id = String(link?.id);
      expect(await world.awareness.nodeLink("laptop", id)).toMatchObject({ ...source, missedChecks: 0 });
      expect(await world.awareness.nodeLink("desk", id)).toBeNull();
      const check = {
        ...{ nodeId: "laptop", machineDigest, linkId: id, revision: 0, outcome: "READ" as const, sentAt: new Date() },
        ...{ skippedRows: 1, unknownRows: 2, retryAfterMs: 0, source: { ...source, position: 3_000_000_999 } },
        turns: ["own", "a person's", "a person's"].map((text) => ({ digest: sha256(text), at: new Date() })),
      };
      const both = await Promise.all([world.awareness.reportCheck(check), world.awareness.reportCheck(check)]);
      expect(both.sort()).toEqual(["SAVED", "STALE"]);
      expect(await world.awareness.reportCheck({ ...check, nodeId: "desk", revision: 1 })).toBe("STALE");
      expect(await world.turns(sessionKey)).toBe(2);
      expect(await world.awareness.nodeLink("laptop", id)).toMatchObject({ revision: 1, position: 3_000_000_999 });

      const gone = { ...check, outcome: "GONE" as const, source: null, turns: [] };
      expect(await world.awareness.reportCheck({ ...gone, revision: 1 })).toBe("SAVED");
      expect(await world.awareness.reportCheck({ ...gone, revision: 1 })).toBe("STALE");
      expect(await world.awareness.reportCheck({ ...gone, revision: 2, outcome: "UNREADABLE" })).toBe("SAVED");
      expect(await world.awareness.reportCheck({ ...gone, revision: 3 })).toBe("SAVED");
      expect(await world.awareness.reportCheck({ ...gone, revision: 4 })).toBe("SAVED");
      expect(await world.awareness.reportCheck({ ...gone, revision: 5 })).toBe("LINK_REMOVED");
      expect((await world.events(sessionKey)).map(({ kind }) => kind)).toEqual([
        ...["ADOPTED", "HUMAN_DIRECT_MESSAGE", "UPSTREAM_MISSING"],
      ]);
      expect(await world.awareness.nodeLinks("laptop", {})).toEqual([]);
    });

    it("what another machine finds under this name changes nothing", async () => {
      await report();
      const sessionKey = await follow();
      const [link] = await world.awareness.nodeLinks("laptop", {});
      const check = {
        ...{ nodeId: "laptop", linkId: String(link?.id), revision: 0, outcome: "GONE" as const, sentAt: new Date() },
        ...{ skippedRows: 0, unknownRows: 0, retryAfterMs: 0, turns: [] },
      };
      const reportCheck = (name: string) => world.awareness.reportCheck({ ...check, machineDigest: sha256(name) });
      await expect(reportCheck("other")).rejects.toMatchObject({ code: "BAD_USER_INPUT", field: "nodeId" });
      expect(await world.awareness.nodeLink("laptop", check.linkId)).toMatchObject({ revision: 0, missedChecks: 0 });
      // The name goes over to it when the first one is silent; what that one has found till then is too late.
      await world.rounds(3);
      await report({ machineDigest: sha256("other") });
      await expect(reportCheck("machine")).rejects.toMatchObject({ code: "BAD_USER_INPUT", field: "nodeId" });
      expect(await reportCheck("other")).toBe("SAVED");
      expect((await world.events(sessionKey)).map(({ kind }) => kind)).toEqual(["ADOPTED"]);
    });

    it("counts of rows stay at the largest that can be told", async () => {
      await report();
      const sessionKey = await follow();
      const [link] = await world.awareness.nodeLinks("laptop", {});
      const most = 2_147_483_647;
      const check = {
        nodeId: "laptop",
        linkId: String(link?.id),
        outcome: "READ" as const,
        turns: [],
        retryAfterMs: 0,
      };
      for (const [revision, skippedRows, unknownRows] of [
        [0, most - 1, 5],
        [1, 1, most],
        [2, most, 0],
        [3, Number.MAX_SAFE_INTEGER, 1],
      ] as const) {
        const counts = { skippedRows, unknownRows, machineDigest: sha256("machine") };
        const saved = world.awareness.reportCheck({ ...check, ...counts, revision, source, sentAt: new Date() });
        expect(await saved).toBe("SAVED");
        const { session } = await world.awareness.sessionStatus({ sessionKey });
        expect(session?.upstream?.skippedRows).toBe(revision === 0 ? most - 1 : most);
        expect(session?.upstream?.unknownRows).toBe(revision === 0 ? 5 : most);
      }
    });

    it("a node's clock may be wrong: a turn is told by how long ago it was typed", async () => {
      await report();
      const sessionKey = await follow();
      const [link] = await world.awareness.nodeLinks("laptop", {});
      const wrong = (ms: number) => new Date(Date.now() - 7_200_000 + ms);
      const check = { skippedRows: 0, unknownRows: 0, retryAfterMs: 0 };
      const turns = [{ digest: sha256("typed"), at: wrong(0) }];
      const input = { ...check, nodeId: "laptop", machineDigest, linkId: String(link?.id), revision: 0, source, turns };
      expect(await world.awareness.reportCheck({ ...input, outcome: "READ", sentAt: wrong(0) })).toBe("SAVED");
      const [, told] = await world.events(sessionKey);
      expect(Math.abs(Date.now() - Number(told?.occurredAt))).toBeLessThan(60_000);
    });

    it("the same thread adopted from another machine is followed there, from its present end", async () => {
      writeFileSync(world.claudeFile("thread"), claudeTurn("old"));
      await report();
      const sessionKey = await follow();
      const { created, session } = await world.awareness.adoptSession({
        source: { kind: "CLAUDE_CODE", threadId: "thread" },
        agentId: "worker",
      });
      expect({ created, key: session.sessionKey }).toEqual({ created: false, key: sessionKey });
      expect(session.upstream).toMatchObject({ nodeId: "local", nodeSilentFrom: null });
      expect(await world.awareness.nodeLinks("laptop", {})).toEqual([]);
    });

    it("a name that another machine uses is refused until that one is silent", async () => {
      await report({ cadenceMs: 60_000 });
      const other = { machineDigest: sha256("other") };
      await expect(report(other)).rejects.toMatchObject({ code: "BAD_USER_INPUT", field: "nodeId" });
      await world.rounds(3);
      expect(await report(other)).toEqual({ catalogKnown: true });
    });
  });
}
