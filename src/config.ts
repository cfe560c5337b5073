import { isIP } from "node:net";
import { homedir } from "node:os";
import { join, resolve } from "node:path";

/** Bounds of the domain that no variable changes. Units are in the names. */
export const limits = Object.freeze({
  appendManyMax: 500,
  statusFirstMax: 200,
  listFirstMax: 200,
  listFirstDefault: 50,
  drainLimitMax: 500,
  drainLimitDefault: 50,
  acknowledgeMax: 500,
  searchMaxChars: 200,
  labelMaxChars: 280,
  queueMaxEvents: 10_000,
  queueMaxJobs: 10_000,
  batchMaxEvents: 500,
  databaseBusyMs: 5_000,
  crossProcessPollMs: 250,
  crossProcessSlowPollMs: 5_000,
  stopGraceMs: 8_000,
  retentionBatchRows: 500,
  retentionEveryMs: 3_600_000,
  retentionSlackRows: 1_000,
  /** How long a version from before a delete is told apart from one of a later session of the same name. */
  deletedMemoryDays: 30,
});

const defaults = { databaseUrl: "file:./data/headsup.db", host: "127.0.0.1", logLevel: "info" };

const wholeNumbers = {
  PORT: { fallback: 4_000, min: 0, max: 65_535 },
  HEADSUP_RETENTION_DAYS: { fallback: 30, min: 1, max: 36_500 },
  HEADSUP_RETENTION_ROWS: { fallback: 50_000, min: 1, max: 1_000_000_000 },
  HEADSUP_MONITOR_INTERVAL_MS: { fallback: 60_000, min: 10, max: 86_400_000 },
  HEADSUP_MONITOR_FIRST_MS: { fallback: 15_000, min: 0, max: 86_400_000 },
};

const adminTokenMinChars = 32;
const shownMaxChars = 80;

export const logLevels = ["fatal", "error", "warn", "info", "debug", "trace", "silent"] as const;
export type LogLevel = (typeof logLevels)[number];

/** `file` is an absolute path; `url` is for the driver alone, as it may hold a password. */
export type DatabaseConfig =
  | { readonly kind: "sqlite"; readonly file: string }
  | { readonly kind: "postgresql"; readonly url: string };

/** Secrets are in `databaseUrl`, `database` and `adminToken`: never log a Config as a whole. */
export type Config = {
  readonly databaseUrl: string;
  readonly database: DatabaseConfig;
  readonly host: string;
  /** 0 takes any free port. */
  readonly port: number;
  readonly retentionDays: number;
  readonly retentionRows: number;
  /** Null: one is made at the first start. */
  readonly adminToken: string | null;
  readonly claudeDir: string;
  readonly codexDir: string;
  readonly monitorIntervalMs: number;
  readonly monitorFirstMs: number;
  readonly logLevel: LogLevel;
};

/** A variable that stops the start. Its message is one line: the variable, its value unless secret, what is allowed. */
export class ConfigError extends Error {
  readonly variable: string;

  constructor(variable: string, problem: string) {
    super(`${variable} ${problem}`);
    this.name = "ConfigError";
    this.variable = variable;
  }
}

type Environment = Record<string, string | undefined>;

/**
 * Reads the environment once into one frozen Config (contract, section 10). An empty variable counts as unset, as
 * compose files and shells write it. Throws `ConfigError` for the first bad value.
 */
export function loadConfig(env: Environment): Config {
  const databaseUrl = env.DATABASE_URL || defaults.databaseUrl;
  return Object.freeze({
    databaseUrl,
    database: Object.freeze(readDatabase(databaseUrl)),
    host: readHost(env.HOST || defaults.host),
    port: readWhole(env, "PORT"),
    retentionDays: readWhole(env, "HEADSUP_RETENTION_DAYS"),
    retentionRows: readWhole(env, "HEADSUP_RETENTION_ROWS"),
    adminToken: readAdminToken(env.HEADSUP_ADMIN_TOKEN || null),
    claudeDir: readFolder(env, "HEADSUP_CLAUDE_DIR", [".claude", "projects"]),
    codexDir: readFolder(env, "HEADSUP_CODEX_DIR", [".codex", "sessions"]),
    monitorIntervalMs: readWhole(env, "HEADSUP_MONITOR_INTERVAL_MS"),
    monitorFirstMs: readWhole(env, "HEADSUP_MONITOR_FIRST_MS"),
    logLevel: readLogLevel(env.HEADSUP_LOG_LEVEL || defaults.logLevel),
  });
}

function readDatabase(url: string): DatabaseConfig {
  if (url.startsWith("file:") || url === ":memory:") return { kind: "sqlite", file: readDatabaseFile(url) };
  if (!/^postgres(ql)?:\/\//.test(url)) {
    throw badDatabaseUrl(url, "must start with file: (SQLite) or postgresql:// (PostgreSQL)");
  }
  // The driver takes `user@/database` for the local server; `URL` alone would not.
  if (URL.canParse(url.replace("@/", "@localhost/"))) return { kind: "postgresql", url };
  throw badDatabaseUrl(url, "must read postgresql://user:password@host:5432/database, special characters as %XX");
}

/** The path as it stands after `file:`, nothing decoded; `file:///x` is `/x`. */
function readDatabaseFile(url: string): string {
  const path = url.replace(/^file:(\/\/(?=\/))?/, "");
  const expected = "give a path alone, such as file:./data/headsup.db or file:/absolute/path.db";
  if (path === ":memory:") throw badDatabaseUrl(url, `is memory, which two connections cannot share: ${expected}`);
  if (path.includes("?")) throw badDatabaseUrl(url, `has parameters, which are not supported: ${expected}`);
  if (/^\/\/./.test(path)) throw badDatabaseUrl(url, `names another host: ${expected}`);
  if (/(^|[/\\])\.{0,2}$|\0/.test(path)) throw badDatabaseUrl(url, `names no file: ${expected}`);
  return resolve(path);
}

function badDatabaseUrl(url: string, problem: string): ConfigError {
  return new ConfigError("DATABASE_URL", `${shown(withoutSecrets(url))} ${problem}`);
}

/** A URL with whatever may be a password left out, also where it is no proper URL. */
function withoutSecrets(url: string): string {
  if (url.startsWith("file:")) return url;
  const scheme = /^[A-Za-z][A-Za-z0-9+.-]*:/.exec(url)?.[0] ?? "";
  if (scheme === "" && !/[@=]/.test(url)) return url;
  if (!URL.canParse(url)) return `${scheme}***`;
  const { host, pathname, username, password } = new URL(url);
  const user = username || password ? "***@" : "";
  // An @ elsewhere means that a password with a slash or the like was taken for host and path.
  const misread = pathname.includes("@") || (user === "" && url.includes("@"));
  return host === "" || misread ? `${scheme}***` : `${scheme}//${user}${host}${pathname}`;
}

function readHost(value: string): string {
  const name = /^(?=.{1,253}$)[A-Za-z0-9_]([A-Za-z0-9_-]*[A-Za-z0-9_])?(\.[A-Za-z0-9_]([A-Za-z0-9_-]*[A-Za-z0-9_])?)*$/;
  const onlyNumbers = /^[\d.]+$/;
  if (isIP(value) !== 0 || (name.test(value) && !onlyNumbers.test(value))) return value;
  throw new ConfigError(
    "HOST",
    `${shown(value)} must be an IP address (IPv6 without brackets) or a host name, without port`,
  );
}

function readWhole(env: Environment, variable: keyof typeof wholeNumbers): number {
  const { fallback, min, max } = wholeNumbers[variable];
  const text = env[variable] || String(fallback);
  const value = /^(0|[1-9]\d{0,9})$/.test(text) ? Number(text) : Number.NaN;
  if (value >= min && value <= max) return value;
  throw new ConfigError(variable, `${shown(text)} must be a whole number from ${min} to ${max}`);
}

function readAdminToken(token: string | null): string | null {
  if (token === null) return null;
  if (token.length < adminTokenMinChars) {
    throw new ConfigError(
      "HEADSUP_ADMIN_TOKEN",
      `must have ${adminTokenMinChars} characters or more; this one has ${token.length}`,
    );
  }
  // Anything else would not arrive whole in an Authorization header: better told at start than as a refusal later.
  if (!/^[!-~]([ -~]*[!-~])?$/.test(token)) {
    throw new ConfigError(
      "HEADSUP_ADMIN_TOKEN",
      "must be printable ASCII without white space at its ends, to fit an HTTP header",
    );
  }
  return token;
}

function readFolder(env: Environment, variable: string, standard: readonly string[]): string {
  const value = env[variable];
  const home = env.HOME || homedir();
  if (!value) return join(home, ...standard);
  if (value.trim() === "" || value.includes("\0"))
    throw new ConfigError(variable, `${shown(value)} must be a folder's path`);
  // A shell expands `~`, an env file does not.
  return resolve(value.replace(/^~(?=$|\/)/, () => home));
}

function readLogLevel(value: string): LogLevel {
  const level = logLevels.find((name) => name === value);
  if (level !== undefined) return level;
  throw new ConfigError("HEADSUP_LOG_LEVEL", `${shown(value)} must be one of ${logLevels.join(", ")}`);
}

/** A value in quotes on one line, without its far end when it is long. */
function shown(value: string): string {
  const short = value.length > shownMaxChars ? `${value.slice(0, shownMaxChars)}…` : value;
  const escaped = (character: string) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`;
  return JSON.stringify(short).replace(/[\u007f-\u009f\u2028\u2029]/g, escaped);
}
