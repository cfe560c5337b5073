import { mkdtemp, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { loginHelp, runLogin } from "../../src/commands/login.js";
import { runToken, tokenHelp } from "../../src/commands/token.js";
import { limits, loadConfig } from "../../src/config.js";
import { startPostgres, type TestPostgres } from "../support/postgres.js";
import { headsup, type Server, serve } from "./process.js";
import { codesOf, connect, exchange } from "./support.js";

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "headsup-"));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

const ask = async (server: Server, token: string) => {
  const headers = { "content-type": "application/json", accept: "application/json", authorization: `Bearer ${token}` };
  const { body } = await exchange(server.url, { method: "POST", headers, body: '{"query":"{ __typename }"}' });
  return JSON.parse(body);
};
const listening = 'subscription { staleNotice(watcherSessionKey: "agent:coder:w") { id } }';
const letIn = { data: { __typename: "Query" } };

/** Each command is a process of its own beside a server's on the same database. */
function describeWhileItRuns(open: () => Promise<string>): void {
  let database: { DATABASE_URL: string };
  let server: Server;
  beforeAll(async () => {
    database = { DATABASE_URL: await open() };
    server = await serve(database, folder);
  }, 60_000);
  afterAll(() => server.stop());
  const run = (...args: string[]) => headsup(args, database, folder);

  test("create prints a token once, the server takes it at once, and list shows all but the secret", async () => {
    const made = await run("token", "create", "--name", "both", "--scope", "read,write", "--agents", "coder,critic");
    expect(made).toMatchObject({ stdout: expect.stringMatching(/^hup_\w{49}\n$/), code: 0 });
    const secret = made.stdout.trim();
    expect(made.stderr).not.toContain(secret);
    expect(made.stderr).toContain('"act":"token created"');
    expect(await ask(server, secret)).toEqual(letIn);
    const { stdout } = await run("token", "list");
    expect(stdout).toMatch(/^[0-9a-f]{12} +both +token +read,write +coder,critic +\S+ \S+ +never +\S.* +good$/m);
    expect(stdout).toMatch(/^[0-9a-f]{12} +admin +token +admin +all /m);
    expect(stdout).not.toContain("hup_");
  }, 60_000);

  test("revoke ends the WebSockets and event streams of that token, and of no other", async () => {
    const [gone, stays] = (
      await Promise.all(["gone", "stays"].map((name) => run("token", "create", "--name", name, "--agents", "coder")))
    ).map(({ stdout }) => stdout.trim());
    const wsUrl = server.url.replace(/^http/, "ws");
    const sockets = await Promise.all(
      [gone, stays].map((token) => connect(wsUrl, { params: { authorization: `Bearer ${token}` } })),
    );
    for (const socket of sockets) {
      await socket.next(); // connection_ack
      socket.subscribe("s", listening);
    }
    const streams = await Promise.all([gone, stays].map((token) => openStream(server, token ?? "")));

    expect(await run("token", "revoke", "gone")).toMatchObject({ stdout: expect.stringMatching(/ gone\n$/), code: 0 });
    expect(await sockets[0]?.closed).toEqual({ code: 4403, reason: "Forbidden" });
    await streams[0]?.ended;
    expect(codesOf(await ask(server, gone ?? ""))).toEqual(["UNAUTHENTICATED"]);

    sockets[1]?.subscribe("q", "{ __typename }");
    expect(await sockets[1]?.next()).toMatchObject({ id: "q", type: "next" });
    expect(streams[1]?.isOpen()).toBe(true);
    sockets[1]?.leave();
    streams[1]?.leave();
  }, 60_000);

  test("login prints a link that works once", async () => {
    const { stdout, code } = await run("login", "--url", server.origin);
    expect([stdout.startsWith(`${server.origin}/login?code=hup_`), code]).toEqual([true, 0]);
    expect((await exchange(stdout.trim(), {})).headers["set-cookie"]?.[0]).toContain("HttpOnly");
    expect((await exchange(stdout.trim(), {})).status).toBe(401);
  }, 60_000);
}

describe("the command line on SQLite, while the server runs", () => {
  describeWhileItRuns(async () => `file:${join(folder, "data/headsup.db")}`);
});

describe("the command line on PostgreSQL, while the server runs", () => {
  let postgres: TestPostgres | undefined;
  afterAll(() => postgres?.stop());
  describeWhileItRuns(async () => {
    postgres = await startPostgres();
    return postgres.createDatabase();
  });

  test("the admin's token is in ./data/admin-token", async () => {
    expect((await stat(join(folder, "data/admin-token"))).mode & 0o777).toBe(0o600);
  });
});

test("a token that another process has revoked is looked for often enough to end within 5 s", () => {
  expect(limits.tokenPollMs).toBeLessThanOrEqual(2_500);
});

describe("the command line alone", () => {
  /** What one command says. The audit lines go to the process's own standard error. */
  async function say(args: readonly string[], database: string, port = "4000") {
    const config = loadConfig({
      DATABASE_URL: `file:${join(folder, database)}`,
      PORT: port,
      HEADSUP_LOG_LEVEL: "silent",
    });
    const said: { out: string[]; err: string[] } = { out: [], err: [] };
    const console = {
      out: (text: string) => void said.out.push(text),
      err: (text: string) => void said.err.push(text),
    };
    const [command, ...rest] = args;
    await (command === "login" ? runLogin(rest, config, console) : runToken(rest, config, console));
    return { out: said.out.join(""), err: said.err.join("") };
  }

  test("a token can be made before the first start", async () => {
    const { out, err } = await say(
      ["token", "create", "--name", "early", "--scope", "admin", "--expires-in", "4w"],
      "early.db",
    );
    expect(out).toMatch(/^hup_\w{49}\n$/);
    expect(err).toContain("making the database");
    expect(err).toMatch(/"early" \([0-9a-f]{12}\): admin for all agents, until /);
  });

  test("a token has the scope read and all agents unless it is told otherwise", async () => {
    await say(["token", "create", "--name", "plain"], "plain.db");
    expect((await say(["token", "list"], "plain.db")).out).toMatch(/^\S+ +plain +token +read +all .* never /m);
  });

  test("scopes and agents may be given once or more often", async () => {
    const args = ["--scope", "write", "--scope", "read", "--agents", "a", "--agents", "b, c"];
    await say(["token", "create", "--name", "many", ...args], "many.db");
    expect((await say(["token", "list"], "many.db")).out).toMatch(/^\S+ +many +token +read,write +a,b,c /m);
  });

  test("a token that is over is listed with --all, and can be revoked by id", async () => {
    const { err } = await say(["token", "create", "--name", "over"], "over.db");
    await say(["token", "revoke", /\(([0-9a-f]{12})\)/.exec(err)?.[1] ?? ""], "over.db");
    expect((await say(["token", "list"], "over.db")).out).not.toContain("over");
    expect((await say(["token", "list", "--all"], "over.db")).out).toMatch(/over .* revoked /);
  });

  test("a login link may be for less than everything", async () => {
    await say(["token", "create", "--name", "x"], "link.db");
    const { out } = await say(["login", "--scope", "read", "--agents", "coder"], "link.db");
    expect(out).toMatch(/^http:\/\/127\.0\.0\.1:4000\/login\?code=hup_\w{49}\n$/);
    await expect(say(["login"], "link.db", "0")).rejects.toThrow(/PORT=0/);
  });

  test.each([
    ["token"],
    ["token make"],
    ["token create"],
    ["token create --name"],
    ["token create --name="],
    ["token create --name x --scope root"],
    ["token create --name x --agents a:b"],
    ["token create --name x --agents all,a"],
    ["token create --name x --agents ,"],
    ["token create --name x --scope admin --agents a"],
    ["token create --name x --expires-in soon"],
    ["token create --name x --expires-in 0d"],
    ["token create --name x --expires-in 900w"],
    ["token create --name x --token mine"],
    ["token create x"],
    ["token list x"],
    ["token revoke"],
    ["token revoke nobody"],
    ["token revoke a b"],
    ["login x"],
    ["login --url nowhere"],
    ["login --scope ,"],
    ["login --scope="],
    ["token create --name x --scope="],
  ])("headsup %s is refused with one line, and makes nothing", async (line) => {
    await writeFile(join(folder, "refused.db"), "");
    await expect(say(line.split(" "), "refused.db")).rejects.toMatchObject({
      name: expect.stringMatching(/^(UsageError|Refusal)$/),
      message: expect.stringMatching(/^[^\n]+$/),
    });
    await expect(say(["token", "list", "--all"], "refused.db")).resolves.toMatchObject({
      out: expect.stringMatching(/^ID [^\n]+\n$/),
    });
  });

  test.each([["token list"], ["token revoke x"], ["login"]])(
    "where there is no database, %s says so and makes none",
    async (line) => {
      await expect(say(line.split(" "), "none/headsup.db")).rejects.toThrow(/^there is no database [^\n]+$/);
      await expect(stat(join(folder, "none"))).rejects.toThrow("ENOENT");
    },
  );

  const said = (line: string) => headsup(line.split(" "), {}, folder);

  test("a refusal is one line on standard error and the exit code 1; help is on standard output", async () => {
    const [unknown, bad, help, tokens, login] = await Promise.all(
      ["start", "token create --name x --scope root", "--help", "token --help", "login --help"].map(said),
    );
    const [create, serve] = await Promise.all(["token create --help", "serve -h"].map(said));
    expect([create?.stdout, serve?.stdout]).toEqual([tokens?.stdout, help?.stdout]);
    for (const refused of [unknown, bad]) {
      expect(refused).toEqual({ stdout: "", stderr: expect.stringMatching(/^headsup: [^\n]+\n$/), code: 1 });
    }
    expect(help).toEqual({ stdout: expect.stringContaining("Usage: headsup"), stderr: "", code: 0 });
    expect(tokens).toEqual({ stdout: tokenHelp, stderr: "", code: 0 });
    expect(login).toEqual({ stdout: loginHelp, stderr: "", code: 0 });
  }, 60_000);
});

async function openStream(server: Server, token: string) {
  const leaving = new AbortController();
  const response = await fetch(server.url, {
    method: "POST",
    headers: { authorization: `Bearer ${token}`, "content-type": "application/json", accept: "text/event-stream" },
    body: JSON.stringify({ query: listening }),
    signal: leaving.signal,
  });
  let open = true;
  const ended = response.text().then(
    () => {
      open = false;
    },
    () => {},
  );
  return { ended, isOpen: () => open, leave: () => leaving.abort() };
}
