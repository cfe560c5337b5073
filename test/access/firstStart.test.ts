import { mkdir, mkdtemp, readdir, readFile, rm, stat, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { loadConfig } from "../../src/config.js";
import { baseUrl } from "../../src/server/baseUrl.js";
import { exposureWarnings } from "../../src/server/exposure.js";
import { type Service, startService } from "../../src/service.js";
import { keptLog } from "../support/server.js";
import { headsup, serve } from "./process.js";
import { codesOf, exchange } from "./support.js";

let folder: string;
let file: string;
let running: Service[];
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "headsup-"));
  file = join(folder, "data/admin-token");
  running = [];
});
afterEach(async () => {
  for (const service of running) await service.stop();
  await rm(folder, { recursive: true, force: true });
});

const databaseUrl = () => `file:${join(folder, "data/headsup.db")}`;

async function start(env: Record<string, string> = {}) {
  const { log, logged } = keptLog();
  const service = await startService(loadConfig({ DATABASE_URL: databaseUrl(), PORT: "0", ...env }), { log });
  running.push(service);
  return { ...service, logged };
}

const ask = async ({ url }: { url: string }, token: string, query = "{ __typename }") => {
  const headers = { "content-type": "application/json", accept: "application/json", authorization: `Bearer ${token}` };
  const { body } = await exchange(url, { method: "POST", headers, body: JSON.stringify({ query }) });
  return JSON.parse(body);
};

describe("the first start without any token", () => {
  test("on a second database beside the first keeps the first one's secret", async () => {
    await start();
    const first = await readFile(file, "utf8");
    await start({ DATABASE_URL: `file:${join(folder, "data/second.db")}` });
    expect(await readFile(file, "utf8")).not.toBe(first);
    const kept = (await readdir(dirname(file))).filter((name) => name.startsWith("admin-token.until-"));
    expect(await Promise.all(kept.map((name) => readFile(join(dirname(file), name), "utf8")))).toEqual([first]);
  });

  test("makes an admin token in a file for its owner alone, and prints after the ready line a login link", async () => {
    const server = await serve({ DATABASE_URL: databaseUrl() }, folder);
    const link = /^log in, once and within 10 minutes: (\S+)$/.exec(await server.line())?.[1] ?? "";
    expect(await server.line()).toBe(`the admin's token is in ${file}`);
    expect(link.startsWith(`${server.origin}/login?code=`)).toBe(true);
    expect((await stat(file)).mode & 0o777).toBe(0o600);
    const token = await readFile(file, "utf8");
    expect(token).toMatch(/^hup_\w{49}\n$/);
    const query = 'mutation { deleteSession(input: { sessionKey: "agent:a:b" }) { deleted } }';
    expect(await ask(server, token.trim(), query)).toEqual({ data: { deleteSession: { deleted: false } } });
    expect((await exchange(link, {})).status).toBe(303);
    expect((await exchange(link, {})).status).toBe(401);

    const log = await server.stop();
    const code = new URL(link).searchParams.get("code") ?? "";
    expect(log).toContain('"event":"audit"');
    for (const secret of [token.trim(), code]) expect(log).not.toContain(secret);
  });

  test("a later start makes nothing and changes nothing", async () => {
    await (await start()).stop();
    const token = await readFile(file, "utf8");
    const again = await start();
    expect(again.firstLogin).toBeNull();
    expect(await readFile(file, "utf8")).toBe(token);
    expect(await ask(again, token.trim())).toEqual({ data: { __typename: "Query" } });
  });

  test("replaces the file of a database that is gone, and follows no link", async () => {
    const precious = join(folder, "precious");
    await writeFile(precious, "kept");
    await mkdir(join(folder, "data"));
    await symlink(precious, file);
    const { firstLogin } = await start();
    expect(firstLogin?.tokenFile).toBe(file);
    expect(await readFile(file, "utf8")).toMatch(/^hup_/);
    expect((await stat(file)).mode & 0o777).toBe(0o600);
    expect(await readFile(precious, "utf8")).toBe("kept");
  });

  test("stops with one line where the file cannot be written, and can be tried again", async () => {
    await mkdir(file, { recursive: true });
    const env = { DATABASE_URL: databaseUrl(), PORT: "0", HEADSUP_LOG_LEVEL: "silent" };
    const { stdout, stderr, code } = await headsup([], env, folder);
    expect({ stdout, code }).toEqual({ stdout: "", code: 1 });
    expect(stderr).toMatch(/^headsup: cannot make the first admin token [^\n]+\n$/);
    await rm(file, { recursive: true });
    expect((await start()).firstLogin).not.toBeNull();
  });

  test("a port that is taken keeps it for the next start", async () => {
    const { port } = await start({ DATABASE_URL: `file:${join(folder, "other/headsup.db")}` });
    await expect(start({ PORT: String(port) })).rejects.toThrow("the port is in use");
    expect((await start()).firstLogin).not.toBeNull();
  });
});

describe("HEADSUP_ADMIN_TOKEN", () => {
  const secret = "any secret of 32 characters or more";
  const another = "another secret of 32 characters or so";

  test("sets the admin's token instead: none is made, written or printed", async () => {
    const service = await start({ HEADSUP_ADMIN_TOKEN: secret });
    expect(service.firstLogin).toBeNull();
    await expect(stat(file)).rejects.toThrow("ENOENT");
    const query = 'mutation { deleteSession(input: { sessionKey: "agent:a:b" }) { deleted } }';
    expect(await ask(service, secret, query)).toEqual({ data: { deleteSession: { deleted: false } } });
    expect(service.logged.join("")).not.toContain(secret);
  });

  test("with another value after a restart, the one before is nobody's", async () => {
    await (await start({ HEADSUP_ADMIN_TOKEN: secret })).stop();
    const later = await start({ HEADSUP_ADMIN_TOKEN: another });
    expect(codesOf(await ask(later, secret))).toEqual(["UNAUTHENTICATED"]);
    expect(await ask(later, another)).toEqual({ data: { __typename: "Query" } });
  });
});

describe("HEADSUP_AUTH=off", () => {
  test("makes no token, lets everybody in, and warns in the log at every start", async () => {
    for (let count = 0; count < 2; count += 1) {
      const service = await start({ HEADSUP_AUTH: "off" });
      expect(service.firstLogin).toBeNull();
      expect(service.logged.join("")).toMatch(/"level":40[^\n]*access control is off/);
      const query = 'mutation { deleteSession(input: { sessionKey: "agent:a:b" }) { deleted } }';
      expect(await ask(service, "")).toEqual({ data: { __typename: "Query" } });
      const headers = { "content-type": "application/json" };
      const { status } = await exchange(service.url, { method: "POST", headers, body: JSON.stringify({ query }) });
      expect(status).toBe(200);
      await service.stop();
    }
  });

  test("still checks Host and Origin", async () => {
    const service = await start({ HEADSUP_AUTH: "off" });
    for (const headers of [{ host: "evil.example" }, { origin: "https://evil.example" }, { origin: "null" }]) {
      expect((await exchange(service.url, { method: "POST", headers })).status).toBe(403);
    }
  });

  test.each(["127.0.0.1", "127.0.0.2", "::1", "0:0:0:0:0:0:0:1"])("is accepted on the loopback literal %s", (host) => {
    expect(loadConfig({ HEADSUP_AUTH: "off", HOST: host }).auth).toBe("off");
  });

  test.each(["0.0.0.0", "::", "10.0.0.5", "localhost", "127.0.0.1.evil.example", "128.0.0.1", "fe80::1", "::2"])(
    "stops the start with one line where HOST is %s",
    (host) => {
      expect(() => loadConfig({ HEADSUP_AUTH: "off", HOST: host })).toThrow(
        /^HEADSUP_AUTH "off" is for a loopback [^\n]+$/,
      );
    },
  );

  test.each(["OFF", "false", "0", "no"])("is not what %s says", (value) => {
    expect(() => loadConfig({ HEADSUP_AUTH: value })).toThrow(/^HEADSUP_AUTH "\w+" must be on or off$/);
  });
});

/** Nothing is opened beyond this machine for a test: what is said and printed follows from the configuration alone. */
describe("listening beyond this machine", () => {
  const warned = (env: Record<string, string>) =>
    exposureWarnings(loadConfig(env)).some((line) => /without TLS/.test(line));

  test.each(["0.0.0.0", "::", "10.0.0.5", "db.example.com"])("on %s without TLS in front warns", (host) => {
    expect(warned({ HOST: host })).toBe(true);
    expect(warned({ HOST: host, HEADSUP_ALLOWED_ORIGINS: "http://app.example.com" })).toBe(true);
  });

  test("behind a proxy whose https origin is listed does not, nor does loopback", () => {
    expect(warned({ HOST: "0.0.0.0", HEADSUP_ALLOWED_ORIGINS: "https://headsup.example.com" })).toBe(false);
    for (const host of ["127.0.0.1", "::1", "localhost"]) expect(warned({ HOST: host })).toBe(false);
  });

  test("a link leads to where a person on the same machine finds it", () => {
    expect([baseUrl("0.0.0.0", 80), baseUrl("::", 1), baseUrl("10.0.0.5", 2), baseUrl("fe80::1", 3)]).toEqual([
      "http://127.0.0.1:80",
      "http://[::1]:1",
      "http://10.0.0.5:2",
      "http://[fe80::1]:3",
    ]);
  });
});

describe("the lists of hosts and origins", () => {
  test.each([
    ["headsup.example.com, Other.Example.com:8443", ["headsup.example.com", "other.example.com:8443"]],
    ["[::1]:80,10.0.0.5", ["[::1]:80", "10.0.0.5"]],
    ["[2001:DB8:0::1]", ["[2001:db8::1]"]],
    [" , ", []],
  ])("HEADSUP_ALLOWED_HOSTS=%s", (value, hosts) => {
    expect(loadConfig({ HEADSUP_ALLOWED_HOSTS: value }).allowedHosts).toEqual(hosts);
  });

  test.each([
    "*",
    "*.example.com",
    "http://example.com",
    "example.com/",
    "a b",
    "example.com.",
    "::1",
    "x:99999",
    "0x7f.1",
    "u@h",
  ])("HEADSUP_ALLOWED_HOSTS=%s is refused with one line", (value) => {
    expect(() => loadConfig({ HEADSUP_ALLOWED_HOSTS: value })).toThrow(
      /^HEADSUP_ALLOWED_HOSTS "[^\n]+" must be a host/,
    );
  });

  test("HEADSUP_ALLOWED_ORIGINS are taken as browsers spell them", () => {
    const value = "https://App.Example.com:443/, http://localhost:5173";
    expect(loadConfig({ HEADSUP_ALLOWED_ORIGINS: value }).allowedOrigins).toEqual([
      "https://app.example.com",
      "http://localhost:5173",
    ]);
  });

  test.each([
    "*",
    "null",
    "app.example.com",
    "https://*.example.com",
    "https://a.example/x",
    "ftp://a.example",
    "https://u@a.example",
  ])("HEADSUP_ALLOWED_ORIGINS=%s is refused with one line", (value) => {
    expect(() => loadConfig({ HEADSUP_ALLOWED_ORIGINS: value })).toThrow(
      /^HEADSUP_ALLOWED_ORIGINS "[^\n]+" must be an origin/,
    );
  });
});
