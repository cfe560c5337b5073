import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { adminToken } from "./operations.js";
import { mainProgram } from "./product.js";
import type { Commands, Reply } from "./worker.js";

/** Everything runs from the project's folder, where `tsx` is found. */
const projectFolder = fileURLToPath(new URL("../", import.meta.url));
const stopMs = 15_000;

type Result<Command> = Command extends (argument: never) => Promise<infer Value> ? Value : never;

/** A child process of the bench, and the commands it obeys. */
export type Program<Known extends Commands> = {
  call<Name extends keyof Known & string>(
    name: Name,
    ...argument: Parameters<Known[Name]>
  ): Promise<Result<Known[Name]>>;
  /** Ends it as a supervisor would, and waits until it is gone. */
  stop(): Promise<void>;
};

export type Server<Known extends Commands = Record<never, never>> = Program<Known> & {
  /** `http://127.0.0.1:<port>/graphql` */
  url: string;
  /** From its start as a process to its line that it is ready. */
  readyMs: number;
};

/** A program under `bench/` that says when it is ready over its channel. */
export async function startProgram<Known extends Commands>(file: string, nodeOptions: string[] = []) {
  const child = launch([...nodeOptions, ...typescript, benchFile(file)], {});
  await firstOf(child, once(child, "message"));
  return programOf<Known>(child);
}

export type ServerOptions = {
  databaseUrl: string;
  env?: Record<string, string>;
  nodeOptions?: string[];
  /** Adds the fields that only the bench needs: see servers/extraFields.ts. */
  extraFields?: boolean;
  /** Instead of the product's own main program, a program under `bench/` that serves the same. */
  program?: string;
};

/**
 * Defaults but for these: nothing is pruned (retention has a row of its own), and what keeps one client from taking more
 * than its share counts as always, but does not refuse the one client that the load comes from. The main program sets
 * NODE_ENV itself, which is too late where something of the bench has loaded graphql before it.
 */
const surroundings = {
  NODE_ENV: "production",
  PORT: "0",
  HEADSUP_LOG_LEVEL: "warn",
  HEADSUP_RETENTION_ROWS: "1000000000",
  HEADSUP_MAX_MUTATIONS_PER_10S: "1000000000",
  HEADSUP_MAX_SOCKETS_PER_TOKEN: "100000",
  HEADSUP_MAX_SOCKETS: "100000",
};

/** The built product in a process of its own, on a free port, ready. */
export async function startServer<Known extends Commands = Record<never, never>>(
  options: ServerOptions,
): Promise<Server<Known>> {
  const { databaseUrl, env = {}, nodeOptions = [], extraFields = false, program } = options;
  const extra = extraFields ? [...typescript, "--import", benchFile("servers/extraFields.ts")] : [];
  const main = program === undefined ? [mainProgram] : [...typescript, benchFile(program)];
  const start = performance.now();
  const child = launch([...profiling(), ...nodeOptions, ...extra, ...main], {
    DATABASE_URL: databaseUrl,
    HEADSUP_ADMIN_TOKEN: adminToken,
    ...surroundings,
    ...env,
  });
  const url = await firstOf(child, readyUrl(child));
  return { ...programOf<Known>(child), url, readyMs: performance.now() - start };
}

const typescript = ["--import", "tsx"];
const benchFile = (file: string) => fileURLToPath(new URL(file, import.meta.url));

/** `HEADSUP_BENCH_PROFILE=<folder>` leaves a CPU profile of every server, and of every row's own process, there. */
export function profiling(): string[] {
  const folder = process.env.HEADSUP_BENCH_PROFILE;
  return folder ? ["--cpu-prof", "--cpu-prof-interval", "500", "--cpu-prof-dir", folder] : [];
}

function launch(args: string[], env: Record<string, string>): ChildProcess {
  const child = spawn(process.execPath, args, {
    cwd: projectFolder,
    stdio: ["ignore", "pipe", "inherit", "ipc"],
    env: { PATH: process.env.PATH, HOME: process.env.HOME, ...env },
  });
  // A row that fails half-way must not leave anything running.
  const kill = () => child.kill("SIGKILL");
  process.once("exit", kill);
  child.once("exit", () => process.off("exit", kill));
  return child;
}

async function firstOf<T>(child: ChildProcess, wanted: Promise<T>): Promise<T> {
  const ended = once(child, "exit").then(([code]) => {
    throw new Error(`${child.spawnargs.at(-1)} ended with ${code} before it was ready`);
  });
  ended.catch(() => undefined);
  return Promise.race([wanted, ended]);
}

async function readyUrl(child: ChildProcess): Promise<string> {
  if (child.stdout === null) throw new Error("a server is started with its output on a pipe");
  for await (const line of createInterface({ input: child.stdout })) {
    const url = /ready at (\S+)/.exec(line)?.[1];
    if (url === undefined) continue;
    child.stdout.resume(); // nobody reads on, and a full pipe would stop the server
    return url;
  }
  throw new Error("the server ended its output before it was ready");
}

function programOf<Known extends Commands>(child: ChildProcess): Program<Known> {
  const waiting = new Map<number, (reply: Reply) => void>();
  let calls = 0;
  child.on("message", (reply: Reply) => waiting.get(reply.call)?.(reply));
  child.once("exit", () => {
    for (const [call, resolve] of waiting) resolve({ call, error: "the process has ended" });
  });
  return {
    async call<Name extends keyof Known & string>(name: Name, ...[argument]: Parameters<Known[Name]>) {
      calls += 1;
      const call = calls;
      const reply = await new Promise<Reply>((resolve) => {
        waiting.set(call, resolve);
        child.send({ call, name, argument });
      });
      waiting.delete(call);
      if (reply.error !== undefined) throw new Error(`${name}: ${reply.error}`);
      // The channel carries plain data; the command's own type says which.
      return reply.value as Result<Known[Name]>;
    },
    stop: () => stop(child),
  };
}

async function stop(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const gone = once(child, "exit");
  child.kill("SIGTERM");
  const timer = setTimeout(() => child.kill("SIGKILL"), stopMs);
  await gone;
  clearTimeout(timer);
}
