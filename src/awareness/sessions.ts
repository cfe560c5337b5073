import { cursorsTouching, removeCursors } from "../storage/cursors.js";
import { type SessionIdentity, targetOf, type WatchRecord } from "../storage/records.js";
import { deleteSession, findSession, listSessions, registerSession } from "../storage/sessions.js";
import type { Transaction } from "../storage/sql.js";
import type { Awareness } from "./awareness.js";
import { oneLine } from "./oneLine.js";
import { checkCount, decodeCursor, encodeCursor } from "./pageCursor.js";
import { badInput } from "./refusals.js";
import type { Rooms } from "./rooms.js";
import { agentOf, checkAgentId, checkId, checkKey, resolveSession } from "./sessionKey.js";
import { announceEnd, idsOf } from "./watches.js";

type SessionPart = Pick<Awareness, "sessionsList" | "registerSession" | "resetSession" | "deleteSession">;

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
      const after = decodeCursor(filter.after, ["string", "string"]);
      const found = await rooms.reading(
        listSessions(database.read, {
          agentId: filter.agentId == null ? null : checkAgentId(filter.agentId, "agentId"),
          search: checkSearch(filter.search, limits.searchMaxChars),
          after: after && { sessionKey: after[0], agentId: after[1] },
          limit: limit + 1,
        }),
      );
      const edges = found
        .slice(0, limit)
        .map((node) => ({ cursor: encodeCursor([node.sessionKey, node.agentId]), node }));
      return { edges, hasNextPage: found.length > limit };
    },

    async registerSession(input) {
      const session = resolveSession(input);
      const { label, spawnedBy } = input;
      if (spawnedBy != null && spawnedBy === session.sessionKey) {
        throw badInput("spawnedBy", "A session cannot be its own parent; give the parent's session key.");
      }
      const change = {
        ...session,
        label: label == null ? label : oneLine(label, limits.labelMaxChars) || null,
        spawnedBy: spawnedBy == null ? spawnedBy : checkKey(spawnedBy, "spawnedBy"),
      };
      return rooms.writing(async (tx, now) => {
        await registerSession(tx, change, now);
        const result = await findSession(tx, session);
        if (result === null) throw new Error("a session that was just registered exists");
        return { result };
      });
    },

    async resetSession(input) {
      const session = resolveSession(input);
      return rooms.writing(async (tx) => {
        const ended = await endWatches(tx, { target: null, watcher: watcherOf(session) });
        return { result: { watchesRemoved: ended.length }, ...announceEnd(ended) };
      });
    },

    async deleteSession(input) {
      const session = resolveSession(input);
      return rooms.writing(async (tx, now) => {
        await tx.lock([session]);
        const ended = await endWatches(tx, { target: session, watcher: watcherOf(session) });
        const deleted = (await deleteSession(tx, session, now)) || ended.length > 0;
        return { result: { deleted }, ...announceEnd(ended) };
      });
    },
  };
}

/** Only an agent-qualified key names a watcher. */
function watcherOf(session: SessionIdentity): string | null {
  return agentOf(session.sessionKey) === null ? null : session.sessionKey;
}

async function endWatches(
  tx: Transaction,
  sides: { target: SessionIdentity | null; watcher: string | null },
): Promise<WatchRecord[]> {
  await tx.lock((await cursorsTouching(tx, sides)).map(targetOf));
  const ended = await cursorsTouching(tx, sides);
  await removeCursors(tx, idsOf(ended));
  return ended;
}

/** Looked for as it is, so it must be text that a key or label could hold. */
function checkSearch(search: string | null | undefined, max: number): string | null {
  if (search == null || search === "") return null;
  if (search.length > max) throw badInput("search", `search takes at most ${max} characters.`);
  return checkId(search, "search");
}
