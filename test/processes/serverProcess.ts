import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { onTestFinished } from "vitest";
import { type ClientOptions, createClient, type HeadsupClient } from "../../src/client/index.js";
import { collect, readyUrl } from "../support/childServer.js";

const projectFolder = fileURLToPath(new URL("../../", import.meta.url));

export type ServerOptions = {
  databaseUrl: string;
  /** 0, or left out: any free one. */
  port?: number;
  /** Bounds that are to be others than the product's: then another script starts it. */
  limits?: Record<string, number>;
};

/** The product in a process of its own: what a signal does to it, it does in production too. */
export type ServerProcess = {
  url: string;
  port: number;
  /** A typed client of it, which closes when the test is over. */
  client(options?: Partial<ClientOptions>): HeadsupClient;
  /** Sends the signal and waits until the process is gone. Safe to call twice. */
  end(signal: "SIGKILL" | "SIGTERM"): Promise<void>;
  /** The signal or exit code it ended with; null while it runs. */
  ended(): string | number | null;
};

/** Starts a server and waits for the line that says it is ready. */
export async function startServer(options: ServerOptions): Promise<ServerProcess> {
  const child = launch(options);
  const exited = once(child, "exit");
  const complaints = collect(child.stderr);
  const url = await Promise.race([readyUrl(child), exited.then(() => null)]);
  if (url === null) throw new Error(`the server did not start: ${await complaints}`);
  return {
    url,
    port: Number(new URL(url).port),
    client(clientOptions) {
      const client = createClient({ url, ...clientOptions });
      onTestFinished(client.close);
      return client;
    },
    async end(signal) {
      child.kill(signal);
      await exited;
    },
    ended: () => child.exitCode ?? child.signalCode,
  };
}

function launch({ databaseUrl, port = 0, limits }: ServerOptions): ChildProcess {
  const script = limits === undefined ? "src/main.ts" : "test/processes/limitedServer.ts";
  const child = spawn(process.execPath, ["--import", "tsx", script], {
    cwd: projectFolder,
    stdio: ["ignore", "pipe", "pipe"],
    env: {
      PATH: process.env.PATH,
      DATABASE_URL: databaseUrl,
      PORT: String(port),
      HEADSUP_AUTH: "off",
      HEADSUP_LOG_LEVEL: "fatal",
      LIMITS: JSON.stringify(limits ?? {}),
    },
  });
  // A test that fails half-way must not leave a server behind.
  const kill = () => child.kill("SIGKILL");
  process.once("exit", kill);
  child.once("exit", () => process.off("exit", kill));
  return child;
}
