import { chmodSync, mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import Database from "better-sqlite3";
import pg from "pg";
import { type Logger, pino } from "pino";
import type { EventRecord, UpstreamKind } from "../../src/awareness/awareness.js";
import { createAwareness, type RunningAwareness } from "../../src/awareness/createAwareness.js";
import { toolNames } from "../../src/awareness/upstreamSources.js";
import { limits, loadConfig } from "../../src/config.js";
import { Monitor } from "../../src/upstream/monitor.js";
import { createSources, type LocalSources } from "../../src/upstream/sources.js";
import type { TestPostgres } from "../support/postgres.js";

/** The coordinator that watches adopted sessions. */
export const boss = "agent:boss:main";
const agentId = "worker";
const intervalMs = 60_000;

/** The domain and its monitor on folders of their own, with rounds that the test asks for. */
export type World = {
  readonly awareness: RunningAwareness;
  claudeDir: string;
  codexDir: string;
  /** What another process needs to work on the same database and files. */
  environment: Record<string, string>;
  /** A file in one of the folders; its own folder is made. */
  claudeFile(threadId: string, project?: string): string;
  codexFile(threadId: string, time?: string): string;
  /** Adopts a thread and lets the boss watch it; its session's key comes back. */
  follow(kind: UpstreamKind, threadId: string): Promise<string>;
  /** What its link says of rows that could not be read. */
  skippedRows(sessionKey: string): Promise<number | undefined>;
  /** Lets this many cadences go by. */
  rounds(count?: number): Promise<void>;
  /** Human turns that were told of, over all events of a session. */
  turns(sessionKey: string): Promise<number>;
  events(sessionKey: string): Promise<EventRecord[]>;
  /** Checks that were saved, over all links. */
  checks(): Promise<number>;
  /** Stops everything and starts it again on the same database and files. */
  restart(): Promise<void>;
  /** Another server on the same database and files, whose rounds are the test's too. */
  another(): Promise<{ awareness: RunningAwareness; monitor: Monitor; stop(): Promise<void> }>;
  /** Runs a statement on the database from outside. */
  execute(statement: { sqlite: string; postgresql: string }): Promise<void>;
  dispose(): Promise<void>;
};

export type WorldOptions = {
  log?: Logger;
  /** The monitor runs by itself too: hints bring checks forward. */
  start?: boolean;
  limits?: Partial<Record<keyof typeof limits, number>>;
  /** Stands between the monitor and the real files. */
  around?: (sources: LocalSources) => LocalSources;
};

/** How a test's world gets its database. */
export type OpenWorld = (options?: WorldOptions) => Promise<World>;

export const sqliteWorld: OpenWorld = (options) => openWorld((folder) => `file:${join(folder, "test.db")}`, options);

/** One database for all worlds of a file, emptied for each: making one takes longer than most tests. */
export function postgresWorld(server: () => TestPostgres): OpenWorld {
  let made: Promise<string> | undefined;
  return async (options) => {
    made ??= makeDatabase(server());
    const url = await made;
    await onPostgres(url, emptied);
    return openWorld(() => url, options);
  };
}

/** These tests are not about power cuts: a commit need not wait for the disk. */
async function makeDatabase(server: TestPostgres): Promise<string> {
  const url = await server.createDatabase();
  await onPostgres(url, `ALTER DATABASE "${new URL(url).pathname.slice(1)}" SET synchronous_commit = off`);
  return url;
}

const emptied = `DO $$ DECLARE name text; BEGIN
  FOR name IN SELECT tablename FROM pg_tables WHERE schemaname = 'public' AND tablename <> '_prisma_migrations' LOOP
    EXECUTE format('DELETE FROM %I', name);
  END LOOP; END $$`;

async function openWorld(urlFor: (folder: string) => string, options: WorldOptions = {}): Promise<World> {
  const folder = mkdtempSync(join(tmpdir(), "headsup-upstream-"));
  // Whoever a test turns into gets as far as the files.
  chmodSync(folder, 0o755);
  const environment = {
    DATABASE_URL: urlFor(folder),
    HEADSUP_CLAUDE_DIR: join(folder, "claude"),
    HEADSUP_CODEX_DIR: join(folder, "codex"),
  };
  const config = loadConfig(environment);
  const { claudeDir, codexDir } = config;
  mkdirSync(claudeDir);
  mkdirSync(codexDir);
  const log = options.log ?? pino({ level: "silent" });
  const { around = (sources) => sources } = options;
  const allLimits = { ...limits, ...options.limits };
  let laterMs = 0;
  const clock = { now: () => new Date(Date.now() + laterMs) };

  const start = async () => {
    const sources = around(createSources(config));
    const awareness = await createAwareness({ ...config, limits: allLimits, clock, log, sources });
    const { monitoring: desk, onLinksChanged } = awareness;
    const monitor = new Monitor({
      ...{ desk, onLinksChanged, sources, clock, log, limits: allLimits, intervalMs },
      nodeId: "local",
      followFiles: options.start === true,
      // Only the rounds that the test asks for, unless it says otherwise.
      firstMs: 3_600_000,
    });
    if (options.start === true) monitor.start();
    const stop = async () => {
      await monitor.stop();
      await awareness.stop();
    };
    return { awareness, monitor, stop };
  };
  let running = await start();
  const made = (path: string) => {
    mkdirSync(dirname(path), { recursive: true });
    return path;
  };
  const events = async (sessionKey: string) => {
    const found: EventRecord[] = [];
    for (let changesSince = 0, more = true; more; ) {
      const { stateChanges } = await running.awareness.sessionStatus({ sessionKey, changesSince });
      found.push(...(stateChanges?.events ?? []));
      changesSince = stateChanges?.nextChangesSince ?? 0;
      more = stateChanges?.truncated ?? false;
    }
    return found;
  };

  return {
    get awareness() {
      return running.awareness;
    },
    claudeDir,
    codexDir,
    environment,
    claudeFile: (threadId, project = "project") => made(join(claudeDir, project, `${threadId}.jsonl`)),
    codexFile: (threadId, time = "2026-11-30T16-00-00") =>
      made(join(codexDir, "2026", "11", "30", `rollout-${time}-${threadId}.jsonl`)),
    async follow(kind, threadId) {
      await running.awareness.adoptSession({ source: { kind, threadId }, agentId });
      const targetSessionKey = `agent:${agentId}:${toolNames[kind]}:${threadId}`;
      await running.awareness.watch({ watcherSessionKey: boss, targetSessionKey });
      return targetSessionKey;
    },
    async skippedRows(sessionKey) {
      return (await running.awareness.sessionStatus({ sessionKey })).session?.upstream?.skippedRows;
    },
    async rounds(count = 1) {
      for (let round = 0; round < count; round += 1) {
        laterMs += intervalMs;
        await running.monitor.round();
      }
    },
    events,
    async checks() {
      const links = await running.awareness.monitoring.linksToCheck("local");
      return links.reduce((sum, { revision }) => sum + revision, 0);
    },
    async turns(sessionKey) {
      const told = (await events(sessionKey)).filter(({ kind }) => kind === "HUMAN_DIRECT_MESSAGE");
      return told.reduce((sum, { payload }) => sum + Number(payload?.turns ?? 1), 0);
    },
    async restart() {
      await running.stop();
      running = await start();
    },
    another: start,
    execute: ({ sqlite, postgresql }) =>
      config.database.kind === "sqlite"
        ? onSqlite(config.database.file, sqlite)
        : onPostgres(config.database.url, postgresql),
    async dispose() {
      await running.stop();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

async function onSqlite(file: string, statement: string): Promise<void> {
  const database = new Database(file);
  database.exec(statement);
  database.close();
}

async function onPostgres(url: string, statement: string): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  await client.query(statement);
  await client.end();
}
