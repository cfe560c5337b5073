import type { BatchHead } from "./batchReads.js";
import type { Recorded } from "./newEvent.js";
import type { NoticeRecord } from "./records.js";
import { sql, type Transaction, toNumber } from "./sql.js";

/** The notices that a round of a batch opens. */

/** Opens one notice for each idle watcher of a changed session, frozen at the first event it did not cause itself. */
export async function openNotices(
  tx: Transaction,
  recorded: readonly Recorded[],
  heads: ReadonlyMap<string, BatchHead>,
  now: Date,
): Promise<NoticeRecord[]> {
  const firsts = firstMaterial(recorded.filter(({ append }) => heads.get(append.session)?.anyoneIdle));
  if (firsts.length === 0) return [];
  const rows = tx.dialect.rows("r", firsts, { k: "text", a: "text", n: "integer", i: "text", o: "integer" });
  const first = sql`CASE WHEN session_watch_cursors.watcher_session_key = r.i THEN r.o ELSE r.n END`;
  const at = tx.dialect.timeValue(now);
  const opened = await tx.query<NoticeRecord>(
    sql`UPDATE session_watch_cursors SET notified = ${first}, opened_at = ${at}, updated_at = ${at}
      FROM ${rows}
      WHERE session_watch_cursors.target_session_key = r.k AND session_watch_cursors.target_agent_id = r.a
        AND session_watch_cursors.notified = session_watch_cursors.last_seen
        AND ${first} > session_watch_cursors.last_seen
      RETURNING id AS "watchId", watcher_session_key AS "watcherSessionKey",
        target_session_key AS "targetSessionKey", target_agent_id AS "targetAgentId",
        last_seen AS "changesSince", notified`,
  );
  for (const row of opened) {
    row.openedAt = now;
    row.watchId = toNumber(row.watchId);
    row.changesSince = toNumber(row.changesSince);
    row.notified = toNumber(row.notified);
  }
  return opened;
}

type FirstMaterial = { k: string; a: string; n: number; i: string | null; o: number };

/** Per session: the first material event, its actor, and the first one by anybody else (0 when there is none). */
function firstMaterial(recorded: readonly Recorded[]): FirstMaterial[] {
  const firsts = new Map<string, FirstMaterial>();
  for (const { append, sequence } of recorded) {
    const { event } = append;
    if (!append.notifies) continue;
    const first = firsts.get(append.session);
    if (first === undefined) {
      firsts.set(append.session, { k: event.sessionKey, a: event.agentId, n: sequence, i: event.actorId, o: 0 });
    } else if (first.o === 0 && event.actorId !== first.i) {
      first.o = sequence;
    }
  }
  return [...firsts.values()];
}
