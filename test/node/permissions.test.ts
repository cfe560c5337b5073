import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Rights } from "../../src/awareness/viewer.js";
import { codesOf, type GuardedService, startGuarded } from "../access/support.js";

let service: GuardedService;
beforeAll(async () => {
  service = await startGuarded();
});
afterAll(() => service.stop());

const digest = "0".repeat(64);
const report = {
  ...{ nodeId: "laptop", machineDigest: digest, cadenceMs: 1_000, catalogId: digest, complete: true },
  ...{ threads: [], goneThreads: [], quietLinkIds: [] },
};
const reportNode = "mutation ($input: ReportNodeInput!) { reportNode(input: $input) { catalogKnown } }";
const reportCheck = "mutation ($input: ReportCheckInput!) { reportCheck(input: $input) { saved } }";
const reportStart = "mutation ($input: ReportStartInput!) { reportStart(input: $input) { taken } }";
const source = {
  ...{ position: 3, fileIdentity: "1:2", headDigest: digest, tailDigest: digest },
  ...{ knownTurns: '{"complete":true,"turns":[]}', readerState: "null" },
};
const by = { nodeId: "laptop", machineDigest: digest };
const check = { ...by, linkId: "1", revision: 0, outcome: "READ", sentAt: "2026-11-30T16:00:00Z", source };
const calls: [string, Record<string, unknown>][] = [
  ['{ nodeWork(nodeId: "laptop") { starts { id } links { id } } }', {}],
  [reportNode, { input: report }],
  [reportCheck, { input: check }],
  [reportStart, { input: { ...by, startId: "1", source } }],
];

describe("who may report as a node", () => {
  it.each<[string, Rights, boolean]>([
    ["an admin", { scopes: ["admin"], agents: null }, true],
    ["who writes for all agents", { scopes: ["write"], agents: null }, true],
    ["who only reads", { scopes: ["read"], agents: null }, false],
    ["who writes for some agents", { scopes: ["read", "write"], agents: ["worker"] }, false],
  ])("%s", async (_who, rights, allowed) => {
    const bearer = await service.bearer(rights);
    for (const [query, variables] of calls) {
      expect(codesOf(await bearer.gql(query, variables))).toEqual(allowed ? undefined : ["FORBIDDEN"]);
    }
  });

  it("nobody without a token", async () => {
    for (const [query, variables] of calls) {
      expect(codesOf(await service.gql(query, variables))).toEqual(["UNAUTHENTICATED"]);
    }
  });
});

describe("what a node says has a shape that holds no content", () => {
  const words = "what a person typed";
  it.each<[string, string, Record<string, unknown>]>([
    ["nodeId", reportNode, { ...report, nodeId: "local" }],
    ["nodeId", reportNode, { ...report, nodeId: words }],
    ["machineDigest", reportNode, { ...report, machineDigest: words }],
    ["catalogId", reportNode, { ...report, catalogId: words }],
    ["cadenceMs", reportNode, { ...report, cadenceMs: 0 }],
    [
      "threads[0].threadId",
      reportNode,
      { ...report, threads: [{ kind: "CODEX", threadId: words, updatedAt: check.sentAt }] },
    ],
    ["threads[0].updatedAt", reportNode, { ...report, threads: [{ kind: "CODEX", threadId: "t", updatedAt: "soon" }] }],
    ["source", reportCheck, { ...check, source: null }],
    ["source.position", reportCheck, { ...check, source: { ...source, position: 0.5 } }],
    ["source.fileIdentity", reportCheck, { ...check, source: { ...source, fileIdentity: words } }],
    ["source.headDigest", reportCheck, { ...check, source: { ...source, headDigest: words } }],
    [
      "source.knownTurns",
      reportCheck,
      { ...check, source: { ...source, knownTurns: JSON.stringify({ complete: true, turns: [[words, words]] }) } },
    ],
    [
      "source.readerState",
      reportCheck,
      { ...check, source: { ...source, readerState: JSON.stringify({ last: words }) } },
    ],
    ["turns[0].digest", reportCheck, { ...check, turns: [{ digest: words }] }],
    ["source", reportStart, { ...by, startId: "1" }],
    ["startId", reportStart, { ...by, startId: words, source }],
    ["machineDigest", reportStart, { ...by, machineDigest: words, startId: "1", source }],
    ["machineDigest", reportCheck, { ...check, machineDigest: words }],
  ])("%s", async (field, query, input) => {
    const answer = await service.admin.gql(query, { input });
    expect(answer.errors?.[0]?.extensions).toMatchObject({ code: "BAD_USER_INPUT", field });
  });
});
