import { appendFileSync, writeFileSync } from "node:fs";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { spawn } from "../contract/domainContract.js";
import { claudeTurn, codexMeta, codexSaid } from "./lines.js";
import { nextMillisecond } from "./typing.js";
import { boss, type OpenWorld, type World } from "./world.js";

/** Adopting threads, on any database. */
export function describeAdoption(database: string, open: OpenWorld): void {
  describe(`adoption on ${database}`, () => {
    let world: World;
    let file: string;
    const source = { kind: "CLAUDE_CODE", threadId: "thread" } as const;
    const sessionKey = "agent:worker:claude-code:thread";

    beforeEach(async () => {
      world = await open();
      file = world.claudeFile("thread");
      writeFileSync(file, claudeTurn("old") + claudeTurn("old too"));
    });
    afterEach(() => world.dispose());

    const adopt = (label?: string) => world.awareness.adoptSession({ source, agentId: "worker", label });
    const kinds = async () => (await world.events(sessionKey)).map(({ kind }) => kind);

    it("creates a session, logs ADOPTED once and starts at the present end: old history never notifies", async () => {
      const { session, created } = await adopt("a worker");
      expect(created).toBe(true);
      expect(session).toMatchObject({ sessionKey, agentId: "worker", label: "a worker" });
      expect(session.upstream).toEqual({
        ...{ kind: "CLAUDE_CODE", nodeId: "local", nodeSilentFrom: null, threadId: "thread" },
        ...{ missedChecks: 0, failedChecks: 0, skippedRows: 0, unknownRows: 0, nextCheckAt: null, lastCheckedAt: null },
      });
      await world.awareness.watch({ watcherSessionKey: boss, targetSessionKey: sessionKey });
      await world.rounds(2);
      expect(await kinds()).toEqual(["ADOPTED"]);
      expect(await world.awareness.pendingNotices({ watcherSessionKey: boss })).toEqual([]);
      const { edges } = await world.awareness.sessionsList({});
      expect(edges[0]?.node.upstream?.lastCheckedAt).toBeInstanceOf(Date);
    });

    it("a turn typed into the adopted thread opens a notice for who watches", async () => {
      await world.follow("CLAUDE_CODE", "thread");
      const { stateVersion } = await world.awareness.sessionStatus({ sessionKey });
      appendFileSync(file, claudeTurn("typed"));
      await world.rounds();
      const [notice] = await world.awareness.pendingNotices({ watcherSessionKey: boss });
      expect(notice).toMatchObject({ targetSessionKey: sessionKey, changesSince: stateVersion });
    });

    it("continuing says so, logs nothing, keeps the label, and passes over nothing that was typed before", async () => {
      await adopt("a worker");
      await world.awareness.watch({ watcherSessionKey: boss, targetSessionKey: sessionKey });
      appendFileSync(file, claudeTurn("typed before it was continued"));
      const { session, created } = await adopt();
      expect(created).toBe(false);
      expect(session.label).toBe("a worker");
      expect(await kinds()).toEqual(["ADOPTED", "HUMAN_DIRECT_MESSAGE"]);
      await world.rounds();
      expect(await world.turns(sessionKey)).toBe(1);
    });

    it("continuing makes a fresh link if it was lost", async () => {
      await world.follow("CLAUDE_CODE", "thread");
      await world.execute({ sqlite: "DELETE FROM upstream_links", postgresql: "DELETE FROM upstream_links" });
      appendFileSync(file, claudeTurn("typed while there was no link"));
      const { session, created } = await adopt();
      expect(created).toBe(false);
      expect(session.upstream).toMatchObject({ threadId: "thread" });
      appendFileSync(file, claudeTurn("typed after it was continued"));
      await world.rounds();
      expect(await kinds()).toEqual(["ADOPTED", "HUMAN_DIRECT_MESSAGE"]);
      expect(await world.turns(sessionKey)).toBe(1);
    });

    it("calls that race create one session and log ADOPTED once", async () => {
      const answers = await Promise.all([adopt(), adopt(), adopt()]);
      expect(answers.filter(({ created }) => created)).toHaveLength(1);
      expect(await kinds()).toEqual(["ADOPTED"]);
    });

    it("one thread can be adopted by several agents, and each hears of a turn", async () => {
      const other = await world.awareness.adoptSession({ source, agentId: "other" });
      await world.awareness.watch({ watcherSessionKey: boss, targetSessionKey: other.session.sessionKey });
      await world.follow("CLAUDE_CODE", "thread");
      appendFileSync(file, claudeTurn("typed"));
      await world.rounds();
      expect(await world.turns(sessionKey)).toBe(1);
      expect(await world.turns(other.session.sessionKey)).toBe(1);
    });

    it("a session that was registered before is adopted all the same", async () => {
      await world.awareness.registerSession({ sessionKey, label: "known" });
      expect(await adopt()).toMatchObject({ created: true, session: { label: "known" } });
    });

    it("delete removes the upstream link; adopting again creates anew", async () => {
      await world.follow("CLAUDE_CODE", "thread");
      await world.awareness.deleteSession({ sessionKey });
      appendFileSync(file, claudeTurn("typed after the delete"));
      await world.rounds(2);
      expect((await world.awareness.sessionStatus({ sessionKey })).session).toBeNull();
      expect((await adopt()).created).toBe(true);
    });

    it("a thread of Codex becomes a session of its own kind", async () => {
      const thread = "01a22d4c-364c-75f1-a5cf-9e4521743854";
      writeFileSync(world.codexFile(thread), codexMeta(thread) + codexSaid("old"));
      const { session } = await world.awareness.adoptSession({
        source: { kind: "CODEX", threadId: thread },
        agentId: "worker",
      });
      expect(session).toMatchObject({ sessionKey: `agent:worker:codex:${thread}`, upstream: { kind: "CODEX" } });
    });

    it.each(["watch", "spawn"])(
      "what was typed while nobody watched is not told to who begins to watch by a %s; what has no sure time is",
      async (how) => {
        const laggard = "agent:laggard:main";
        await adopt();
        // Times are whole milliseconds: what is of the same one as the watch counts as typed after its start.
        await nextMillisecond();
        appendFileSync(file, claudeTurn("while nobody watched"));
        await nextMillisecond();
        appendFileSync(file, claudeTurn("at no time one can believe", { timestamp: "1999-01-01T00:00:00Z" }));
        if (how === "watch") await world.awareness.watch({ watcherSessionKey: laggard, targetSessionKey: sessionKey });
        else await world.awareness.append(spawn(sessionKey, laggard));
        appendFileSync(
          file,
          claudeTurn("while somebody watched", { timestamp: new Date(Date.now() + 60).toISOString() }),
        );
        await world.rounds();
        expect(await world.turns(sessionKey)).toBe(2);
      },
    );

    it("sessions that nobody watches are not checked", async () => {
      await adopt();
      await world.rounds(2);
      expect((await world.awareness.sessionStatus({ sessionKey })).session?.upstream?.lastCheckedAt).toBeNull();
    });

    it("bad input is refused by field before anything is written", async () => {
      await expect(world.awareness.adoptSession({ source, agentId: "no spaces" })).rejects.toMatchObject({
        field: "agentId",
      });
      expect((await world.awareness.sessionsList({})).edges).toEqual([]);
    });
  });
}
