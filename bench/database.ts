import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import Database from "better-sqlite3";
import { startDomain } from "./domain.js";

/** Runs `work` with a folder of its own, which is gone afterwards. */
export async function withFolder<T>(work: (folder: string) => Promise<T>): Promise<T> {
  const folder = await mkdtemp(join(tmpdir(), "headsup-bench-"));
  try {
    return await work(folder);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

export const urlOf = (file: string): string => `file:${file}`;

/** A SQLite file with the product's tables and nothing in them. */
export async function newDatabase(folder: string, name: string): Promise<string> {
  const file = join(folder, name);
  await (await startDomain(file)).stop();
  return file;
}

/** A connection with the durability that the product's writer has. */
export function openRaw(file: string): Database.Database {
  const database = new Database(file);
  database.pragma("journal_mode = WAL");
  database.pragma("synchronous = FULL");
  return database;
}

/** Fills a database in one transaction, before anything is measured. */
export function seed(file: string, fill: (database: Database.Database) => void): void {
  const database = openRaw(file);
  database.transaction(() => fill(database)).immediate();
  database.pragma("wal_checkpoint(TRUNCATE)");
  database.close();
}

/** Times as the product writes them. */
export const timeText = (time: Date): string => time.toISOString().replace("Z", "+00:00");

/** Cursors of `watchers` on one target, with a notice pending or without. The target's agent is `bench`. */
export function seedWatches(
  database: Database.Database,
  pairs: readonly { watcher: string; target: string }[],
  at: { lastSeen: number; notified: number },
): void {
  const now = timeText(new Date());
  const insert = database.prepare(
    `INSERT INTO session_watch_cursors (watcher_session_key, target_session_key, target_agent_id, origin,
      last_seen, notified, opened_at, updated_at) VALUES (?, ?, 'bench', 'EXPLICIT', ?, ?, ?, ?)`,
  );
  for (const { watcher, target } of pairs) {
    insert.run(watcher, target, at.lastSeen, at.notified, at.notified > at.lastSeen ? now : null, now);
  }
}

/** Events of this age, `perSession` in each session, and the heads that belong to them. */
export function seedEvents(
  database: Database.Database,
  events: { count: number; perSession: number; occurredAt: Date; prefix: string },
): void {
  const at = timeText(events.occurredAt);
  const insert = database.prepare(
    `INSERT INTO session_state_events (session_key, agent_id, kind, actor_type, actor_id, occurred_at, summary, payload)
      VALUES (?, 'bench', 'GOAL_CHANGED', 'AGENT', 'agent:bench:producer', ?, ?, '{"turns":2}')`,
  );
  const move = database.prepare(
    `INSERT INTO session_state_heads (session_key, agent_id, sequence, material_sequence, material_actor_id, material_at,
      updated_at) VALUES (?, 'bench', ?, ?, 'agent:bench:producer', ?, ?)
      ON CONFLICT (session_key, agent_id) DO UPDATE SET sequence = excluded.sequence,
        material_sequence = excluded.material_sequence`,
  );
  for (let index = 0; index < events.count; index += 1) {
    const key = `agent:bench:${events.prefix}${Math.floor(index / events.perSession)}`;
    const { lastInsertRowid } = insert.run(key, at, "goal changed to a line of ordinary length for people to read");
    if ((index + 1) % events.perSession === 0) move.run(key, lastInsertRowid, lastInsertRowid, at, at);
  }
}
