import { appendFileSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { startTestService, type TestService } from "../support/server.js";
import { claudeTurn, codexMeta, codexSaid, sha256 } from "./lines.js";

let folder: string;
let service: TestService;
const transcript = () => join(folder, "claude", "project", "thread.jsonl");

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "headsup-upstream-"));
  const day = join(folder, "codex", "2026", "11", "30");
  mkdirSync(join(folder, "claude", "project"), { recursive: true });
  mkdirSync(day, { recursive: true });
  writeFileSync(transcript(), claudeTurn("old"));
  writeFileSync(join(day, "rollout-2026-11-30T16-00-00-rollout.jsonl"), codexMeta("rollout") + codexSaid("old"));
  const env = { HEADSUP_CLAUDE_DIR: join(folder, "claude"), HEADSUP_CODEX_DIR: join(folder, "codex") };
  service = await startTestService({ env });
});
afterAll(async () => {
  await service.stop();
  rmSync(folder, { recursive: true, force: true });
});

const adopt = `mutation ($source: UpstreamSourceInput!, $agentId: ID!) {
  adoptSession(input: { source: $source, agentId: $agentId, label: "a worker" }) {
    created
    session { sessionKey label upstream { kind nodeId threadId missedChecks failedChecks skippedRows unknownRows lastCheckedAt nextCheckAt } }
  }
}`;
const note = `mutation ($input: NoteOwnPromptInput!) { noteOwnPrompt(input: $input) { noted } }`;
const sessionKey = "agent:worker:claude-code:thread";

it("a person who types into an adopted transcript is noticed by who watches, over GraphQL from end to end", async () => {
  const catalog = await service.gql(`{
    upstreamCatalog(first: 1) { nodes { kind nodeId threadId workingDirectory updatedAt adoptedBy { sessionKey } } pageInfo { hasNextPage } }
    upstreamCatalogOfCodex: upstreamCatalog(kind: CODEX) { nodes { threadId } edges { cursor } }
  }`);
  expect(catalog.errors).toBeUndefined();
  expect(catalog.data.upstreamCatalog.pageInfo.hasNextPage).toBe(true);
  expect(catalog.data.upstreamCatalogOfCodex.nodes).toEqual([{ threadId: "rollout" }]);

  // The node is this machine unless another is named.
  const adopted = await service.gql(adopt, { source: { kind: "CLAUDE_CODE", threadId: "thread" }, agentId: "worker" });
  expect(adopted.data.adoptSession).toEqual({
    created: true,
    session: {
      sessionKey,
      label: "a worker",
      upstream: {
        ...{ kind: "CLAUDE_CODE", nodeId: "local", threadId: "thread", lastCheckedAt: null, nextCheckAt: null },
        ...{ missedChecks: 0, failedChecks: 0, skippedRows: 0, unknownRows: 0 },
      },
    },
  });
  const input = { sessionKey, textDigest: sha256("my own") };
  expect((await service.gql(note, { input })).data.noteOwnPrompt).toEqual({ noted: true });
  await service.gql(
    `mutation { watch(input: { watcherSessionKey: "agent:boss:main", targetSessionKey: "${sessionKey}" }) { watched } }`,
  );

  const notices = await service.awareness.subscribe("agent:boss:main");
  appendFileSync(transcript(), claudeTurn("my own") + claudeTurn("typed by a person"));
  expect((await notices.next()).value).toMatchObject({ targetSessionKey: sessionKey });
  await notices.return?.();

  const status = await service.gql(`{
    sessionStatus(sessionKey: "${sessionKey}", changesSince: 0) { session { upstream { lastCheckedAt } } stateChanges { events { kind summary payload } } }
    upstreamCatalog(kind: CLAUDE_CODE) { nodes { adoptedBy { sessionKey upstream { threadId } } } }
  }`);
  expect(status.data.sessionStatus.stateChanges.events).toEqual([
    { kind: "ADOPTED", summary: "session adopted", payload: null },
    { kind: "HUMAN_DIRECT_MESSAGE", summary: "human message via claude-code", payload: null },
  ]);
  expect(status.data.sessionStatus.session.upstream.lastCheckedAt).toEqual(expect.any(String));
  expect(status.data.upstreamCatalog.nodes).toEqual([
    { adoptedBy: [{ sessionKey, upstream: { threadId: "thread" } }] },
  ]);
});

it.each([
  [{ kind: "CLAUDE_CODE", threadId: "../../etc/passwd" }, "source.threadId"],
  [{ kind: "CLAUDE_CODE", threadId: "nobody" }, "source.threadId"],
  [{ kind: "CODEX", threadId: "thread" }, "source.threadId"],
  [{ kind: "CLAUDE_CODE", nodeId: "elsewhere", threadId: "thread" }, "source.nodeId"],
])("%j is refused by field, and no path is told", async (source, field) => {
  const { errors } = await service.gql(adopt, { source, agentId: "worker" });
  expect(errors?.[0]?.extensions).toMatchObject({ code: "BAD_USER_INPUT", field });
  expect(JSON.stringify(errors)).not.toContain(folder);
});

it("a digest that is none is refused by field", async () => {
  const { errors } = await service.gql(note, { input: { sessionKey, textDigest: "my own" } });
  expect(errors?.[0]?.extensions).toMatchObject({ code: "BAD_USER_INPUT", field: "textDigest" });
});
