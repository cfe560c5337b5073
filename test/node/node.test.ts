import { appendFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { claudeAnswer, claudeTurn, sha256 } from "../upstream/lines.js";
import { boss, openWorld, until, type World } from "./world.js";

let world: World;
beforeEach(async () => {
  world = await openWorld();
});
afterEach(() => world.dispose());

const listed = async () => (await world.service.awareness.upstreamCatalog({})).edges.map(({ node }) => node);

describe("a node on another machine", { timeout: 30_000 }, () => {
  it("lists its threads, and a person who types there is noticed by who watches; only digests cross the wire", async () => {
    writeFileSync(world.claudeFile("thread"), claudeTurn("typed long ago, marzipan") + claudeAnswer("old answer"));
    // Long enough that a busy machine does not make it silent meanwhile.
    await world.startNode({ cadenceMs: 1_000 });
    expect(await listed()).toMatchObject([
      { kind: "CLAUDE_CODE", nodeId: "laptop", threadId: "thread", adoptedBy: [] },
    ]);
    const session = await world.follow("thread");
    expect(session).toBe("agent:worker:claude-code:thread");
    expect(await world.link(session)).toMatchObject({ nodeId: "laptop", threadId: "thread" });
    expect((await listed())[0]?.adoptedBy).toMatchObject([{ sessionKey: session }]);

    const notices = await world.service.awareness.subscribe(boss);
    await world.service.awareness.noteOwnPrompt({ sessionKey: session, textDigest: sha256("my own marzipan") });
    appendFileSync(
      world.claudeFile("thread"),
      claudeTurn("my own marzipan") + claudeTurn("what a person types, marzipan"),
    );
    expect(await notices.next()).toMatchObject({ value: { targetSessionKey: session } });
    await notices.return?.();
    expect(await world.turns(session)).toBe(1);
    expect(await world.kinds(session)).toEqual(["ADOPTED", "HUMAN_DIRECT_MESSAGE"]);

    // A thread that is new, and one that is gone.
    writeFileSync(world.claudeFile("second"), claudeTurn("second, marzipan"));
    await until(async () => (await listed()).length === 2, "the new thread is listed");
    rmSync(world.claudeFile("second"));
    await until(async () => (await listed()).length === 1, "the thread that is gone is not");

    const traffic = JSON.stringify(world.proxy.traffic);
    expect(world.proxy.traffic.some(({ body }) => body.includes('"outcome":"READ"'))).toBe(true);
    for (const word of ["marzipan", "old answer", "project", "person", "/home"]) expect(traffic).not.toContain(word);
    for (const { body } of world.proxy.traffic) expectOnlyNumbersAndDigests(JSON.parse(body).variables);
  });

  it("that is silent for three cadences is told from a source that is gone, and goes on where it was", async () => {
    const file = world.claudeFile("thread");
    writeFileSync(file, claudeTurn("old"));
    const node = await world.startNode();
    const session = await world.follow("thread");
    await until(async () => (await world.link(session))?.lastCheckedAt !== null, "it is checked");
    const silent = async () => {
      const query = `{ sessionStatus(sessionKey: "${session}") { session { upstream { silent missedChecks } } } }`;
      return (await world.gql(query)).data.sessionStatus.session.upstream;
    };
    expect(await silent()).toEqual({ silent: false, missedChecks: 0 });
    await node.end("SIGKILL");
    await until(async () => (await silent()).silent, "the node is silent");
    expect(await silent()).toEqual({ silent: true, missedChecks: 0 });
    expect(await listed()).toEqual([]);
    const source = { kind: "CLAUDE_CODE" as const, nodeId: "laptop", threadId: "other" };
    await expect(world.service.awareness.adoptSession({ source, agentId: "worker" })).rejects.toMatchObject({
      code: "SERVICE_UNAVAILABLE",
    });
    expect(await world.kinds(session)).toEqual(["ADOPTED"]);

    appendFileSync(file, claudeTurn("typed while the node was away"));
    await world.startNode();
    await until(async () => (await world.turns(session)) === 1, "what was typed is told");
    expect(await silent()).toEqual({ silent: false, missedChecks: 0 });
    renameSync(file, `${file}.away`);
    await until(async () => (await world.link(session)) === null, "three checks in a row have missed it");
    expect((await world.kinds(session)).slice(-1)).toEqual(["UPSTREAM_MISSING"]);
  });

  it("under a name that another machine has leaves that one's links alone", async () => {
    const file = world.claudeFile("thread");
    writeFileSync(file, claudeTurn("old"));
    await world.startNode({ cadenceMs: 1_000 });
    const session = await world.follow("thread");
    const other = world.startNode({ home: "other", cadenceMs: 300 });
    const refusedIn = () => world.proxy.traffic.filter(({ answer }) => answer.includes("Another machine")).length;
    await until(() => refusedIn() >= 4, "the other one was refused a few times");
    appendFileSync(file, claudeTurn("typed"));
    await until(async () => (await world.turns(session)) === 1, "the turn is told");
    expect(await world.link(session)).toMatchObject({ missedChecks: 0 });
    await world.dispose();
    await other;
  });

  it("ends with one line and exit code 1 when its token is not good for this, and with 0 by a signal", async () => {
    const rights = { name: "reader", scopes: ["read"] as const, agents: null };
    const { secret } = await world.service.awareness.tokens.create(rights);
    const refused = await world.startNode({ token: secret });
    expect(await refused.exited).toEqual([1, null]);
    expect(await refused.log).toMatch(/^headsup: the server does not take this node's reports: [^\n]*write[^\n]*\n$/);
    const welcome = await world.startNode();
    await welcome.end("SIGTERM");
    expect(await welcome.exited).toEqual([0, null]);
  });

  it.each([
    ["a thread that it does not have", { nodeId: "laptop", threadId: "none" }, "source.threadId"],
    ["a node that nobody knows", { nodeId: "nobody", threadId: "thread" }, "source.nodeId"],
  ])("adoption refuses %s, and has written nothing", async (_what, source, field) => {
    await world.startNode();
    const adopting = world.service.awareness.adoptSession({ source: { kind: "CODEX", ...source }, agentId: "worker" });
    await expect(adopting).rejects.toMatchObject({ code: "BAD_USER_INPUT", field });
    expect((await world.service.awareness.sessionsList({})).edges).toEqual([]);
  });
});

/** Names of ours and of threads, digests, positions, counts, times, and words of the schema. */
function expectOnlyNumbersAndDigests(value: unknown): void {
  if (typeof value === "string" && /^[[{]|^null$/.test(value)) expectOnlyNumbersAndDigests(JSON.parse(value));
  else if (typeof value === "string") {
    expect(value).toMatch(/^([0-9a-f]{64}|~?[\w-]{11}|\d+:\d+|\d+|\d{4}-[\dT:.-]+Z|laptop|thread|second|[A-Z_]+)$/);
  } else if (typeof value === "object" && value !== null) Object.values(value).forEach(expectOnlyNumbersAndDigests);
}
