import { describe, expect, test } from "vitest";
import type { AppendInput } from "../../src/awareness/awareness.js";
import { Refusal } from "../../src/awareness/refusals.js";
import { appended, completed, cursorOf, goal, human, type OpenDomain, sharedDomain, spawn } from "./domainContract.js";

/** Sections 3 and 4: what each kind does, and what an append promises. */
export function describeAppend(database: string, open: OpenDomain): void {
  describe(`append on ${database}`, () => {
    const domain = sharedDomain(open);

    test("a human message is logged only while somebody watches the session; else the log does not grow", async () => {
      const { boss, worker } = domain.keys();
      await expect(domain.awareness.append(human(worker))).resolves.toMatchObject({
        recorded: false,
        reason: "NOT_WATCHED",
        event: null,
      });
      expect((await domain.awareness.sessionStatus({ sessionKey: worker, changesSince: 0 })).stateVersion).toBe(0);
      await domain.awareness.watch({ watcherSessionKey: boss, targetSessionKey: worker });
      await expect(domain.awareness.append(human(worker))).resolves.toMatchObject({ recorded: true, reason: null });
    });

    test("the same dedupe key again returns the event already there, moves nothing and opens nothing", async () => {
      const { boss, worker } = domain.keys();
      await domain.awareness.watch({ watcherSessionKey: boss, targetSessionKey: worker });
      const first = await domain.awareness.append({ ...goal(worker), dedupeKey: "once", summary: "first" });
      await domain.awareness.drainNotices({ watcherSessionKey: boss });
      const before = await cursorOf(domain.awareness, boss, worker);
      const again = await domain.awareness.append({ ...goal(worker), dedupeKey: "once", summary: "second" });
      expect(again).toEqual({ ...first, duplicate: true });
      expect(await cursorOf(domain.awareness, boss, worker)).toBe(before);
      expect(await domain.awareness.pendingNotices({ watcherSessionKey: boss })).toEqual([]);
    });

    test("a dedupe key is unique however many calls race, and within one session only", async () => {
      const { worker, other, bare } = domain.keys();
      const racing = Array.from({ length: 50 }, () => domain.awareness.append({ ...goal(worker), dedupeKey: "race" }));
      const results = await Promise.all(racing);
      expect(results.filter((result) => result.recorded && !result.duplicate)).toHaveLength(1);
      expect(new Set(results.map((result) => result.event?.sequence)).size).toBe(1);
      const elsewhere = await Promise.all([
        domain.awareness.append({ ...goal(other), dedupeKey: "race" }),
        domain.awareness.append({ ...goal(bare), agentId: "a", dedupeKey: "race" }),
        domain.awareness.append({ ...goal(bare), agentId: "b", dedupeKey: "race" }),
      ]);
      expect(elsewhere.map((result) => result.duplicate)).toEqual([false, false, false]);
    });

    test("a dedupe key twice in one appendMany is one event", async () => {
      const { worker } = domain.keys();
      const item: AppendInput = { ...goal(worker), dedupeKey: "twice" };
      const [first, second] = await domain.awareness.appendMany([item, item]);
      expect(second).toEqual({ ...first, duplicate: true });
    });

    test("a child's spawn sets spawnedBy and starts the parent's cursor at this version, also within one call", async () => {
      const { boss, child } = domain.keys();
      const [spawned, message] = await domain.awareness.appendMany([spawn(child, boss), human(child)]);
      const at = spawned?.event?.sequence ?? 0;
      const told = message?.event?.sequence ?? 0;
      expect(await cursorOf(domain.awareness, boss, child)).toBe(`${at}/${told}/${told}`);
      const { session } = await domain.awareness.sessionStatus({ sessionKey: child });
      expect(session?.spawnedBy).toBe(boss);
    });

    test("a spawn moves an existing cursor up to it unless a notice is pending, which is never lost", async () => {
      const { boss, child } = domain.keys();
      await appended(domain.awareness, spawn(child, boss));
      const again = await appended(domain.awareness, spawn(child, boss));
      expect(await cursorOf(domain.awareness, boss, child)).toBe(`${again}/${again}/${again}`);
      const told = await appended(domain.awareness, goal(child));
      await appended(domain.awareness, spawn(child, boss));
      expect(await cursorOf(domain.awareness, boss, child)).toBe(`${again}/${told}/${told}`);
    });

    test("many spawns of one child in one call end as if one came after the other", async () => {
      const { boss, other, bare, child } = domain.keys();
      const repeated = (times: number, ...parents: string[]) =>
        Array.from({ length: times }, () => parents.map((parent) => spawn(child, parent))).flat();
      const inputs = [...repeated(50, boss, other, bare), goal(child, other), ...repeated(50, other, boss)];
      const numbers = (await domain.awareness.appendMany(inputs)).map(({ event }) => event?.sequence);
      const lastOfBoss = numbers[147];
      const told = numbers[150];
      const lastOfOther = numbers.at(-2);
      expect(await cursorOf(domain.awareness, boss, child)).toBe(`${lastOfBoss}/${told}/${told}`);
      expect(await cursorOf(domain.awareness, other, child)).toBe(`${lastOfOther}/${lastOfOther}/${lastOfOther}`);
      expect((await domain.awareness.sessionStatus({ sessionKey: child })).session?.spawnedBy).toBe(boss);
    });

    test("a bare parent is kept as spawnedBy but has no cursor", async () => {
      const { bare, child } = domain.keys();
      await appended(domain.awareness, spawn(child, bare));
      expect((await domain.awareness.sessionStatus({ sessionKey: child })).session?.spawnedBy).toBe(bare);
      expect((await domain.awareness.watches({ targetSessionKey: child })).edges).toEqual([]);
    });

    test("a failed run keeps its outcome in the payload", async () => {
      const { worker } = domain.keys();
      const payload = JSON.parse('{"__proto__":"data","constructor":1}');
      const { event } = await domain.awareness.append({
        ...completed(worker),
        kind: "RUN_FAILED",
        outcome: "TIMEOUT",
        payload,
      });
      const { stateChanges } = await domain.awareness.sessionStatus({ sessionKey: worker, changesSince: 0 });
      expect(stateChanges?.events).toEqual([event]);
      expect(JSON.stringify(event?.payload)).toBe('{"__proto__":"data","constructor":1,"outcome":"timeout"}');
    });

    test("the outcome is one of the 16 payload keys, in the place of a caller's own", async () => {
      const { worker } = domain.keys();
      const payload = (keys: number) => Object.fromEntries(Array.from({ length: keys }, (_, i) => [`k${i}`, i]));
      const failed = { ...completed(worker), kind: "RUN_FAILED" as const, outcome: "ERROR" as const };
      const full = await domain.awareness.append({ ...failed, payload: { outcome: "mine", ...payload(15) } });
      expect(full.event?.payload).toEqual({ ...payload(15), outcome: "error" });
      const refused = domain.awareness.appendMany([failed, { ...failed, payload: payload(16) }]);
      await expect(refused).rejects.toMatchObject({ code: "BAD_USER_INPUT", field: "inputs[1].payload" });
    });

    test("one bad item refuses the whole call before anything is written, and names its place", async () => {
      const { worker } = domain.keys();
      const bad = { ...completed(worker), kind: "RUN_FAILED" as const };
      const refused = await domain.awareness.appendMany([goal(worker), bad]).catch((error: unknown) => error);
      expect(refused).toBeInstanceOf(Refusal);
      expect(refused).toMatchObject({ code: "BAD_USER_INPUT", field: "inputs[1].outcome" });
      expect((await domain.awareness.sessionStatus({ sessionKey: worker })).stateVersion).toBe(0);
      await expect(domain.awareness.appendMany([])).rejects.toMatchObject({ field: "inputs" });
      await expect(domain.awareness.appendMany(Array(501).fill(goal(worker)))).rejects.toMatchObject({
        field: "inputs",
      });
    });

    test.each<[string, Partial<AppendInput>, string]>([
      ["a spawn without its parent", { kind: "CHILD_SPAWNED", actor: { type: "AGENT" } }, "actor.id"],
      ["a parent with a malformed key", { kind: "CHILD_SPAWNED", actor: { type: "AGENT", id: "agent:x" } }, "actor.id"],
      ["an outcome where none belongs", { outcome: "ERROR" }, "outcome"],
      ["a nested payload", { payload: { a: { b: 1 } } }, "payload.a"],
      [
        "17 payload keys",
        { payload: Object.fromEntries(Array.from({ length: 17 }, (_, i) => [`k${i}`, i])) },
        "payload",
      ],
      ["an empty dedupe key", { dedupeKey: "" }, "dedupeKey"],
      ["a NUL in a run id", { runId: "a\0b" }, "runId"],
      ["a lone surrogate in a session id", { sessionId: "\ud800" }, "sessionId"],
    ])("refused with its field: %s", async (_, change, field) => {
      const { worker } = domain.keys();
      const refused = domain.awareness.append({ ...goal(worker), ...change });
      await expect(refused).rejects.toMatchObject({ code: "BAD_USER_INPUT", field });
    });

    test("a child cannot be its own parent", async () => {
      const { child } = domain.keys();
      await expect(domain.awareness.append(spawn(child, child))).rejects.toMatchObject({ field: "actor.id" });
    });

    test("a summary is cleaned, not refused, and comes back the same from every read", async () => {
      const { worker } = domain.keys();
      const split = `${"x".repeat(298)}\ud83d`;
      const cases: [string | undefined, string][] = [
        ["two\r\nlines\tand\0 NUL", "two lines and NUL"],
        ["lone \ud800 surrogate", "lone \ufffd surrogate"],
        [split, "x".repeat(280)],
        ["مرحبا שלום 你好 👨‍👩‍👧", "مرحبا שלום 你好 👨‍👩‍👧"],
        ["  ", "goal changed"],
        [undefined, "goal changed"],
      ];
      const written = await domain.awareness.appendMany(cases.map(([summary]) => ({ ...goal(worker), summary })));
      expect(written.map(({ event }) => event?.summary)).toEqual(cases.map(([, clean]) => clean));
      const { stateChanges } = await domain.awareness.sessionStatus({ sessionKey: worker, changesSince: 0 });
      expect(stateChanges?.events).toEqual(written.map(({ event }) => event));
    });

    test("occurredAt is clamped into the last 24 hours; invalid means now", async () => {
      const { worker } = domain.keys();
      const before = Date.now();
      const times = [new Date(0), new Date("3000-01-01"), new Date(Number.NaN), new Date(before - 1000)];
      const results = await domain.awareness.appendMany(times.map((occurredAt) => ({ ...goal(worker), occurredAt })));
      const [past, future, invalid, lately] = results.map(({ event }) => event?.occurredAt.getTime() ?? 0);
      const after = Date.now();
      const dayMs = 24 * 60 * 60 * 1000;
      expect(past).toBeGreaterThanOrEqual(before - dayMs);
      expect(past).toBeLessThanOrEqual(after - dayMs);
      for (const time of [future, invalid]) {
        expect(time).toBeGreaterThanOrEqual(before);
        expect(time).toBeLessThanOrEqual(after);
      }
      expect(lately).toBe(before - 1000);
    });

    test("the longest keys and ids that are allowed are kept", async () => {
      const long = (seed: string) =>
        Array.from({ length: 490 }, (_, i) =>
          String.fromCharCode(0x4e00 + ((i * 7919 + seed.length * 31) % 20000)),
        ).join("");
      const watcher = `agent:w:${long("a")}`;
      const target = `agent:t:${long("bb")}`;
      await domain.awareness.watch({ watcherSessionKey: watcher, targetSessionKey: target });
      const input = { ...goal(target), dedupeKey: long("ccc"), runId: long("dddd") };
      const first = await domain.awareness.append(input);
      expect(await domain.awareness.append(input)).toEqual({ ...first, duplicate: true });
      expect(await domain.awareness.pendingNotices({ watcherSessionKey: watcher })).toHaveLength(1);
    });

    test("100 clients appending 20 events each at once: sequences rise, the head is right, nothing fails", async () => {
      const { worker, other } = domain.keys();
      const sequences = await Promise.all(
        Array.from({ length: 100 }, async (_, client) => {
          const own: number[] = [];
          for (let i = 0; i < 20; i += 1) own.push(await appended(domain.awareness, goal(client % 2 ? worker : other)));
          return own;
        }),
      );
      for (const own of sequences) expect(own).toEqual([...own].sort((a, b) => a - b));
      expect(new Set(sequences.flat()).size).toBe(2000);
      const { stateVersion } = await domain.awareness.sessionStatus({ sessionKey: worker });
      expect(stateVersion).toBe(Math.max(...sequences.filter((_, client) => client % 2).flat()));
    });
  });
}
