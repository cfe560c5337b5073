import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";

const main = fileURLToPath(new URL("../../src/main.ts", import.meta.url));

function launch(args: readonly string[], env: Record<string, string>, cwd: string): ChildProcess {
  const loader = import.meta.resolve("tsx");
  const child = spawn(process.execPath, ["--import", loader, main, ...args], {
    cwd,
    env: { PATH: process.env.PATH, ...env },
    stdio: ["ignore", "pipe", "pipe"],
  });
  // A test that fails half-way must not leave a server behind.
  const kill = () => child.kill("SIGKILL");
  process.once("exit", kill);
  child.once("exit", () => process.off("exit", kill));
  return child;
}

export type Outcome = { stdout: string; stderr: string; code: number };

/** Runs `headsup` with these arguments to its end. */
export async function headsup(args: readonly string[], env: Record<string, string>, cwd: string): Promise<Outcome> {
  const child = launch(args, env, cwd);
  const [stdout, stderr, [code]] = await Promise.all([
    text(child.stdout as NodeJS.ReadableStream),
    text(child.stderr as NodeJS.ReadableStream),
    once(child, "exit"),
  ]);
  return { stdout, stderr, code: Number(code) };
}

export type Server = {
  url: string;
  origin: string;
  /** Lines on standard output so far. */
  lines: readonly string[];
  /** The next line on standard output. */
  line(): Promise<string>;
  /** Ends it, and returns all that it wrote to its log. */
  stop(): Promise<string>;
};

/** Starts the server and waits until it is ready. */
export async function serve(env: Record<string, string>, cwd: string, args: readonly string[] = []): Promise<Server> {
  const child = launch(args, { PORT: "0", ...env }, cwd);
  const log = text(child.stderr as NodeJS.ReadableStream);
  const exited = once(child, "exit");
  const lines: string[] = [];
  const reader = createInterface({ input: child.stdout as NodeJS.ReadableStream });
  const iterator = reader[Symbol.asyncIterator]();
  const line = async () => {
    const { value, done } = await iterator.next();
    if (done) throw new Error(`the server has ended: ${await log}`);
    lines.push(value);
    return value;
  };
  const url = /^headsup ready at (\S+)$/.exec(await line())?.[1];
  if (url === undefined) throw new Error(`the first line was another: ${lines[0]}`);
  return {
    url,
    origin: new URL(url).origin,
    lines,
    line,
    async stop() {
      child.kill("SIGTERM");
      await exited;
      return log;
    },
  };
}
