import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { type IncomingMessage, request } from "node:http";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, test } from "vitest";

const main = fileURLToPath(new URL("../../src/main.ts", import.meta.url));
let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "headsup-"));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

/** The product as a process of its own, on its own database unless told otherwise. */
function launch(args: string[] = [], env: Record<string, string> = {}): ChildProcess {
  return spawn(process.execPath, ["--import", "tsx", main, ...args], {
    env: {
      PATH: process.env.PATH,
      DATABASE_URL: `file:${join(folder, "process.db")}`,
      PORT: "0",
      HEADSUP_AUTH: "off",
      ...env,
    },
    stdio: ["ignore", "pipe", "pipe"],
  });
}

/** Waits until what the stream has said so far matches, and returns the match. */
async function says(stream: NodeJS.ReadableStream | null, pattern: RegExp): Promise<RegExpExecArray> {
  let said = "";
  for (;;) {
    const match = pattern.exec(said);
    if (match !== null) return match;
    const [chunk] = await once(stream as NodeJS.ReadableStream, "data");
    said += chunk;
  }
}

async function run(args: string[], env?: Record<string, string>) {
  const child = launch(args, env);
  const [stdout, stderr, [code]] = await Promise.all([
    text(child.stdout as NodeJS.ReadableStream),
    text(child.stderr as NodeJS.ReadableStream),
    once(child, "exit"),
  ]);
  return { stdout, stderr, code };
}

const oneLine = expect.stringMatching(/^headsup: [^\n]+\n$/);

describe("start", () => {
  test("prints exactly one line on standard output when it is ready, and SIGINT ends it with 0", async () => {
    const child = launch();
    const exited = once(child, "exit");
    let stdout = "";
    child.stdout?.on("data", (chunk) => {
      stdout += chunk;
    });
    const [, url] = await says(child.stdout, /^headsup ready at (http:\/\/127\.0\.0\.1:\d+\/graphql)\n$/);
    expect((await fetch(String(url).replace("/graphql", "/readyz"))).status).toBe(200);
    child.kill("SIGINT");
    expect(await exited).toEqual([0, null]);
    expect(stdout).toBe(`headsup ready at ${url}\n`);
  });

  test.each([
    ["as in production", {}, false],
    ["as NODE_ENV says, if it says so", { NODE_ENV: "development" }, true],
  ])("graphql runs %s", async (name, env, looksTwice) => {
    const question = fileURLToPath(new URL("foreignType.ts", import.meta.url));
    const child = spawn(process.execPath, ["--import", "tsx", "--import", question, main], {
      env: {
        PATH: process.env.PATH,
        PORT: "0",
        HEADSUP_AUTH: "off",
        DATABASE_URL: `file:${join(folder, name)}`,
        ...env,
      },
      stdio: ["ignore", "pipe", "ignore", "ipc"],
    });
    await says(child.stdout, /ready at/);
    const answered = once(child, "message");
    child.send("?");
    expect((await answered)[0]).toEqual({ looksTwice });
    const exited = once(child, "exit");
    child.kill("SIGTERM");
    expect(await exited).toEqual([0, null]);
  });

  test("IPv6 addresses stand in brackets", async () => {
    const child = launch([], { HOST: "::1", DATABASE_URL: `file:${join(folder, "six.db")}` });
    const exited = once(child, "exit");
    const [, url] = await says(child.stdout, /^headsup ready at (http:\/\/\[::1\]:\d+\/graphql)\n$/);
    expect((await fetch(String(url).replace("/graphql", "/healthz"))).status).toBe(200);
    child.kill("SIGTERM");
    expect(await exited).toEqual([0, null]);
  });

  test("a bad value stops it with one line that names the variable", async () => {
    const { stdout, stderr, code } = await run([], { PORT: "high" });
    expect({ stdout, stderr, code }).toEqual({ stdout: "", stderr: oneLine, code: 1 });
    expect(stderr).toContain("PORT");
  });

  test("a port in use stops it with one line", async () => {
    const taken = createServer().listen(0, "127.0.0.1");
    await once(taken, "listening");
    const address = taken.address();
    const port = typeof address === "object" ? String(address?.port) : "";
    const { stdout, stderr, code } = await run([], { PORT: port, DATABASE_URL: `file:${join(folder, "port.db")}` });
    expect({ stdout, stderr, code }).toEqual({ stdout: "", stderr: oneLine, code: 1 });
    expect(stderr).toContain(`127.0.0.1:${port}`);
    taken.close();
  });

  test("a database that cannot be made stops it with one line", async () => {
    const { stdout, stderr, code } = await run([], { DATABASE_URL: "file:/dev/null/x/headsup.db" });
    expect({ stdout, stderr, code }).toEqual({ stdout: "", stderr: oneLine, code: 1 });
  });

  test("--help and --version answer and exit with 0; anything else exits with 1", async () => {
    const [help, version, other] = await Promise.all([run(["--help"]), run(["--version"]), run(["--port", "1"])]);
    expect(help).toMatchObject({ stderr: "", code: 0 });
    expect(help.stdout).toContain("DATABASE_URL");
    expect(version).toEqual({ stdout: expect.stringMatching(/^\d+\.\d+\.\d+\n$/), stderr: "", code: 0 });
    expect(other).toEqual({ stdout: "", stderr: oneLine, code: 1 });
  });
});

/** A mutation of which the server has the head, and not yet the whole body. */
async function halfMutation(url: string) {
  const query =
    'mutation { append(input: { sessionKey: "agent:a:b", kind: GOAL_CHANGED, actor: { type: HUMAN } }) { recorded } }';
  const body = JSON.stringify({ query });
  const outgoing = request(url, {
    method: "POST",
    headers: { "content-type": "application/json", "content-length": body.length, expect: "100-continue" },
  });
  outgoing.on("error", () => {});
  outgoing.flushHeaders();
  await once(outgoing, "continue"); // the server has begun to handle it
  return {
    async finish() {
      outgoing.end(body);
      const [response] = (await once(outgoing, "response")) as [IncomingMessage];
      return JSON.parse(await text(response));
    },
  };
}

describe("SIGTERM", () => {
  test("lets a mutation in flight answer, then exits with 0 within 10 s", async () => {
    const child = launch();
    const exited = once(child, "exit");
    const [, url] = await says(child.stdout, /ready at (\S+)\n/);
    const mutation = await halfMutation(String(url));
    child.kill("SIGTERM");
    await says(child.stderr, /"msg":"stopping"/);
    const begun = performance.now();
    expect(await mutation.finish()).toEqual({ data: { append: { recorded: true } } });
    expect(await exited).toEqual([0, null]);
    expect(performance.now() - begun).toBeLessThan(9_000);
  });

  test("ends a client that never finishes its request within 10 s, with 0", async () => {
    const child = launch();
    const exited = once(child, "exit");
    const [, url] = await says(child.stdout, /ready at (\S+)\n/);
    await halfMutation(String(url));
    const begun = performance.now();
    child.kill("SIGTERM");
    expect(await exited).toEqual([0, null]);
    expect(performance.now() - begun).toBeLessThan(10_000);
  });

  test("a second signal ends it at once", async () => {
    const child = launch();
    const exited = once(child, "exit");
    const [, url] = await says(child.stdout, /ready at (\S+)\n/);
    await halfMutation(String(url));
    child.kill("SIGTERM");
    await says(child.stderr, /"msg":"stopping"/);
    child.kill("SIGTERM");
    expect(await exited).toEqual([143, null]);
  });
});
