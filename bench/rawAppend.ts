import type Database from "better-sqlite3";
import { timeText } from "./database.js";
import type { AppendVariables } from "./operations.js";

/**
 * The statements that one append comes down to, in the fastest form that better-sqlite3 offers: insert the event, move
 * the head, open what is idle; each prepared once and run for one event after the other. Nothing is checked, cleaned,
 * answered or told.
 */
export function rawAppend(database: Database.Database): (events: readonly AppendVariables[]) => void {
  const insert = database.prepare(
    `INSERT INTO session_state_events (session_key, agent_id, session_id, kind, actor_type, actor_id, run_id, outcome,
      occurred_at, summary, payload, dedupe_key) VALUES (?, 'bench', NULL, ?, ?, ?, NULL, NULL, ?, ?, ?, NULL)`,
  );
  const head = database.prepare(
    `INSERT INTO session_state_heads (session_key, agent_id, sequence, material_sequence, material_actor_id,
      other_material_sequence, material_at, updated_at) VALUES (?, 'bench', ?, ?, ?, 0, ?, ?)
      ON CONFLICT (session_key, agent_id) DO UPDATE SET sequence = excluded.sequence,
        other_material_sequence = CASE WHEN material_actor_id IS excluded.material_actor_id
          THEN other_material_sequence ELSE material_sequence END,
        material_sequence = excluded.material_sequence, material_actor_id = excluded.material_actor_id,
        material_at = excluded.material_at, updated_at = excluded.updated_at`,
  );
  const open = database.prepare(
    `UPDATE session_watch_cursors SET notified = ?, opened_at = ?, updated_at = ?
      WHERE target_session_key = ? AND target_agent_id = 'bench' AND notified = last_seen
        AND watcher_session_key <> ?`,
  );
  const inOneTransaction = database.transaction((events: readonly AppendVariables[]) => {
    const at = timeText(new Date());
    for (const { sessionKey, kind, actor, summary, payload } of events) {
      const payloadText = JSON.stringify(payload);
      const { lastInsertRowid: n } = insert.run(sessionKey, kind, actor.type, actor.id, at, summary, payloadText);
      head.run(sessionKey, n, n, actor.id, at, at);
      open.run(n, at, at, sessionKey, actor.id);
    }
  });
  return (events) => inOneTransaction.immediate(events);
}
