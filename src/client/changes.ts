import { HeadsupError } from "./errors.js";
import type { CallOptions } from "./http.js";
import type { Operations } from "./operations.js";
import type { SessionStateEvent, StaleNotice, StateChanges } from "./types.js";

export type ChangesInput = {
  sessionKey: string;
  agentId?: string;
  /** The last sequence already seen. */
  changesSince: number;
  /** Events per page, 1 to 200. */
  first?: number;
};

/** One page. `stateVersion` is from the same consistent read; all up to it has been seen once `truncated` is false. */
export type ChangesPage = StateChanges & { stateVersion: number };

export type CatchUpInput = { watcherSessionKey: string };

export type CaughtUp = {
  notice: StaleNotice;
  /** What was logged after `notice.changesSince`, ascending. */
  events: SessionStateEvent[];
  /** Some of that history is gone: refresh the whole session state instead of trusting `events` alone. */
  historyGap: boolean;
  stateVersion: number;
};

/**
 * Pages through everything logged for a session after `changesSince`, without overlap or hole. At least one page comes,
 * so a `historyGap` is seen even when no event is left. Moves no cursor.
 */
export async function* changes(
  { sessionStatus }: Pick<Operations, "sessionStatus">,
  input: ChangesInput,
  options?: CallOptions,
): AsyncGenerator<ChangesPage, void, undefined> {
  let changesSince = input.changesSince;
  for (;;) {
    const { stateVersion, stateChanges } = await sessionStatus({ ...input, changesSince }, options);
    if (stateChanges === null) throw new HeadsupError("INTERNAL_SERVER_ERROR", "The service left out the changes.");
    yield { ...stateChanges, stateVersion };
    if (!stateChanges.truncated) return;
    changesSince = stateChanges.nextChangesSince;
  }
}

/**
 * For each pending notice of a watcher: reads the exact delta, hands it over, and only when the next one is asked for
 * reconciles, up to what was read. So an agent that dies or leaves the loop while it works on a change is told of it
 * again, which draining first could not promise. Ends when nothing is pending.
 */
export async function* catchUp(
  client: Pick<Operations, "sessionStatus" | "pendingNotices" | "reconcile">,
  input: CatchUpInput,
  options?: CallOptions,
): AsyncGenerator<CaughtUp, void, undefined> {
  // A notice that its own reconcile did not clear must not be handed over again and again.
  const handled = new Set<string>();
  for (;;) {
    const pending = await client.pendingNotices(input, options);
    const fresh = pending.filter(({ id }) => !handled.has(id));
    if (fresh.length === 0) return;
    for (const notice of fresh) {
      handled.add(notice.id);
      const delta = await readDelta(client, notice, options);
      yield { notice, ...delta };
      const { watcherSessionKey, targetSessionKey, targetAgentId } = notice;
      const pair = { watcherSessionKey, targetSessionKey, targetAgentId };
      await client.reconcile({ ...pair, upTo: delta.stateVersion }, options);
    }
  }
}

async function readDelta(client: Pick<Operations, "sessionStatus">, notice: StaleNotice, options?: CallOptions) {
  const { targetSessionKey: sessionKey, targetAgentId: agentId, changesSince } = notice;
  const delta = { events: [] as SessionStateEvent[], historyGap: false, stateVersion: 0 };
  for await (const page of changes(client, { sessionKey, agentId, changesSince }, options)) {
    delta.events.push(...page.events);
    delta.historyGap ||= page.historyGap;
    delta.stateVersion = page.stateVersion;
  }
  return delta;
}
