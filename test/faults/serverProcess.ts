import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { collect, readyUrl } from "../support/childServer.js";

const projectFolder = fileURLToPath(new URL("../../", import.meta.url));
const adminToken = "token-of-the-fault-tests-0123456789abcdef";

/** The real server in a process of its own: what a signal does to it, it does in production too. */
export type ServerProcess = {
  /** Sends one GraphQL request; rejects when the connection breaks. */
  call(query: string, variables?: object): Promise<GraphqlAnswer>;
  /** Events of one subscription as they arrive; ends when `signal` aborts. */
  subscribe(query: string, signal: AbortSignal): AsyncGenerator<Record<string, unknown>>;
  /** Sends the signal and waits until the process is gone. */
  end(signal: "SIGKILL" | "SIGTERM"): Promise<void>;
};
export type GraphqlAnswer = { data: Record<string, unknown> | null; errors?: { message: string }[] };

function launch(databaseFile: string): ChildProcess {
  const child = spawn(process.execPath, ["--import", "tsx", "src/main.ts"], {
    cwd: projectFolder,
    stdio: ["ignore", "pipe", "pipe"],
    env: {
      PATH: process.env.PATH,
      DATABASE_URL: `file:${databaseFile}`,
      PORT: "0",
      HEADSUP_ADMIN_TOKEN: adminToken,
      HEADSUP_LOG_LEVEL: "silent",
    },
  });
  // A test that fails half-way must not leave a server behind.
  const kill = () => child.kill("SIGKILL");
  process.once("exit", kill);
  child.once("exit", () => process.off("exit", kill));
  return child;
}

/** Starts a server and waits for the line that says it is ready. */
export async function startServer(databaseFile: string): Promise<ServerProcess> {
  const child = launch(databaseFile);
  const complaints = collect(child.stderr);
  const exited = once(child, "exit");
  const url = await Promise.race([readyUrl(child), exited.then(() => null)]);
  if (url === null) throw new Error(`the server did not start: ${await complaints}`);
  return {
    call: (query, variables = {}) => post(url, { query, variables }),
    subscribe: (query, signal) => eventsOf(url, query, signal),
    async end(signal) {
      child.kill(signal);
      await exited;
    },
  };
}

/** Runs a server that is expected to give up by itself, and returns what it said. */
export async function refusedStart(databaseFile: string) {
  const child = launch(databaseFile);
  const [stdout, stderr, [code]] = await Promise.all([
    collect(child.stdout),
    collect(child.stderr),
    once(child, "exit"),
  ]);
  return { code: Number(code), stdout, stderr };
}

function headers(accept: string) {
  return { accept, "content-type": "application/json", authorization: `Bearer ${adminToken}` };
}

async function post(url: string, body: object): Promise<GraphqlAnswer> {
  const response = await fetch(url, {
    method: "POST",
    headers: headers("application/json"),
    body: JSON.stringify(body),
  });
  return (await response.json()) as GraphqlAnswer;
}

async function* eventsOf(url: string, query: string, signal: AbortSignal): AsyncGenerator<Record<string, unknown>> {
  const response = await fetch(url, {
    method: "POST",
    headers: headers("text/event-stream"),
    body: JSON.stringify({ query }),
    signal,
  });
  const decoder = new TextDecoder();
  let text = "";
  for await (const chunk of response.body ?? []) {
    text += decoder.decode(chunk, { stream: true });
    const records = text.split("\n\n");
    text = records.pop() ?? "";
    for (const record of records) {
      const data = /^data: (.*)$/m.exec(record)?.[1];
      if (/^event: next$/m.test(record) && data !== undefined) yield JSON.parse(data).data;
    }
  }
}
