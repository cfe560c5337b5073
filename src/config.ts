import { isIP } from "node:net";
import { homedir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { type Auth, readAuth, readHosts, readOrigins } from "./config/access.js";
import { ConfigError, shown } from "./config/configError.js";
import { type DatabaseConfig, readDatabase } from "./config/databaseUrl.js";
import { type Maximums, maximumVariables, readMaximums } from "./config/maximums.js";
import { unknownVariables } from "./config/unknownVariables.js";

export { ConfigError } from "./config/configError.js";
export type { DatabaseConfig } from "./config/databaseUrl.js";
export type { Maximums } from "./config/maximums.js";

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
  /** How soon after one look at changed sessions a subscriber is told of the next ones. */
  sessionFeedPaceMs: 100,
  /** How soon a token that another process has revoked is noticed. */
  tokenPollMs: 2_000,
  stopGraceMs: 8_000,
  /** More than a batch of appends, so that pruning gains on them: see `retentionHurryShare`. */
  retentionBatchRows: 1_000,
  /** While others write: so many rows at a time, and after each batch a rest of so many times what it took. */
  retentionGentleBatchRows: 100,
  retentionRestTimes: 4,
  retentionRestMaxMs: 100,
  /** Beyond the cap by more than this share of it, pruning neither rests nor waits in line. */
  retentionHurryShare: 0.1,
  retentionEveryMs: 3_600_000,
  /** After a pass that the database did not let finish. */
  retentionRetryMs: 5_000,
  retentionSlackRows: 1_000,
  /** Checks in a row that do not find a source before its link is removed. */
  upstreamMissedMax: 3,
  /** Digests of own prompts kept per session. */
  ownPromptsMax: 10,
  /** One check of one source; what is left of a long one is read in the next. */
  upstreamCheckMs: 10_000,
  upstreamFilesAtOnce: 4,
  /** The longest rest of a link whose checks keep failing. */
  upstreamBackoffMaxMs: 3_600_000,
  /** From a file's change to the check that it brings forward, and between two such checks of one link. */
  upstreamHintDelayMs: 100,
  upstreamHintGapMs: 500,
  /** How long neither a watch nor what it is about has moved when it ends, whatever the age of events. */
  watchExpiryDays: 30,
  /** Watches that end in one transaction: each holds the lock of a target, of which a database has a bounded number. */
  watchBatchRows: 500,
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
  ...maximumVariables,
};

const adminTokenMinChars = 32;

export const logLevels = ["fatal", "error", "warn", "info", "debug", "trace", "silent"] as const;
export type LogLevel = (typeof logLevels)[number];

/** Secrets are in `databaseUrl`, `database` and `adminToken`: never log a Config as a whole. */
export type Config = {
  readonly databaseUrl: string;
  readonly database: DatabaseConfig;
  readonly host: string;
  /** 0 takes any free port. */
  readonly port: number;
  readonly retentionDays: number;
  readonly retentionRows: number;
  /** `off` only on loopback: whoever reaches the port may do everything. */
  readonly auth: Auth;
  /** Null: one is made at the first start. */
  readonly adminToken: string | null;
  /** Where that one is written to. */
  readonly adminTokenFile: string;
  /** Names beside the bound ones that a request may be sent to: `host` or `host:port`, as a Host header has them. */
  readonly allowedHosts: readonly string[];
  /** Origins of pages elsewhere that may call this server. */
  readonly allowedOrigins: readonly string[];
  readonly claudeDir: string;
  readonly codexDir: string;
  readonly monitorIntervalMs: number;
  readonly monitorFirstMs: number;
  readonly logLevel: LogLevel;
  /** What one request, one connection and one token may ask for. */
  readonly max: Maximums;
  /** What is set and looks like a variable of this service, but is none: most likely a slip of the pen. */
  readonly unknownVariables: readonly string[];
};

type Environment = Record<string, string | undefined>;

/**
 * Reads the environment once into one frozen Config (contract, section 10). An empty variable counts as unset, as
 * compose files and shells write it. Throws `ConfigError` for the first bad value.
 */
export function loadConfig(env: Environment): Config {
  const databaseUrl = env.DATABASE_URL || defaults.databaseUrl;
  const database = readDatabase(databaseUrl);
  const host = readHost(env.HOST || defaults.host);
  return Object.freeze({
    databaseUrl,
    database: Object.freeze(database),
    host,
    port: readWhole(env, "PORT"),
    retentionDays: readWhole(env, "HEADSUP_RETENTION_DAYS"),
    retentionRows: readWhole(env, "HEADSUP_RETENTION_ROWS"),
    auth: readAuth(env.HEADSUP_AUTH || "on", host),
    adminToken: readAdminToken(env.HEADSUP_ADMIN_TOKEN || null),
    adminTokenFile: join(database.kind === "sqlite" ? dirname(database.file) : resolve("data"), "admin-token"),
    allowedHosts: Object.freeze(readHosts(env.HEADSUP_ALLOWED_HOSTS || "")),
    allowedOrigins: Object.freeze(readOrigins(env.HEADSUP_ALLOWED_ORIGINS || "")),
    claudeDir: readFolder(env, "HEADSUP_CLAUDE_DIR", [".claude", "projects"]),
    codexDir: readFolder(env, "HEADSUP_CODEX_DIR", [".codex", "sessions"]),
    monitorIntervalMs: readWhole(env, "HEADSUP_MONITOR_INTERVAL_MS"),
    monitorFirstMs: readWhole(env, "HEADSUP_MONITOR_FIRST_MS"),
    logLevel: readLogLevel(env.HEADSUP_LOG_LEVEL || defaults.logLevel),
    max: Object.freeze(readMaximums((variable) => readWhole(env, variable))),
    unknownVariables: Object.freeze(unknownVariables(env, Object.keys(wholeNumbers))),
  });
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
