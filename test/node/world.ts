import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";
import type { UpstreamLinkRecord } from "../../src/awareness/awareness.js";
import { sleep } from "../../src/clock.js";
import { startGuarded } from "../access/support.js";
import { type GraphQLAnswer, startTestService, type TestService } from "../support/server.js";
import { type RecordingProxy, startProxy } from "./proxy.js";

const main = fileURLToPath(new URL("../../src/main.ts", import.meta.url));
export const boss = "agent:boss:main";
/** Three of these are longer than a busy machine holds a process up. */
const usualCadenceMs = 200;

export type NodeProcess = {
  /** Everything it has logged, when it has ended. */
  log: Promise<string>;
  exited: Promise<unknown>;
  end(signal?: "SIGKILL" | "SIGTERM"): Promise<void>;
};

/** A server, and another machine's folders; the two meet in a proxy that keeps what goes over the wire. */
export type World = {
  readonly service: TestService;
  /** Asks as an admin. */
  gql(query: string, variables?: Record<string, unknown>): Promise<GraphQLAnswer>;
  proxy: RecordingProxy;
  /** A token for a node. */
  token: string;
  claudeFile(threadId: string): string;
  startNode(options?: { name?: string; token?: string; home?: string; cadenceMs?: number }): Promise<NodeProcess>;
  /** Adopts a thread of the node and lets the boss watch it. */
  follow(threadId: string, nodeId?: string): Promise<string>;
  link(sessionKey: string): Promise<UpstreamLinkRecord | null>;
  /** Human turns told of, and the kinds of all events. */
  turns(sessionKey: string): Promise<number>;
  kinds(sessionKey: string): Promise<string[]>;
  restartServer(): Promise<void>;
  dispose(): Promise<void>;
};

export async function openWorld(): Promise<World> {
  const folder = mkdtempSync(join(tmpdir(), "headsup-node-"));
  for (const name of ["claude/project", "codex", "empty", "other/project"]) {
    mkdirSync(join(folder, name), { recursive: true });
  }
  const empty = join(folder, "empty");
  const env = {
    DATABASE_URL: `file:${join(folder, "server.db")}`,
    HEADSUP_CLAUDE_DIR: empty,
    HEADSUP_CODEX_DIR: empty,
  };
  const first = await startGuarded({ env });
  let service: TestService = first;
  const proxy = await startProxy(() => service.origin);
  const { token } = await first.bearer({ scopes: ["write"], agents: null });
  const nodes = new Set<NodeProcess>();

  const events = async (sessionKey: string) =>
    (await service.awareness.sessionStatus({ sessionKey, changesSince: 0 })).stateChanges?.events ?? [];
  return {
    get service() {
      return service;
    },
    gql: async (query, variables) =>
      (await service.post(JSON.stringify({ query, variables }), first.admin.headers)).json(),
    proxy,
    token,
    claudeFile: (threadId) => join(folder, "claude", "project", `${threadId}.jsonl`),
    async startNode({ name = "laptop", token: secret = token, home = "claude", cadenceMs = usualCadenceMs } = {}) {
      const node = launch(["node", "--server", proxy.origin, "--name", name], {
        HEADSUP_TOKEN: secret,
        HEADSUP_CLAUDE_DIR: join(folder, home),
        HEADSUP_CODEX_DIR: join(folder, "codex"),
        HEADSUP_MONITOR_INTERVAL_MS: String(cadenceMs),
        HEADSUP_MONITOR_FIRST_MS: "0",
      });
      nodes.add(node.process);
      await node.ready;
      return node.process;
    },
    async follow(threadId, nodeId = "laptop") {
      const source = { kind: "CLAUDE_CODE" as const, nodeId, threadId };
      const { session } = await service.awareness.adoptSession({ source, agentId: "worker" });
      await service.awareness.watch({ watcherSessionKey: boss, targetSessionKey: session.sessionKey });
      return session.sessionKey;
    },
    async link(sessionKey) {
      return (await service.awareness.sessionStatus({ sessionKey })).session?.upstream ?? null;
    },
    async turns(sessionKey) {
      const told = (await events(sessionKey)).filter(({ kind }) => kind === "HUMAN_DIRECT_MESSAGE");
      return told.reduce((sum, { payload }) => sum + Number(payload?.turns ?? 1), 0);
    },
    kinds: async (sessionKey) => (await events(sessionKey)).map(({ kind }) => kind),
    async restartServer() {
      await service.stop();
      service = await startTestService({ auth: "on", env });
    },
    async dispose() {
      await Promise.all([...nodes].map((node) => node.end("SIGKILL")));
      await proxy.stop();
      await service.stop();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

function launch(args: readonly string[], env: Record<string, string>): { process: NodeProcess; ready: Promise<void> } {
  const child: ChildProcess = spawn(process.execPath, ["--import", import.meta.resolve("tsx"), main, ...args], {
    env: { PATH: process.env.PATH, ...env },
    stdio: ["ignore", "pipe", "pipe"],
  });
  const kill = () => child.kill("SIGKILL");
  process.once("exit", kill);
  const exited = once(child, "exit").finally(() => process.off("exit", kill));
  const log = text(child.stderr as NodeJS.ReadableStream);
  const ready = Promise.race([once(child.stdout as NodeJS.ReadableStream, "data"), exited.then(() => "gone")]);
  return {
    process: {
      log,
      exited,
      async end(signal = "SIGTERM") {
        child.kill(signal);
        await exited;
      },
    },
    ready: ready.then(() => undefined),
  };
}

/** Looks again until it holds; rejects after 15 s. */
export async function until(holds: () => Promise<boolean> | boolean, what: string): Promise<void> {
  const signal = AbortSignal.timeout(15_000);
  while (!(await holds())) {
    if (signal.aborted) throw new Error(`waited in vain until ${what}`);
    await sleep(20);
  }
}
