import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import Database from "better-sqlite3";
import type WebSocket from "ws";
import { openSocket, type SocketClient } from "../server/clients.js";
import { ensureBuilt } from "./build.js";

const adminToken = "token-of-the-attack-tests-0123456789abcdef";
export const authorization = { authorization: `Bearer ${adminToken}` };

export type Answer = {
  status: number;
  headers: Headers;
  // biome-ignore lint/suspicious/noExplicitAny: a test asserts on what it asked for itself
  body: any;
};

/** The built server as a process of its own, on a SQLite file of its own. */
export type Target = {
  url: string;
  wsUrl: string;
  port: number;
  /** Posts a body as it is. */
  post(body: string, headers?: Record<string, string>): Promise<Answer>;
  /** Posts an operation. */
  // biome-ignore lint/suspicious/noExplicitAny: see above
  gql(query: string, variables?: object): Promise<any>;
  socket(options?: WebSocket.ClientOptions): Promise<SocketClient>;
  /** What `/metrics` says, by name and labels. */
  metrics(): Promise<Map<string, number>>;
  /** One of those; 0 when it is not shown. */
  figure(name: string): Promise<number>;
  /** Bytes that the process holds once it has collected its garbage: heap and buffers. */
  held(): Promise<number>;
  /** Rows by table, and the highest number of the log. */
  content(): Record<string, number>;
  /** Whether the process still runs. */
  lives(): boolean;
  log(): string;
  stop(): Promise<void>;
};

/** So that a test can tell what is held from what is garbage. Nothing of the product is touched by it. */
const collectOnSignal = "data:text/javascript,process.on('SIGUSR2', () => globalThis.gc())";

export async function startTarget(env: Record<string, string> = {}): Promise<Target> {
  const main = await ensureBuilt();
  const folder = await mkdtemp(join(tmpdir(), "headsup-attack-"));
  const file = join(folder, "test.db");
  const child = spawn(process.execPath, ["--expose-gc", "--import", collectOnSignal, main], {
    stdio: ["ignore", "pipe", "pipe"],
    env: {
      PATH: process.env.PATH,
      DATABASE_URL: `file:${file}`,
      PORT: "0",
      HEADSUP_ADMIN_TOKEN: adminToken,
      HEADSUP_LOG_LEVEL: "warn",
      ...env,
    },
  });
  // A test that fails half-way must not leave a server behind.
  const kill = () => child.kill("SIGKILL");
  process.once("exit", kill);
  const exited = once(child, "exit");
  void exited.then(() => process.off("exit", kill));
  const log = keep(child);
  const url = await Promise.race([readyUrl(child), exited.then(() => null)]);
  if (url === null) throw new Error(`the server did not start: ${log()}`);

  const stop = async () => {
    child.kill("SIGTERM");
    await exited;
    await rm(folder, { recursive: true, force: true });
  };
  const lives = () => child.exitCode === null && child.signalCode === null;
  return { ...speakers(url, () => child.kill("SIGUSR2")), content: () => contentOf(file), lives, log, stop };
}

function speakers(url: string, collect: () => void) {
  const wsUrl = url.replace(/^http/, "ws");
  const post = async (body: string, headers: Record<string, string> = {}): Promise<Answer> => {
    const response = await fetch(url, {
      method: "POST",
      headers: { "content-type": "application/json", accept: "application/json", ...authorization, ...headers },
      body,
    });
    const text = await response.text();
    return { status: response.status, headers: response.headers, body: text.startsWith("{") ? JSON.parse(text) : text };
  };
  const metrics = async () => {
    const response = await fetch(new URL("/metrics", url), { headers: authorization });
    const lines = (await response.text()).split("\n").filter((line) => /^\w/.test(line));
    return new Map(lines.map((line) => [line.replace(/ \S+$/, ""), Number(/\S+$/.exec(line)?.[0])]));
  };
  return {
    url,
    wsUrl,
    port: Number(new URL(url).port),
    post,
    gql: async (query: string, variables: object = {}) => (await post(JSON.stringify({ query, variables }))).body,
    socket: (options: WebSocket.ClientOptions = {}) => openSocket(wsUrl, { headers: authorization, ...options }),
    metrics,
    figure: async (name: string) => (await metrics()).get(name) ?? 0,
    async held() {
      let least = Number.POSITIVE_INFINITY;
      for (let round = 0; round < 3; round += 1) {
        collect();
        const figures = await metrics();
        const bytes =
          (figures.get("nodejs_heap_size_used_bytes") ?? 0) + (figures.get("nodejs_external_memory_bytes") ?? 0);
        least = Math.min(least, bytes);
      }
      return least;
    },
  };
}

async function readyUrl(child: ChildProcess): Promise<string | null> {
  if (child.stdout === null) return null;
  for await (const line of createInterface({ input: child.stdout })) {
    const url = /^headsup ready at (\S+)/.exec(line)?.[1];
    if (url === undefined) continue;
    child.stdout.resume(); // nobody reads on: a full pipe would stop the server
    return url;
  }
  return null;
}

/** The end of what it has said on standard error. */
function keep(child: ChildProcess): () => string {
  let said = "";
  child.stderr?.on("data", (chunk) => {
    said = (said + String(chunk)).slice(-100_000);
  });
  return () => said;
}

function contentOf(file: string): Record<string, number> {
  const database = new Database(file, { readonly: true });
  try {
    const names = database
      .prepare("SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite_%'")
      .pluck()
      .all() as string[]; // the one column is text
    return Object.fromEntries(
      names.map((name) => [name, Number(database.prepare(`SELECT COUNT(*) FROM "${name}"`).pluck().get())]),
    );
  } finally {
    database.close();
  }
}
