import fc from "fast-check";
import type { AppendInput, SessionName, WatchName } from "../../src/awareness/awareness.js";
import { eventKindNames } from "../../src/storage/records.js";
import { sessions, watchers } from "./people.js";

const places = ["zero", "below", "lastSeen", "notified", "head", "above"] as const;
export type Place = (typeof places)[number];
/** One of the watcher's pending notices, the one that will open for the rest of it, or any id ever given out; 0 is the newest. */
export type Pick = { from: "pending" | "next" | "ever"; nth: number };
export type AppendDraft = Omit<AppendInput, "occurredAt"> & { hoursAgo?: number };

/** An operation whose arguments depend on the moment: which notice ids are known, where the cursor stands. */
export type Draft =
  | { does: "append"; input: AppendDraft }
  | { does: "appendMany"; inputs: AppendDraft[] }
  | { does: "watch" | "unwatch"; pair: WatchName }
  | { does: "drain"; watcherSessionKey: string; limit: number | null }
  | { does: "acknowledge"; watcherSessionKey: string; picks: Pick[] }
  | { does: "reconcile"; pair: WatchName; place: Place }
  | { does: "register"; session: SessionName; label?: string; spawnedBy?: string }
  | { does: "reset" | "delete"; session: SessionName };

export type Step =
  | { step: "alone"; draft: Draft }
  | { step: "together"; drafts: Draft[] }
  | { step: "time"; hours: number }
  | { step: "sweep" }
  | { step: "restart" };

// A few sessions get most of the traffic: only operations that meet can go wrong.
const watcher = mostly(fc.constantFrom(...watchers.slice(0, 2)), fc.constantFrom(...watchers));
const session = mostly(fc.constantFrom(...sessions.slice(2, 4)), fc.constantFrom(...sessions));
const pair = fc.record({ watcherSessionKey: watcher, target: session }).map(
  ({ watcherSessionKey, target }): WatchName => ({
    watcherSessionKey,
    targetSessionKey: target.sessionKey,
    targetAgentId: target.agentId,
  }),
);

const actor = mostly(
  fc.constantFrom({ type: "HUMAN" as const }, { type: "HUMAN" as const, id: "alice" }),
  fc.oneof(
    watcher.map((id) => ({ type: "AGENT" as const, id })),
    fc.constant({ type: "SYSTEM" as const }),
  ),
);
const common = {
  summary: fc.constantFrom("first line", "second line"),
  dedupeKey: mostly(fc.constant(undefined), fc.constantFrom("once", "twice")),
  hoursAgo: mostly(fc.constant(undefined), fc.constantFrom(-1, 3, 23, 48)),
};
const plainKinds = eventKindNames.filter((kind) => kind !== "CHILD_SPAWNED" && kind !== "RUN_FAILED");
const materialKinds = ["GOAL_CHANGED", "HUMAN_DIRECT_MESSAGE"] as const;

const plainEvent: fc.Arbitrary<AppendDraft> = fc
  .record({
    session,
    actor,
    kind: mostly(fc.constantFrom(...materialKinds), fc.constantFrom(...plainKinds)),
    ...common,
  })
  .map(flat);
const failedRun: fc.Arbitrary<AppendDraft> = fc
  .record({ session, actor, outcome: fc.constantFrom("CANCELLED" as const, "TIMEOUT" as const), ...common })
  .map((draft) => ({ ...flat(draft), kind: "RUN_FAILED" }));
const parent = mostly(watcher, fc.constant("global"));
const spawn: fc.Arbitrary<AppendDraft> = fc
  .record({ session, parent, ...common })
  .filter((draft) => draft.parent !== draft.session.sessionKey)
  .map(({ parent: id, ...draft }) => ({ ...flat(draft), kind: "CHILD_SPAWNED", actor: { type: "AGENT", id } }));
/** Refused: a failed run without an outcome, a spawn without a parent, a child that spawned itself. */
const badEvent: fc.Arbitrary<AppendDraft> = fc.constantFrom<AppendDraft>(
  { sessionKey: "agent:main:main", kind: "RUN_FAILED", actor: { type: "SYSTEM" } },
  { sessionKey: "agent:main:main", kind: "CHILD_SPAWNED", actor: { type: "AGENT" } },
  { sessionKey: "agent:main:main", kind: "CHILD_SPAWNED", actor: { type: "AGENT", id: "agent:main:main" } },
);

const event = fc.oneof(
  { weight: 20, arbitrary: plainEvent },
  { weight: 2, arbitrary: failedRun },
  { weight: 6, arbitrary: spawn },
  { weight: 1, arbitrary: badEvent },
);

const pick = fc.record({
  from: mostly(fc.constant("pending" as const), fc.constantFrom("next" as const, "ever" as const)),
  nth: fc.nat(5),
});

const draft: fc.Arbitrary<Draft> = fc.oneof(
  { weight: 14, arbitrary: event.map((input): Draft => ({ does: "append", input })) },
  {
    weight: 6,
    arbitrary: fc.array(event, { minLength: 1, maxLength: 8 }).map((inputs): Draft => ({ does: "appendMany", inputs })),
  },
  { weight: 8, arbitrary: pair.map((named): Draft => ({ does: "watch", pair: named })) },
  { weight: 2, arbitrary: pair.map((named): Draft => ({ does: "unwatch", pair: named })) },
  {
    weight: 5,
    arbitrary: fc.record({
      does: fc.constant("drain" as const),
      watcherSessionKey: watcher,
      limit: fc.constantFrom(null, 1, 2),
    }),
  },
  {
    weight: 5,
    arbitrary: fc.record({
      does: fc.constant("acknowledge" as const),
      watcherSessionKey: watcher,
      picks: fc.array(pick, { minLength: 1, maxLength: 3 }),
    }),
  },
  {
    weight: 5,
    arbitrary: fc.record({ does: fc.constant("reconcile" as const), pair, place: fc.constantFrom(...places) }),
  },
  {
    weight: 1,
    arbitrary: fc.record(
      { does: fc.constant("register" as const), session, label: fc.constantFrom("A", "B"), spawnedBy: watcher },
      { requiredKeys: ["does", "session"] },
    ),
  },
  { weight: 1, arbitrary: fc.record({ does: fc.constantFrom("reset" as const, "delete" as const), session }) },
);

/** Below and above the 30 days of retention, and between: where only what was dated back is too old. */
const passingHours = [1, 20, 20 * 24, 29.5 * 24, 31 * 24];

const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 40, arbitrary: draft.map((one): Step => ({ step: "alone", draft: one })) },
  {
    weight: 6,
    arbitrary: fc.array(draft, { minLength: 2, maxLength: 4 }).map((drafts): Step => ({ step: "together", drafts })),
  },
  { weight: 3, arbitrary: fc.constantFrom(...passingHours).map((hours): Step => ({ step: "time", hours })) },
  { weight: 2, arbitrary: fc.constant<Step>({ step: "sweep" }) },
  { weight: 1, arbitrary: fc.constant<Step>({ step: "restart" }) },
);

/** Up to `maxLength` steps in a row; fast-check shortens a failing row to the few that matter. */
export function stepsUpTo(maxLength: number): fc.Arbitrary<Step[]> {
  return fc.array(step, { maxLength, size: "max" });
}

function flat<Rest extends { session: SessionName }>({ session: name, ...rest }: Rest) {
  return { ...name, ...rest };
}

function mostly<A, B>(usual: fc.Arbitrary<A>, other: fc.Arbitrary<B>): fc.Arbitrary<A | B> {
  return fc.oneof({ weight: 4, arbitrary: usual }, { weight: 1, arbitrary: other });
}
