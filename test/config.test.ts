import { homedir } from "node:os";
import { join, resolve } from "node:path";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { ConfigError, limits, loadConfig } from "../src/config.js";

function problemOf(env: Record<string, string | undefined>): ConfigError {
  try {
    loadConfig(env);
  } catch (error) {
    if (error instanceof ConfigError) return error;
    throw error;
  }
  throw new Error("nothing was refused");
}

function expectRefused(variable: string, value: string, words: RegExp): void {
  const { message, variable: named } = problemOf({ [variable]: value });
  expect(named).toBe(variable);
  expect(message.startsWith(`${variable} `)).toBe(true);
  expect(message).toMatch(words);
  expect(message).not.toMatch(/[\p{Control}\u2028\u2029]/u);
}

describe("section 10: environment, all optional", () => {
  test("a variable that there is not is named, and those of the commands are not taken for one", () => {
    const { unknownVariables } = loadConfig({
      HEADSUP_RETENTION_DAY: "7",
      HEADSUP_RETENTION_ROWS: "7",
      HEADSUP_MAX_SOCKETS: "7",
      HEADSUP_TOKEN: "hup_x",
      HEADSUP_AUTH: "on",
      PATH: "/bin",
    });
    expect(unknownVariables).toEqual(["HEADSUP_RETENTION_DAY"]);
  });

  test("the defaults", () => {
    expect(loadConfig({})).toEqual({
      databaseUrl: "file:./data/headsup.db",
      database: { kind: "sqlite", file: resolve("data/headsup.db") },
      host: "127.0.0.1",
      port: 4000,
      retentionDays: 30,
      retentionRows: 50000,
      auth: "on",
      adminToken: null,
      adminTokenFile: resolve("data/admin-token"),
      allowedHosts: [],
      allowedOrigins: [],
      claudeDir: join(homedir(), ".claude/projects"),
      codexDir: join(homedir(), ".codex/sessions"),
      monitorIntervalMs: 60000,
      monitorFirstMs: 15000,
      logLevel: "info",
      max: expect.any(Object), // test/operation/maximums.test.ts
      unknownVariables: [],
    });
  });

  test("every variable is taken", () => {
    const config = loadConfig({
      DATABASE_URL: "postgresql://me:secret@db:5432/headsup",
      HOST: "0.0.0.0",
      PORT: "0",
      HEADSUP_RETENTION_DAYS: "7",
      HEADSUP_RETENTION_ROWS: "1000",
      HEADSUP_AUTH: "on",
      HEADSUP_ADMIN_TOKEN: "t".repeat(32),
      HEADSUP_ALLOWED_HOSTS: "headsup.example.com, 10.0.0.5:4000",
      HEADSUP_ALLOWED_ORIGINS: "https://app.example.com",
      HEADSUP_CLAUDE_DIR: "/claude",
      HEADSUP_CODEX_DIR: "codex",
      HEADSUP_MONITOR_INTERVAL_MS: "50",
      HEADSUP_MONITOR_FIRST_MS: "0",
      HEADSUP_LOG_LEVEL: "silent",
    });
    expect(config).toEqual({
      databaseUrl: "postgresql://me:secret@db:5432/headsup",
      database: { kind: "postgresql", url: "postgresql://me:secret@db:5432/headsup" },
      host: "0.0.0.0",
      port: 0,
      retentionDays: 7,
      retentionRows: 1000,
      auth: "on",
      adminToken: "t".repeat(32),
      adminTokenFile: resolve("data/admin-token"),
      allowedHosts: ["headsup.example.com", "10.0.0.5:4000"],
      allowedOrigins: ["https://app.example.com"],
      claudeDir: "/claude",
      codexDir: resolve("codex"),
      monitorIntervalMs: 50,
      monitorFirstMs: 0,
      logLevel: "silent",
      max: expect.any(Object),
      unknownVariables: [],
    });
  });

  test("an empty variable counts as unset, others are not looked at", () => {
    const names = ["DATABASE_URL", "HOST", "PORT", "HEADSUP_ADMIN_TOKEN", "HEADSUP_CLAUDE_DIR", "HEADSUP_LOG_LEVEL"];
    expect(loadConfig(Object.fromEntries(names.map((name) => [name, ""])))).toEqual(loadConfig({}));
    expect(loadConfig({ PATH: "/bin", HEADSUP_URL: "?" })).toEqual(loadConfig({}));
  });

  test("the config, its database and the limits are frozen", () => {
    const config = loadConfig({});
    for (const object of [config, config.database, limits]) expect(Object.isFrozen(object)).toBe(true);
  });

  test("the folders lie below the given home, and ~ is expanded", () => {
    expect(loadConfig({ HOME: "/home/me" })).toMatchObject({
      claudeDir: "/home/me/.claude/projects",
      codexDir: "/home/me/.codex/sessions",
    });
    expect(loadConfig({ HOME: "/home/me", HEADSUP_CLAUDE_DIR: "~/c", HEADSUP_CODEX_DIR: "~" })).toMatchObject({
      claudeDir: "/home/me/c",
      codexDir: "/home/me",
    });
    expect(loadConfig({ HOME: "/home/$&", HEADSUP_CLAUDE_DIR: "~/c" }).claudeDir).toBe("/home/$&/c");
    expect(loadConfig({ HEADSUP_CLAUDE_DIR: "~other" }).claudeDir).toBe(resolve("~other"));
    expectRefused("HEADSUP_CLAUDE_DIR", "  ", /folder/);
  });
});

describe("section 10: DATABASE_URL", () => {
  test.each([
    ["file:./data/x.db", resolve("data/x.db")],
    ["file:data/x.db", resolve("data/x.db")],
    ["file:x", resolve("x")],
    ["file:../x.db", resolve("../x.db")],
    ["file:/var/x.db", "/var/x.db"],
    ["file:///var/x.db", "/var/x.db"],
    ["file:/var/with blank/100%/#1/ü.db", "/var/with blank/100%/#1/ü.db"],
    ["file:.hidden", resolve(".hidden")],
    ["file:...", resolve("...")],
  ])("%s is the SQLite file %s", (databaseUrl, file) => {
    const config = loadConfig({ DATABASE_URL: databaseUrl });
    expect(config).toMatchObject({ databaseUrl, database: { kind: "sqlite", file } });
  });

  test.each([
    ["file:", /names no file/],
    ["file://", /names no file/],
    ["file:///", /names no file/],
    ["file:.", /names no file/],
    ["file:..", /names no file/],
    ["file:./data/", /names no file/],
    ["file:/data/..", /names no file/],
    ["file:a\0b", /names no file/],
    ["file://data/x.db", /another host.*file:\.\/data/],
    ["file:./x.db?mode=ro", /parameters/],
    ["file::memory:", /memory/],
    ["file::memory:?cache=shared", /parameters/],
    [":memory:", /memory/],
    ["./data/x.db", /"\.\/data\/x\.db" must start with file:/],
    ["data\nbase", /"data\\nbase" must start/],
    [" file:./x.db", /must start with file:/],
    ["FILE:./x.db", /must start with file:/],
    ["http://localhost/x", /must start with/],
    ["postgresql:me@db/x", /must start with/],
    ["postgresql://db:port/x", /must read/],
  ])("%j is refused in one line", (url, words) => expectRefused("DATABASE_URL", url, words));

  test.each([
    "postgresql://localhost/headsup",
    "postgres://me:s%40cret@db.example:5433/headsup?sslmode=require",
    "postgresql://me@/headsup?host=/var/run/postgresql",
    "postgresql:///headsup",
    "postgresql://[::1]:5432/headsup",
  ])("%s selects PostgreSQL", (url) => {
    expect(loadConfig({ DATABASE_URL: url }).database).toEqual({ kind: "postgresql", url });
  });

  test.each([
    "mysql://root:hunter2@db/x",
    "mysql://root:hunter2@db/x?a=b",
    "mysql://:hunter2@db",
    "mysql://db/x?password=hunter2",
    "postgresql://me:hunter2@db:port/x",
    "postgresql://me:hunter2 @db name:1:2/x",
    "postgresql://me:hunter2",
    "postgresql://me:hunter2/more@db/x",
    "postgres:me:hunter2@db/x",
    "mysql://root:12/hunter2@db/x",
    "mysql://a@b:12/hunter2@db/x",
    "redis://root:12#hunter2@db",
    "me:hunter2@db/x",
    "hunter2@db",
    "host=db password=hunter2",
  ])("a password is never shown: %s", (url) => {
    const { message } = problemOf({ DATABASE_URL: url });
    expect(message).toMatch(/^DATABASE_URL ".*" must /);
    expect(message).not.toContain("hunter2");
  });

  test("what is no secret is shown", () => {
    expect(problemOf({ DATABASE_URL: "mysql://root:x@db:3306/shop?a=b" }).message).toBe(
      'DATABASE_URL "mysql://***@db:3306/shop" must start with file: (SQLite) or postgresql:// (PostgreSQL)',
    );
  });
});

describe("section 10: HOST, PORT and numbers", () => {
  test.each(["localhost", "0.0.0.0", "::", "::1", "fe80::1%eth0", "db-1.example.com", "my_host", "0x.example"])(
    "HOST %s is taken",
    (host) => expect(loadConfig({ HOST: host }).host).toBe(host),
  );

  test.each([
    "[::1]",
    "localhost:4000",
    "http://localhost",
    "a b",
    " localhost",
    "999.1.1.1",
    "1.2.3",
    "-a",
    "a..b",
    "a\nb",
    "a".repeat(300),
  ])("HOST %j is refused", (host) => expectRefused("HOST", host, /IP address/));

  test.each([
    ["PORT", 0, 65535],
    ["HEADSUP_RETENTION_DAYS", 1, 36500],
    ["HEADSUP_RETENTION_ROWS", 1, 1_000_000_000],
    ["HEADSUP_MONITOR_INTERVAL_MS", 10, 86_400_000],
    ["HEADSUP_MONITOR_FIRST_MS", 0, 86_400_000],
  ])("%s is a whole number from %d to %d", (variable, min, max) => {
    const range = new RegExp(`must be a whole number from ${min} to ${max}$`);
    for (const value of [min, max]) expect(() => loadConfig({ [variable]: String(value) })).not.toThrow();
    for (const bad of [
      min - 1,
      max + 1,
      "x",
      "1.5",
      "1e3",
      "0x10",
      "+20",
      "020",
      " 20",
      "20 ",
      "20ms",
      "٢٠",
      "NaN",
      "9".repeat(30),
    ]) {
      expectRefused(variable, String(bad), range);
    }
  });

  test("the message shows the value, in quotes and not endlessly", () => {
    expect(problemOf({ PORT: "80\n80" }).message).toBe('PORT "80\\n80" must be a whole number from 0 to 65535');
    expect(problemOf({ PORT: "7".repeat(10_000) }).message.length).toBeLessThan(200);
  });
});

describe("section 10: HEADSUP_ADMIN_TOKEN and HEADSUP_LOG_LEVEL", () => {
  test.each([
    "t".repeat(32),
    "correct horse battery staple, and more",
    "!\"#$%&'()*+,-./:;<=>?@[]^_`{|}~abc",
    "x".repeat(500),
  ])("any secret of 32 characters or more is taken: %s", (token) =>
    expect(loadConfig({ HEADSUP_ADMIN_TOKEN: token }).adminToken).toBe(token),
  );

  test("a shorter one is refused and never shown", () => {
    expectRefused("HEADSUP_ADMIN_TOKEN", "hunter2".padEnd(31, "x"), /32 characters or more; this one has 31/);
    expect(problemOf({ HEADSUP_ADMIN_TOKEN: "hunter2" }).message).not.toContain("hunter2");
  });

  test.each([`${"t".repeat(32)}\n`, ` ${"t".repeat(32)}`, `${"t".repeat(20)}\t${"t".repeat(20)}`, "é".repeat(32)])(
    "one that no HTTP header carries is refused and never shown: %j",
    (token) => {
      expectRefused("HEADSUP_ADMIN_TOKEN", token, /printable ASCII/);
      expect(problemOf({ HEADSUP_ADMIN_TOKEN: token }).message).not.toContain(token.trim());
    },
  );

  test.each(["fatal", "error", "warn", "info", "debug", "trace", "silent"])("log level %s is taken", (level) => {
    expect(loadConfig({ HEADSUP_LOG_LEVEL: level }).logLevel).toBe(level);
  });

  test.each(["INFO", "verbose", " info", "constructor", "30"])("log level %j is refused", (level) => {
    expectRefused("HEADSUP_LOG_LEVEL", level, /fatal, error, warn, info, debug, trace, silent/);
  });
});

test("section 10: any bad value stops with one line that names the variable", () => {
  const variable = fc.constantFrom("DATABASE_URL", "HOST", "PORT", "HEADSUP_RETENTION_DAYS", "HEADSUP_LOG_LEVEL");
  fc.assert(
    fc.property(variable, fc.string({ unit: "binary" }), (name, value) => {
      try {
        loadConfig({ [name]: value });
      } catch (error) {
        expect(error).toBeInstanceOf(ConfigError);
        expect(String(error)).toMatch(new RegExp(`^ConfigError: ${name} [^\\p{Control}\\u2028\\u2029]+$`, "u"));
      }
    }),
  );
});
