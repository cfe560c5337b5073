import { latestEvents, readStatus, type StatusRead } from "../storage/events.js";
import type { Awareness, StateChanges } from "./awareness.js";
import { rememberedSince } from "./deletedMemory.js";
import { checkCount } from "./pageCursor.js";
import { Refusal } from "./refusals.js";
import type { Rooms } from "./rooms.js";
import { resolveSession } from "./sessionKey.js";
import { checkVersion } from "./stateVersion.js";

/** The exact delta after a version, and its gap (contract, section 8). Moves no cursor. */
export function changes(rooms: Rooms): Pick<Awareness, "sessionStatus" | "latestEvents"> {
  const { database, limits, clock } = rooms;
  return {
    async sessionStatus(input) {
      const session = resolveSession(input);
      const first = checkCount(input.first, {
        field: "first",
        max: limits.statusFirstMax,
        fallback: limits.statusFirstMax,
      });
      const since = input.changesSince == null ? null : checkVersion(input.changesSince, "changesSince");
      const delta = since === null ? null : { since, limit: first + 1 };
      const status = await rooms.reading(readStatus(database.read, session, delta));
      if (since !== null && since > status.issued) {
        throw new Refusal(
          "VERSION_AHEAD_OF_LOG",
          "changesSince is above every version this log ever issued: it was read from another or a newer copy of the " +
            "log. Read the whole session state and go on from its stateVersion.",
          { field: "changesSince" },
        );
      }
      const line = lineOf(status, rememberedSince(rooms, clock.now()));
      return {
        ...session,
        session: status.session,
        stateVersion: status.stateVersion,
        prunedUpTo: status.prunedSequence,
        stateChanges: since === null ? null : toChanges(status, { since, first, line }),
      };
    },

    async latestEvents(session, { upTo, limit }) {
      const max = limits.statusFirstMax;
      const most = checkCount(limit, { field: "limit", max, fallback: max });
      return rooms.reading(latestEvents(database.read, session, { upTo, limit: most }));
    },
  };
}

/** What is asked is below this when it is from before a delete that is still remembered; 0 without one. */
function lineOf({ deleted }: StatusRead, remembered: Date): number {
  return deleted !== null && deleted.at > remembered ? deleted.sequence : 0;
}

/**
 * `historyGap` is never computed from numbers with holes: only the pruned watermark, and the line that the delete of a
 * session of this name drew, say that history is missing. `nextChangesSince` is at or beyond both, so whoever goes on
 * from there hears of a gap once; it can be above the state version, which is 0 until the later session logs something.
 */
function toChanges(status: StatusRead, asked: { since: number; first: number; line: number }): StateChanges {
  const { since, first, line } = asked;
  const truncated = status.events.length > first;
  const events = status.events.slice(0, first);
  const last = events.at(-1)?.sequence ?? since;
  return {
    events,
    historyGap: since < status.prunedSequence || since < line,
    truncated,
    nextChangesSince: truncated ? last : Math.max(since, status.stateVersion, line),
  };
}
