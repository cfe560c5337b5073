import { clampedTime } from "../clock.js";
import { cursorsTouching, removeCursors } from "../storage/cursors.js";
import { noteDeleted } from "../storage/endings.js";
import { identityOf } from "../storage/newEvent.js";
import { type SessionIdentity, type SessionRecord, targetOf, type WatchRecord } from "../storage/records.js";
import { countSessions } from "../storage/sessionCounts.js";
import { deleteSession, findSession, type ListPlace, listSessions, registerSession } from "../storage/sessions.js";
import type { Transaction } from "../storage/sql.js";
import type { Awareness } from "./awareness.js";
import { cleanLabel, isClean } from "./oneLine.js";
import { checkCount, decodeCursor, encodeCursor } from "./pageCursor.js";
import { badInput } from "./refusals.js";
import type { Rooms } from "./rooms.js";
import { agentOf, checkAgentId, checkKey, resolveSession } from "./sessionKey.js";
import { announceEnd, idsOf } from "./watches.js";

type SessionPart = Pick<
  Awareness,
  "sessionsList" | "sessionCounts" | "registerSession" | "resetSession" | "deleteSession"
>;

/** Sessions: list, register, reset, delete (contract, sections 4 and 5). */
export function sessions(rooms: Rooms): SessionPart {
  const { database, limits } = rooms;
  return {
    async sessionsList(filter) {
      const limit = checkCount(filter.first, {
        field: "first",
        max: limits.listFirstMax,
        fallback: limits.listFirstDefault,
      });
      const lastChangedFirst = filter.orderBy === "LAST_CHANGE";
      const found = await rooms.reading(
        listSessions(database.read, {
          agentId: filter.agentId == null ? null : checkAgentId(filter.agentId, "agentId"),
          agents: filter.agents ?? null,
          search: checkSearch(filter.search, limits.searchMaxChars),
          lastChangedFirst,
          after: placeOf(filter.after, lastChangedFirst),
          limit: limit + 1,
        }),
      );
      const edges = found.slice(0, limit).map((node) => ({ cursor: cursorOf(node, lastChangedFirst), node }));
      return { edges, hasNextPage: found.length > limit };
    },

    async sessionCounts(sessions, { agents = null } = {}) {
      return rooms.reading(countSessions(database.read, sessions, agents));
    },

    async registerSession(input) {
      const session = resolveSession(input);
      const { label, spawnedBy } = input;
      if (spawnedBy != null && spawnedBy === session.sessionKey) {
        throw badInput("spawnedBy", "A session cannot be its own parent; give the parent's session key.");
      }
      const change = {
        ...session,
        label: cleanLabel(label, limits.labelMaxChars),
        spawnedBy: spawnedBy == null ? spawnedBy : checkKey(spawnedBy, "spawnedBy"),
      };
      return rooms.writing(async (tx, now) => {
        await registerSession(tx, change, now);
        const result = await findSession(tx, session);
        if (result === null) throw new Error("a session that was just registered exists");
        return { result, changed: [session] };
      });
    },

    async resetSession(input) {
      const watcher = watcherOf(resolveSession(input));
      const before = await endFullBatches(rooms, watcher);
      const last = await rooms.writing(async (tx, now) => {
        const ended = await endWatches(tx, { target: null, watcher }, null, now);
        return { result: ended.length, ...announceEnd(ended) };
      });
      return { watchesRemoved: before + last };
    },

    async deleteSession(input) {
      const session = resolveSession(input);
      const watcher = watcherOf(session);
      const before = await endFullBatches(rooms, watcher);
      return rooms.writing(async (tx, now) => {
        const ended = await endWatches(tx, { target: session, watcher }, null, now);
        const deleted = (await deleteSession(tx, session, now)) || ended.length + before > 0;
        if (deleted) await noteDeleted(tx, session, now);
        return { result: { deleted }, ...announceEnd(ended), changed: deleted ? [session] : [] };
      });
    },
  };
}

/** A cursor belongs to its order: handed to the other, it is refused. */
function cursorOf({ sessionKey, agentId, updatedAt }: SessionRecord, lastChangedFirst: boolean): string {
  return encodeCursor(lastChangedFirst ? [updatedAt.getTime(), sessionKey, agentId] : [sessionKey, agentId]);
}

function placeOf(after: string | null | undefined, lastChangedFirst: boolean): ListPlace | null {
  if (lastChangedFirst) {
    const [at, sessionKey, agentId] = decodeCursor(after, ["number", "string", "string"]) ?? [];
    return sessionKey === undefined || agentId === undefined || at === undefined
      ? null
      : { sessionKey, agentId, changedAt: clampedTime(at) };
  }
  const [sessionKey, agentId] = decodeCursor(after, ["string", "string"]) ?? [];
  return sessionKey === undefined || agentId === undefined ? null : { sessionKey, agentId, changedAt: null };
}

/** Only an agent-qualified key names a watcher. */
function watcherOf(session: SessionIdentity): string | null {
  return agentOf(session.sessionKey) === null ? null : session.sessionKey;
}

/**
 * Ends what a session watches until no more is left than goes into one transaction: each watch holds the lock of a
 * target, of which a database has a bounded number. The caller ends the rest, so that whoever watches few has it done
 * at one moment: a watch made at the same time is before it or after it, and is never counted twice. Returns how many
 * ended here.
 */
async function endFullBatches(rooms: Rooms, watcher: string | null): Promise<number> {
  const sides = { target: null, watcher };
  const limit = rooms.limits.watchBatchRows;
  const isMore = async () => {
    const left = await rooms.reading(cursorsTouching(rooms.database.read, sides, limit + 1));
    return left.length > limit;
  };
  let removed = 0;
  while (await isMore()) {
    removed += await rooms.writing(async (tx, now) => {
      const ended = await endWatches(tx, sides, limit, now);
      return { result: ended.length, ...announceEnd(ended) };
    });
  }
  return removed;
}

/**
 * Ends the watches on these sides and holds the target. All locks are taken at once: who waits for a second while
 * holding a first may wait in a circle. A watch made between the first look and the lock counts as made after this.
 */
async function endWatches(
  tx: Transaction,
  sides: { target: SessionIdentity | null; watcher: string | null },
  limit: number | null,
  now: Date,
): Promise<WatchRecord[]> {
  const targets = (await cursorsTouching(tx, sides, limit)).map(targetOf);
  if (sides.target !== null) targets.push(sides.target);
  await tx.lock(targets);
  const held = new Set(targets.map(identityOf));
  const ended = (await cursorsTouching(tx, sides, limit)).filter((watch) => held.has(identityOf(targetOf(watch))));
  await removeCursors(tx, idsOf(ended), now);
  return ended;
}

/** Looked for as it is, so it must be text that a label could hold; what a key may hold is less. */
function checkSearch(search: string | null | undefined, max: number): string | null {
  if (search == null || search === "") return null;
  if (search.length > max) throw badInput("search", `search takes at most ${max} characters.`);
  if (isClean(search)) return search;
  throw badInput(
    "search",
    "search contains what no key or label does: remove control, line-separator and bidi characters, zero-width spaces, " +
      "tag characters and halves of surrogate pairs.",
  );
}
