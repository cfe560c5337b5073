import { commitBatch } from "../storage/batches.js";
import { findLinkById, type LinkMove, type LinkState, moveLink, removeLink } from "../storage/links.js";
import type { NewEvent } from "../storage/newEvent.js";
import { ownPromptsOf, removeOwnPrompts } from "../storage/ownPrompts.js";
import type { NoticeRecord } from "../storage/records.js";
import type { Transaction } from "../storage/sql.js";
import type { SavedCheck } from "./nodeDesk.js";
import type { Rooms } from "./rooms.js";
import { toNewEvent } from "./signalLog.js";
import { type CheckReport, type Turn, toolNames } from "./upstreamSources.js";
import type { Announcement } from "./writer.js";

export type { SavedCheck } from "./nodeDesk.js";

type SaveOptions = {
  /** How long a link rests that could not be read. */
  retryAfterMs?: number;
  /** Done first in the same transaction; what it throws refuses the check. */
  before?: (tx: Transaction) => Promise<void>;
};

/**
 * Saves what a check found: the new position and the event that tells of the person's turns in one transaction, if
 * nobody saved another check since `link` was read (contract, section 9). Refuses with `SERVICE_UNAVAILABLE`, and then
 * the next check finds the same again.
 */
export function saveCheck(
  rooms: Rooms,
  link: LinkState,
  report: CheckReport,
  { retryAfterMs = 0, before = async () => undefined }: SaveOptions = {},
): Promise<SavedCheck> {
  return rooms.writing(async (tx, now) => {
    await before(tx);
    await tx.lock([link]);
    const present = await findLinkById(tx, link.id);
    if (present === null || present.revision !== link.revision) return { result: "STALE" };
    if (report.outcome === "gone") return saveMissing(rooms, tx, present, now);
    if (!(await moveLink(tx, link, moveOf(report, present, now, retryAfterMs), now))) return { result: "STALE" };
    // First the own prompts: one that was sent before the watch has used up its digest all the same.
    const turns = report.outcome === "read" ? sinceWatched(await notOwn(tx, present, report.turns), present) : [];
    const opened = turns.length === 0 ? [] : await log(tx, humanMessage(present, turns, now), now);
    return { result: "SAVED", opened, changed: [link] };
  });
}

/** One more check that did not find the source; the last one removes the link and says so. */
async function saveMissing(
  rooms: Rooms,
  tx: Transaction,
  link: LinkState,
  now: Date,
): Promise<{ result: SavedCheck } & Announcement> {
  const missedChecks = link.missedChecks + 1;
  if (missedChecks < rooms.limits.upstreamMissedMax) {
    await moveLink(tx, link, { ...nothingRead, missedChecks, failedChecks: 0, nextCheckAt: null }, now);
    return { result: "SAVED", changed: [link] };
  }
  await removeLink(tx, link);
  return { result: "LINK_REMOVED", opened: await log(tx, sourceMissing(link, now), now), changed: [link] };
}

const nothingRead = { source: null, skippedRows: 0, unknownRows: 0, settled: false };

function moveOf(
  report: Exclude<CheckReport, { outcome: "gone" }>,
  link: LinkState,
  now: Date,
  retryAfterMs: number,
): LinkMove {
  switch (report.outcome) {
    case "read":
      return { ...report, missedChecks: 0, failedChecks: 0, nextCheckAt: null, settled: !report.more };
    case "unchanged":
      return { ...nothingRead, missedChecks: 0, failedChecks: 0, nextCheckAt: null, settled: report.more !== true };
    case "unreadable":
      return {
        ...nothingRead,
        // Unreadable is not gone: it may be there, so the checks that miss it are no longer in a row.
        missedChecks: 0,
        failedChecks: link.failedChecks + 1,
        nextCheckAt: new Date(now.getTime() + retryAfterMs),
      };
  }
}

/**
 * Leaves out what was typed while nobody watched: a watch starts at the present, earlier history never notifies. A time
 * is believed only where it can be true, between the last good check and the start of the watch; any other proves
 * nothing, and a turn is never lost for it.
 */
function sinceWatched(turns: readonly Turn[], link: Pick<LinkState, "settledAt" | "watchedAt">): readonly Turn[] {
  const { settledAt, watchedAt } = link;
  if (watchedAt === null || watchedAt <= settledAt) return turns;
  return turns.filter(({ at }) => at === null || at < settledAt || at >= watchedAt);
}

/** Leaves out the agent's own prompts: each noted digest, oldest first, swallows one matching turn and is used up. */
async function notOwn(tx: Transaction, link: LinkState, turns: readonly Turn[]): Promise<readonly Turn[]> {
  if (turns.length === 0) return turns;
  const noted = await ownPromptsOf(tx, link);
  const used: number[] = [];
  const others = turns.filter((turn) => {
    const own = noted.findIndex(({ digest }) => digest === turn.digest);
    if (own < 0) return true;
    used.push(...noted.splice(own, 1).map(({ id }) => id));
    return false;
  });
  await removeOwnPrompts(tx, used);
  return others;
}

async function log(tx: Transaction, event: NewEvent, now: Date): Promise<NoticeRecord[]> {
  return (await commitBatch(tx, [event], now)).opened;
}

function humanMessage(link: LinkState, turns: readonly Turn[], now: Date): NewEvent {
  const { sessionKey, agentId } = link;
  return toNewEvent(
    {
      sessionKey,
      agentId,
      kind: "HUMAN_DIRECT_MESSAGE",
      actor: { type: "HUMAN" },
      summary: `human message via ${toolNames[link.kind]}`,
      payload: turns.length > 1 ? { turns: turns.length } : null,
      occurredAt: turns.at(-1)?.at,
    },
    now,
  );
}

function sourceMissing({ sessionKey, agentId }: LinkState, now: Date): NewEvent {
  return toNewEvent({ sessionKey, agentId, kind: "UPSTREAM_MISSING", actor: { type: "SYSTEM" } }, now);
}
