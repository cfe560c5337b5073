import { describe, expect, test } from "vitest";
import { appended, completed, cursorOf, goal, type OpenDomain, sharedDomain, spawn } from "./domainContract.js";

/** Section 5: watches start, end, and are refused. */
export function describeWatches(database: string, open: OpenDomain): void {
  describe(`watches on ${database}`, () => {
    const domain = sharedDomain(open);

    test("watch starts at the target's present version; earlier history never notifies", async () => {
      const { boss, worker } = domain.keys();
      await appended(domain.awareness, goal(worker));
      const version = await appended(domain.awareness, completed(worker));
      await domain.awareness.watch({ watcherSessionKey: boss, targetSessionKey: worker });
      expect(await cursorOf(domain.awareness, boss, worker)).toBe(`${version}/${version}/${version}`);
      expect(await domain.awareness.pendingNotices({ watcherSessionKey: boss })).toEqual([]);
    });

    test("watching again is watched: true and touches nothing", async () => {
      const { boss, worker } = domain.keys();
      const name = { watcherSessionKey: boss, targetSessionKey: worker };
      await domain.awareness.watch(name);
      await appended(domain.awareness, goal(worker));
      const before = await domain.awareness.watches({ watcherSessionKey: boss });
      await expect(domain.awareness.watch(name)).resolves.toMatchObject({ watched: true, reason: null });
      expect(await domain.awareness.watches({ watcherSessionKey: boss })).toEqual(before);
    });

    test("watching yourself and a watcher that is not agent-qualified are refused without an error", async () => {
      const { boss, bare } = domain.keys();
      const self = domain.awareness.watch({ watcherSessionKey: boss, targetSessionKey: boss });
      await expect(self).resolves.toEqual({ watched: false, reason: "SELF", watch: null });
      const unqualified = domain.awareness.watch({ watcherSessionKey: bare, targetSessionKey: boss });
      await expect(unqualified).resolves.toMatchObject({ watched: false, reason: "WATCHER_NOT_AGENT_QUALIFIED" });
      expect((await domain.awareness.watches({ targetSessionKey: boss })).edges).toEqual([]);
    });

    test("a bare target is fine: its agent is part of the pair", async () => {
      const { boss, bare } = domain.keys();
      for (const agent of ["one", "two"]) {
        await domain.awareness.watch({ watcherSessionKey: boss, targetSessionKey: bare, targetAgentId: agent });
      }
      await domain.awareness.append({ ...goal(bare), agentId: "two" });
      const pending = await domain.awareness.pendingNotices({ watcherSessionKey: boss });
      expect(pending.map(({ targetAgentId }) => targetAgentId)).toEqual(["two"]);
      await expect(domain.awareness.watch({ watcherSessionKey: boss, targetSessionKey: bare })).rejects.toMatchObject({
        code: "BAD_USER_INPUT",
        field: "targetAgentId",
      });
    });

    test("a watch and an append that race end as if one came first: before the start, or noticed", async () => {
      const { worker } = domain.keys();
      for (let round = 0; round < 50; round += 1) {
        const boss = `agent:racer${round}:${worker}`;
        const [{ watch }, sequence] = await Promise.all([
          domain.awareness.watch({ watcherSessionKey: boss, targetSessionKey: worker }),
          appended(domain.awareness, goal(worker)),
        ]);
        const noticed = (await domain.awareness.pendingNotices({ watcherSessionKey: boss })).length === 1;
        expect(noticed).toBe((watch?.lastSeen ?? 0) < sequence);
      }
    });

    test("unwatch ends the watch and what was pending; a second time there is nothing to remove", async () => {
      const { boss, worker } = domain.keys();
      const name = { watcherSessionKey: boss, targetSessionKey: worker };
      await domain.awareness.watch(name);
      await appended(domain.awareness, goal(worker));
      await expect(domain.awareness.unwatch(name)).resolves.toEqual({ removed: true });
      await expect(domain.awareness.unwatch(name)).resolves.toEqual({ removed: false });
      expect(await domain.awareness.pendingNotices({ watcherSessionKey: boss })).toEqual([]);
    });

    test("reset of the watcher: only its own watches go, its history stays", async () => {
      const { boss, other, worker } = domain.keys();
      await domain.awareness.watch({ watcherSessionKey: boss, targetSessionKey: worker });
      await domain.awareness.watch({ watcherSessionKey: other, targetSessionKey: boss });
      const version = await appended(domain.awareness, completed(boss));
      await expect(domain.awareness.resetSession({ sessionKey: boss })).resolves.toEqual({ watchesRemoved: 1 });
      expect(await cursorOf(domain.awareness, boss, worker)).toBeNull();
      expect(await cursorOf(domain.awareness, other, boss)).not.toBeNull();
      expect((await domain.awareness.sessionStatus({ sessionKey: boss })).stateVersion).toBe(version);
    });

    test("reset ends thousands of watches and says how many", async () => {
      const { boss, worker } = domain.keys();
      const children = Array.from({ length: 1200 }, (_, i) => spawn(`${worker}:subagent:${i}`, boss));
      for (const part of [0, 400, 800]) await domain.awareness.appendMany(children.slice(part, part + 400));
      await expect(domain.awareness.resetSession({ sessionKey: boss })).resolves.toEqual({ watchesRemoved: 1200 });
      expect((await domain.awareness.watches({ watcherSessionKey: boss })).edges).toEqual([]);
    });

    test.each(["resetSession", "deleteSession"] as const)(
      "%s and a watch that race end as if one came first: ended once, or made anew and standing",
      async (end) => {
        const { worker } = domain.keys();
        for (let round = 0; round < 50; round += 1) {
          const boss = `agent:racer${round}:${worker}`;
          const name = { watcherSessionKey: boss, targetSessionKey: worker };
          const { watch: first } = await domain.awareness.watch(name);
          const [ended, { watch: second }] = await Promise.all([
            domain.awareness[end]({ sessionKey: boss }),
            laterBy(round % 5, () => domain.awareness.watch(name)),
          ]);
          expect(ended).toEqual(end === "resetSession" ? { watchesRemoved: 1 } : { deleted: true });
          const left = (await domain.awareness.watches({ watcherSessionKey: boss })).edges.map(({ node }) => node.id);
          expect(left).toEqual(second?.id === first?.id ? [] : [second?.id]);
        }
      },
    );

    test("delete removes the session's events, head and watches on both sides", async () => {
      const { boss, other, worker } = domain.keys();
      await domain.awareness.watch({ watcherSessionKey: boss, targetSessionKey: worker });
      await domain.awareness.watch({ watcherSessionKey: worker, targetSessionKey: other });
      await appended(domain.awareness, goal(worker));
      await expect(domain.awareness.deleteSession({ sessionKey: worker })).resolves.toEqual({ deleted: true });
      await expect(domain.awareness.deleteSession({ sessionKey: worker })).resolves.toEqual({ deleted: false });
      const status = await domain.awareness.sessionStatus({ sessionKey: worker, changesSince: 0 });
      expect(status).toMatchObject({ session: null, stateVersion: 0, stateChanges: { events: [] } });
      expect((await domain.awareness.watches({ watcherSessionKey: boss })).edges).toEqual([]);
      expect((await domain.awareness.watches({ targetSessionKey: other })).edges).toEqual([]);
    });

    test("watches are listed in pages without overlap or hole", async () => {
      const { boss } = domain.keys();
      const targets = Array.from({ length: 7 }, (_, i) => `agent:t${i}:${boss}`);
      for (const target of targets) {
        await domain.awareness.watch({ watcherSessionKey: boss, targetSessionKey: target });
      }
      const seen: string[] = [];
      let after: string | undefined;
      for (;;) {
        const page = await domain.awareness.watches({ watcherSessionKey: boss, first: 3, after });
        seen.push(...page.edges.map(({ node }) => node.targetSessionKey));
        if (!page.hasNextPage) break;
        after = page.edges.at(-1)?.cursor;
      }
      expect(seen).toEqual(targets);
    });

    test("watches on the sessions of one agent are listed by the agent alone, and an agent id is checked", async () => {
      const { boss, worker, child, other, bare } = domain.keys();
      const [agent] = /(?<=^agent:)[^:]+/.exec(worker) ?? [""];
      for (const target of [worker, other, child]) {
        await domain.awareness.watch({ watcherSessionKey: boss, targetSessionKey: target });
      }
      await domain.awareness.watch({ watcherSessionKey: boss, targetSessionKey: bare, targetAgentId: agent });
      const first = await domain.awareness.watches({ targetAgentId: agent, first: 2 });
      const rest = await domain.awareness.watches({ targetAgentId: agent, after: first.edges.at(-1)?.cursor });
      const targets = [...first.edges, ...rest.edges].map(({ node }) => node.targetSessionKey);
      expect(targets).toEqual([worker, child, bare]);
      expect((await domain.awareness.watches({ targetAgentId: "nobody" })).edges).toEqual([]);
      const refused = domain.awareness.watches({ targetAgentId: "!!" });
      await expect(refused).rejects.toMatchObject({ code: "BAD_USER_INPUT", field: "targetAgentId" });
    });

    test("a session is listed once it has been registered, logged or watched", async () => {
      const { boss, other, worker, child, bare } = domain.keys();
      await domain.awareness.registerSession({
        sessionKey: bare,
        agentId: "a",
        label: " two\nlines ",
        spawnedBy: boss,
      });
      await domain.awareness.watch({ watcherSessionKey: boss, targetSessionKey: worker });
      await appended(domain.awareness, spawn(child, boss));
      const listed = await Promise.all(
        [boss, other, worker, child, bare].map(async (search) => {
          const { edges } = await domain.awareness.sessionsList({ search });
          return edges.map(({ node }) => [node.sessionKey, node.label, node.spawnedBy, node.stateVersion !== null]);
        }),
      );
      expect(listed).toEqual([
        [],
        [],
        [[worker, null, null, false]],
        [[child, null, boss, true]],
        [[bare, "two lines", boss, false]],
      ]);
    });

    test("registering again changes what is given and keeps what is left out", async () => {
      const { boss, worker } = domain.keys();
      await domain.awareness.registerSession({ sessionKey: worker, label: "first", spawnedBy: boss });
      const again = await domain.awareness.registerSession({ sessionKey: worker, label: "second" });
      expect(again).toMatchObject({ label: "second", spawnedBy: boss });
      const cleared = await domain.awareness.registerSession({ sessionKey: worker, label: null });
      expect(cleared).toMatchObject({ label: null, spawnedBy: boss });
    });

    const isFound = async (search: string, sessionKey: string) => {
      const { edges } = await domain.awareness.sessionsList({ search });
      return edges.some(({ node }) => node.sessionKey === sessionKey);
    };

    test("a search takes its words as they are", async () => {
      const { boss } = domain.keys();
      const label = '100%_Sure\\ [a-z]* (x|y)? ^.+{2}$ "q"';
      await domain.awareness.registerSession({ sessionKey: boss, label });
      for (const search of ["100%_s", "sure\\", "%_", "[A-Z]*", "(x|y)?", "^.+{2}$", ' "q"', label, "^", "]", "-"]) {
        expect(await isFound(search, boss), search).toBe(true);
      }
      for (const search of ["100_%", "[b]", "sure*", "s.re", "***:x"]) {
        expect(await isFound(search, boss), search).toBe(false);
      }
    });

    test.each([
      ["École", "école", "ÉCOLE"],
      ["Сборка", "сборка", "СБОРКА"],
      ["İstanbul", "İSTANBUL"],
      ["ΟΔΟΣ", "οδος", "οδοσ"],
      ["οδος", "ΟΔΟΣ", "δοσ"],
      ["Straße", "STRAßE"],
      ["𐐀𐐁", "𐐨𐐩"],
    ])("a search finds %s whatever the case, in keys and labels", async (text, ...others) => {
      const { boss, other } = domain.keys();
      const key = `${boss}:${text}`;
      await domain.awareness.registerSession({ sessionKey: key });
      await domain.awareness.registerSession({ sessionKey: other, label: text });
      for (const search of [text, ...others]) {
        expect([await isFound(search, key), await isFound(search, other)], search).toEqual([true, true]);
      }
    });

    test("a search may hold what a label may; what neither key nor label can is refused", async () => {
      const { boss } = domain.keys();
      for (const label of ["نمی\u200cخواهم", "👨\u200d👩\u200d👧 crew", "❤\ufe0f"]) {
        await domain.awareness.registerSession({ sessionKey: boss, label });
        expect(await isFound(label, boss), label).toBe(true);
      }
      for (const search of ["a\0", "a\nb", "\u202ex", "\u200b", "\ud83d", "x".repeat(201)]) {
        await expect(isFound(search, boss)).rejects.toMatchObject({ code: "BAD_USER_INPUT", field: "search" });
      }
    });
  });
}

/** Some turns of the event loop later. */
async function laterBy<Result>(turns: number, call: () => Promise<Result>): Promise<Result> {
  for (let turn = 0; turn < turns; turn += 1) await new Promise((resolve) => setImmediate(resolve));
  return call();
}
