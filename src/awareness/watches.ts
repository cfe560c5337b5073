import { cursorOfPair, listCursors, removeCursors, startCursor } from "../storage/cursors.js";
import { presentVersion } from "../storage/heads.js";
import { noteWatchStart } from "../storage/links.js";
import { type PairIdentity, targetOf, type WatchRecord } from "../storage/records.js";
import { listFromNow } from "../storage/sessions.js";
import type { Transaction } from "../storage/sql.js";
import type { Awareness, WatchName, WatchRefusal, WatchResult } from "./awareness.js";
import { rememberedSince } from "./deletedMemory.js";
import { checkCount, decodeCursor, encodeCursor } from "./pageCursor.js";
import type { Rooms } from "./rooms.js";
import { agentOf, checkAgentId, checkKey, resolveSession } from "./sessionKey.js";
import type { Announcement } from "./writer.js";

/** Start, end and list of watches (contract, section 5). */
export function watches(rooms: Rooms): Pick<Awareness, "watch" | "unwatch" | "watches"> {
  const { database, limits } = rooms;
  return {
    async watch(input): Promise<WatchResult> {
      const pair = checkPair(input);
      const reason = refusalOf(pair);
      if (reason !== null) return { watched: false, reason, watch: null };
      return rooms.writing(async (tx, now) => {
        await tx.lock([targetOf(pair)]);
        const present = await cursorOfPair(tx, pair);
        if (present !== null) return { result: { watched: true, reason: null, watch: present } };
        const { watch, isNews } = await start(rooms, tx, pair, now);
        const changed = isNews ? [targetOf(pair)] : [];
        return { result: { watched: true, reason: null, watch }, moved: [pair], changed };
      });
    },

    async unwatch(input) {
      const pair = checkPair(input);
      return rooms.writing(async (tx, now) => {
        await tx.lock([targetOf(pair)]);
        const cursor = await cursorOfPair(tx, pair);
        const ended = cursor === null ? [] : [cursor];
        const removed = (await removeCursors(tx, idsOf(ended), now)) > 0;
        return { result: { removed }, ...announceEnd(ended) };
      });
    },

    async watches(filter) {
      const { watcherSessionKey } = filter;
      const limit = checkCount(filter.first, {
        field: "first",
        max: limits.listFirstMax,
        fallback: limits.listFirstDefault,
      });
      const found = await rooms.reading(
        listCursors(database.read, {
          watcher: watcherSessionKey == null ? null : checkKey(watcherSessionKey, "watcherSessionKey"),
          agents: filter.agents ?? null,
          ...targetFilter(filter),
          pending: filter.pending ?? null,
          after: decodeCursor(filter.after, ["number"])?.[0] ?? null,
          limit: limit + 1,
        }),
      );
      const edges = found.slice(0, limit).map((node) => ({ cursor: encodeCursor([node.id]), node }));
      return { edges, hasNextPage: found.length > limit };
    },
  };
}

/**
 * Starts at the target's present version: earlier history never notifies. Lists the target from now on; `isNews` where
 * it was not listed before.
 */
async function start(
  rooms: Rooms,
  tx: Transaction,
  pair: PairIdentity,
  now: Date,
): Promise<{ watch: WatchRecord; isNews: boolean }> {
  const version = await presentVersion(tx, targetOf(pair), rememberedSince(rooms, now));
  await noteWatchStart(tx, [targetOf(pair)], now);
  await startCursor(tx, pair, { origin: "EXPLICIT", version, now });
  const listed = await listFromNow(tx, [{ ...targetOf(pair), spawnedBy: null }], now);
  const watch = await cursorOfPair(tx, pair);
  if (watch === null) throw new Error("a watch that was just started exists");
  return { watch, isNews: listed > 0 };
}

/** The pair that a caller names: any well-formed watcher, and a target with its agent. */
export function checkPair(input: WatchName): PairIdentity {
  const watcherSessionKey = checkKey(input.watcherSessionKey, "watcherSessionKey");
  const { sessionKey, agentId } = checkTarget(input.targetSessionKey, input.targetAgentId);
  return { watcherSessionKey, targetSessionKey: sessionKey, targetAgentId: agentId };
}

function checkTarget(sessionKey: string, agentId: string | null | undefined) {
  return resolveSession({ sessionKey, agentId }, { key: "targetSessionKey", agent: "targetAgentId" });
}

/** One session as the target, or all of one agent. */
function targetFilter(filter: { targetSessionKey?: string | null; targetAgentId?: string | null }) {
  const { targetSessionKey: key, targetAgentId: agent } = filter;
  if (key != null) return { target: checkTarget(key, agent), targetAgent: null };
  return { target: null, targetAgent: agent == null ? null : checkAgentId(agent, "targetAgentId") };
}

function refusalOf(pair: PairIdentity): WatchRefusal | null {
  if (agentOf(pair.watcherSessionKey) === null) return "WATCHER_NOT_AGENT_QUALIFIED";
  return pair.watcherSessionKey === pair.targetSessionKey ? "SELF" : null;
}

export function idsOf(watches: readonly WatchRecord[]): number[] {
  return watches.map((watch) => watch.id);
}

/** Whatever was pending on these watches is over. */
export function announceEnd(ended: readonly WatchRecord[]): Announcement {
  return { closed: ended.map((watch) => endOf(watch, Number.MAX_SAFE_INTEGER)) };
}

/** Notices of this watch up to `upTo` are no longer pending. */
export function endOf({ id, watcherSessionKey, targetSessionKey, targetAgentId }: WatchRecord, upTo: number) {
  return { watcherSessionKey, targetSessionKey, targetAgentId, watchId: id, upTo };
}
