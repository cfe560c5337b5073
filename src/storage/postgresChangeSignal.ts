import { randomUUID } from "node:crypto";
import pg from "pg";
import { sleep } from "../clock.js";
import type { Listener, ListenOptions } from "./database.js";
import type { PairIdentity, SessionIdentity } from "./records.js";
import type { Changed } from "./sessionChanges.js";
import { type Sql, sql } from "./sql.js";

const channel = "headsup_changes";
/** PostgreSQL refuses a payload of 8,000 bytes; a longer list of targets becomes "look at everything". */
const payloadMaxBytes = 7_000;
const reconnectMs = { first: 100, most: 5_000 };

/** Tells this process's own notifications from those of others. */
export function newIdentityOfProcess(): string {
  return randomUUID();
}

/** Tells other processes at commit which targets to look at: never a text, never a watcher. */
export function notifyStatement(process: string, targets: readonly SessionIdentity[]): Sql {
  const named = JSON.stringify([process, targets.map(({ sessionKey, agentId }) => [sessionKey, agentId])]);
  const payload = Buffer.byteLength(named) <= payloadMaxBytes ? named : JSON.stringify([process, null]);
  return sql`SELECT 1 AS told FROM (SELECT pg_notify(${channel}, ${payload})) AS notified`;
}

/** Tells other processes what has changed of sessions. Of its own, so that no transaction waits in line to say so. */
export function changedStatement(process: string, changed: Changed | null): Sql {
  const sessions = changed?.sessions.map(({ sessionKey, agentId }) => [sessionKey, agentId]) ?? null;
  const pairs = changed?.pairs.map((pair) => [pair.watcherSessionKey, pair.targetSessionKey, pair.targetAgentId]) ?? [];
  const named = JSON.stringify([process, [], sessions, pairs]);
  const payload = Buffer.byteLength(named) <= payloadMaxBytes ? named : JSON.stringify([process, [], null]);
  return sql`SELECT 1 AS told FROM (SELECT pg_notify(${channel}, ${payload})) AS notified`;
}

/**
 * One listening connection. It can die without a word, so it is asked for a sign of life in every slow poll; a dead one
 * is replaced. After each connect, and in each slow poll, everything is looked at again.
 */
export function watchNotifications(url: string, process: string, options: ListenOptions): Listener {
  const stopped = new AbortController();
  const running = keepListening();
  return {
    async stop() {
      stopped.abort();
      await running;
    },
  };

  async function keepListening(): Promise<void> {
    let wait = reconnectMs.first;
    while (!stopped.signal.aborted) {
      const began = performance.now();
      await listenOnce().catch((error) => {
        if (!stopped.signal.aborted) options.trouble(error);
      });
      if (performance.now() - began > options.slowPollMs) wait = reconnectMs.first;
      await sleep(wait, stopped.signal);
      wait = Math.min(wait * 2, reconnectMs.most);
    }
  }

  /** Listens until the connection ends; rejects with its error. */
  async function listenOnce(): Promise<void> {
    const client = new pg.Client({
      connectionString: url,
      connectionTimeoutMillis: options.slowPollMs,
      query_timeout: options.slowPollMs,
      keepAlive: true,
      application_name: "headsup listener",
    });
    const ended = new AbortController();
    let reason: unknown;
    client.on("error", (error) => {
      reason ??= error;
      ended.abort();
    });
    client.on("end", () => ended.abort());
    client.on("notification", ({ payload }) => hear(payload));
    stopped.signal.addEventListener("abort", () => ended.abort(), { once: true, signal: ended.signal });
    try {
      await client.connect();
      await client.query(`LISTEN ${channel}`);
      options.well();
      while (!ended.signal.aborted) {
        if (options.wanted()) lookAtEverything();
        await sleep(options.slowPollMs, ended.signal);
        if (!ended.signal.aborted) await client.query("SELECT 1");
      }
      if (reason !== undefined) throw reason;
    } finally {
      await hangUp(client);
    }
  }

  function lookAtEverything(): void {
    options.hint(null);
    options.changed(null);
  }

  function hear(payload: string | undefined): void {
    if (!options.wanted()) return;
    const { from, targets, changed } = parse(payload);
    if (from === process) return;
    if (targets === null || targets.length > 0) options.hint(targets);
    if (changed === null || changed.sessions.length + changed.pairs.length > 0) options.changed(changed);
  }
}

/** A client whose connection hangs never answers a goodbye. */
async function hangUp(client: pg.Client): Promise<void> {
  await Promise.race([client.end().catch(() => undefined), sleep(500)]);
}

type Heard = { from: string | null; targets: SessionIdentity[] | null; changed: Changed | null };
type Named = [sessionKey: string, agentId: string][] | null;
type NamedPairs = [watcherSessionKey: string, targetSessionKey: string, targetAgentId: string][];

/** What cannot be read means "look at everything". */
function parse(payload: string | undefined): Heard {
  try {
    const [from, targets, changed = [], pairs = []] = JSON.parse(payload ?? "") as [string, Named, Named?, NamedPairs?];
    const sessions = toSessions(changed);
    return { from, targets: toSessions(targets), changed: sessions && { sessions, pairs: toPairs(pairs) } };
  } catch {
    return { from: null, targets: null, changed: null };
  }
}

function toSessions(named: Named): SessionIdentity[] | null {
  return named?.map(([sessionKey, agentId]) => ({ sessionKey, agentId })) ?? null;
}

function toPairs(named: NamedPairs): PairIdentity[] {
  return named.map(([watcherSessionKey, targetSessionKey, targetAgentId]) => ({
    watcherSessionKey,
    targetSessionKey,
    targetAgentId,
  }));
}
