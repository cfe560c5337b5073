import type { StaleNotice } from "../src/client/index.js";
import { cursorOf, humanWrites, othersLog, spawn } from "./cast.js";
import type { Narrator } from "./narrator.js";
import type { Stage } from "./stage.js";

/** The contract's worked example: how a cursor moves while three messages and two drains come by. */
export async function workedExample({ client, key, fresh }: Stage, narrator: Narrator): Promise<void> {
  const coordinator = key("agent:lead:example");
  const worker = key("agent:coder:subagent:example");
  if (fresh) await othersLog(client, key("agent:other:main"), 9);

  const rows: (string | number)[][] = [["", "lastSeen", "notified", "material", "pending"]];
  const cursors: number[][] = [];
  const row = async (what: string, notices: readonly StaleNotice[]) => {
    const cursor = await cursorOf(client, coordinator, worker);
    cursors.push(cursor);
    rows.push([what, ...cursor, notices.map(({ changesSince }) => `changesSince ${changesSince}`).join() || "nothing"]);
  };
  const pending = () => client.pendingNotices({ watcherSessionKey: coordinator });

  const { sequence: start } = await spawn(client, coordinator, worker);
  await row("spawned", await pending());
  const written: number[] = [];
  for (const text of ["one", "two", "three"]) written.push((await humanWrites(client, worker, text)).sequence);
  const [first = 0, , last = 0] = written;
  const opened = await pending();
  await row(`human messages ${written.join(", ")}`, opened);
  const firstDrain = await client.drainNotices({ watcherSessionKey: coordinator });
  const reopened = await pending();
  await row("drained", reopened);
  const secondDrain = await client.drainNotices({ watcherSessionKey: coordinator });
  await row("drained again", await pending());

  narrator.table(rows);
  narrator.claim("the cursor moves as the contract says", cursors, [
    [start, start, start],
    [start, first, last],
    [first, last, last],
    [last, last, last],
  ]);
  narrator.claim(
    "each drain took the one notice that was pending",
    [firstDrain.notices, secondDrain.notices],
    [opened, reopened],
  );
  if (fresh) narrator.claim("the numbers are the contract's own", [start, ...written], [10, 11, 12, 13]);
}

/** One number line for the whole log: a session's numbers have holes, and a hole is no gap. */
export async function sparseNumbers({ client, key, fresh }: Stage, narrator: Narrator): Promise<void> {
  const session = key("agent:coder:sparse");
  const other = key("agent:other:main");
  if (fresh) await othersLog(client, other, 11);
  const sequences: number[] = [];
  for (const others of [1, 4, 0]) {
    const goal = { sessionKey: session, kind: "GOAL_CHANGED", actor: { type: "HUMAN" } } as const;
    const { event } = await client.append(goal);
    sequences.push(event?.sequence ?? 0);
    if (others > 0) await othersLog(client, other, others);
  }
  const [first = 0, ...later] = sequences;
  narrator.shows(`the session's numbers: ${sequences.join(", ")}; those between are other sessions'`);
  const { stateChanges } = await client.sessionStatus({ sessionKey: session, changesSince: first });
  const read = stateChanges?.events.map(({ sequence }) => sequence);
  narrator.shows(`changesSince ${first}: ${read?.join(", ")}; historyGap ${stateChanges?.historyGap}`);
  narrator.claim("nothing is missing, and nothing is said to be", [read, stateChanges?.historyGap], [later, false]);
  if (fresh) narrator.claim("the numbers are 12, 14 and 19", sequences, [12, 14, 19]);
}
