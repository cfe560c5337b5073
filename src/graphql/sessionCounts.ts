import type { CountedSession, SessionCounts } from "../awareness/awareness.js";
import type { GraphQLContext } from "./builder.js";

type Waiting = { session: CountedSession; resolve(counts: SessionCounts): void; reject(error: unknown): void };

const waitingOf = new WeakMap<GraphQLContext, Waiting[]>();

/**
 * The counts of a session. All sessions of an answer that ask in one breath are counted together, in one statement for
 * the whole page; a session that brings its counts along costs nothing.
 */
export async function countsOf(session: CountedSession, context: GraphQLContext): Promise<SessionCounts> {
  if (session.counts !== undefined) return session.counts;
  return new Promise((resolve, reject) => {
    const waiting = waitingOf.get(context);
    if (waiting !== undefined) {
      waiting.push({ session, resolve, reject });
      return;
    }
    waitingOf.set(context, [{ session, resolve, reject }]);
    // Every field of one level is resolved before the first microtask that follows them.
    queueMicrotask(() => void countTogether(context));
  });
}

async function countTogether(context: GraphQLContext): Promise<void> {
  const waiting = waitingOf.get(context) ?? [];
  waitingOf.delete(context);
  const sessions = [...new Set(waiting.map(({ session }) => session))];
  try {
    const counted = await context.awareness.sessionCounts(sessions);
    const counts = new Map(sessions.map((session, index) => [session, counted[index]]));
    for (const { session, resolve, reject } of waiting) {
      const found = counts.get(session);
      if (found === undefined) reject(new Error("every session that is asked for is counted"));
      else resolve(found);
    }
  } catch (error) {
    for (const { reject } of waiting) reject(error);
  }
}
