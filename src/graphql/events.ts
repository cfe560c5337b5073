import type {
  ActorType,
  AppendResult,
  EventRecord,
  NotRecordedReason,
  RunOutcome,
  SessionEventKind,
  StateChanges,
} from "../awareness/awareness.js";
import { agentOf } from "../awareness/sessionKey.js";
import type { Viewer } from "../awareness/viewer.js";
import { builder, describedEnum } from "./builder.js";

export const SessionEventKindEnum = describedEnum<SessionEventKind>("SessionEventKind", "What happened to a session.", {
  HUMAN_DIRECT_MESSAGE: "A human wrote to the session directly. Notifies watchers; logged only while somebody watches.",
  UPSTREAM_MISSING: "The native thread behind the session can no longer be found. Notifies watchers.",
  GOAL_CHANGED: "The goal was created, updated or cleared. Notifies watchers.",
  CHILD_SPAWNED: "The session was spawned by the actor's session, which watches it from here on. Notifies nobody.",
  RUN_COMPLETED: "A run ended well. Notifies nobody.",
  RUN_FAILED: "A run did not end well; `outcome` says how. Notifies nobody.",
  COMPACTED: "The session's own context was compacted. Notifies nobody.",
  ADOPTED: "The session was adopted from another tool. Notifies nobody.",
});

const ActorTypeEnum = describedEnum<ActorType>("ActorType", "Who did it.", {
  HUMAN: "A person.",
  AGENT: "An agent; `id` is usually its session key.",
  SYSTEM: "Neither: a scheduler, a monitor, this service.",
});

const RunOutcomeEnum = describedEnum<RunOutcome>("RunOutcome", "How a failed run ended.", {
  CANCELLED: "Somebody stopped it.",
  TIMEOUT: "It took too long.",
  ERROR: "It broke.",
});

const NotRecordedReasonEnum = describedEnum<NotRecordedReason>("NotRecordedReason", "Why nothing was logged.", {
  NOT_WATCHED: "Nobody watches the session, so a human's message to it is nobody's news.",
  STORAGE_UNAVAILABLE: "Storage failed. The caller's turn goes on; the event is lost unless it is sent again.",
});

export const SessionStateEventRef = builder.objectRef<EventRecord>("SessionStateEvent").implement({
  description: "One entry of the signal log: metadata and one line, never the content of a message.",
  fields: (t) => ({
    sequence: t.expose("sequence", {
      type: "StateVersion",
      description: "Its place in the log. Never used twice; numbers of one session have holes.",
    }),
    sessionKey: t.exposeID("sessionKey", { description: "The session it happened to." }),
    agentId: t.exposeID("agentId", { description: "The agent of that session." }),
    sessionId: t.exposeID("sessionId", {
      nullable: true,
      description: "The incarnation of the session (a reset starts a new one), when the producer names it.",
    }),
    kind: t.expose("kind", { type: SessionEventKindEnum, description: "What happened." }),
    actorType: t.expose("actorType", { type: ActorTypeEnum, description: "What kind of actor did it." }),
    actorId: t.exposeID("actorId", { nullable: true, description: "Which one, when known; an agent's session key." }),
    runId: t.exposeID("runId", { nullable: true, description: "The run it belongs to, when there is one." }),
    outcome: t.expose("outcome", {
      type: RunOutcomeEnum,
      nullable: true,
      description: "Only for RUN_FAILED: how the run ended.",
    }),
    occurredAt: t.expose("occurredAt", {
      type: "DateTime",
      description: "When it happened, as the producer says. For reading only: the order is by `sequence`.",
    }),
    summary: t.exposeString("summary", { description: "One clean line of at most 280 characters." }),
    payload: t.expose("payload", {
      type: "JSONObject",
      nullable: true,
      description: "A flat object of at most 16 scalars.",
    }),
  }),
});

export const StateChangesRef = builder.objectRef<StateChanges>("StateChanges").implement({
  description: "What happened to one session after a version.",
  fields: (t) => ({
    events: t.expose("events", { type: [SessionStateEventRef], description: "In the order of their sequence." }),
    historyGap: t.exposeBoolean("historyGap", {
      description: "True when history after the asked version was pruned or deleted: refresh the whole session state.",
    }),
    truncated: t.exposeBoolean("truncated", {
      description: "True when more events follow: ask again with `nextChangesSince`.",
    }),
    nextChangesSince: t.expose("nextChangesSince", {
      type: "StateVersion",
      description:
        "The version to ask with next time: nothing is seen twice, nothing is missed, and a gap is told once. After a " +
        "delete it can be above `stateVersion`.",
    }),
  }),
});

const ActorInput = builder.inputType("ActorInput", {
  description: "Who did it.",
  fields: (t) => ({
    type: t.field({ type: ActorTypeEnum, required: true, description: "What kind of actor." }),
    id: t.id({ description: "Which one. A watcher is never told of what has its own key here." }),
  }),
});

const AppendInput = builder.inputType("AppendInput", {
  description: "One event to log.",
  fields: (t) => ({
    sessionKey: t.id({ required: true, description: "The session it happened to." }),
    agentId: t.id({ description: "Needed beside a bare key; must not contradict a key that names its agent." }),
    sessionId: t.id({ description: "The incarnation of the session, if you keep one." }),
    kind: t.field({ type: SessionEventKindEnum, required: true, description: "What happened." }),
    actor: t.field({ type: ActorInput, required: true, description: "Who did it." }),
    runId: t.id({ description: "The run it belongs to." }),
    outcome: t.field({ type: RunOutcomeEnum, description: "Required for RUN_FAILED." }),
    summary: t.string({
      description: "One line for people. It is cleaned and cut; absent, the kind's default is used.",
    }),
    payload: t.field({ type: "JSONObject", description: "A flat object of at most 16 scalars." }),
    dedupeKey: t.string({
      description: "Makes sending again safe: within one session, the same key is the same event.",
    }),
    occurredAt: t.field({ type: "DateTime", description: "When it happened, within the last 24 hours. Absent: now." }),
  }),
});

/** A dedupe key may name what somebody else has logged in a session that the viewer writes to and does not read. */
function isForeign({ duplicate, event }: AppendResult, { agents }: Viewer): boolean {
  if (!duplicate || event === null || agents === null || agents.has(event.agentId)) return false;
  return !agents.has(agentOf(event.actorId ?? "") ?? "");
}

const AppendPayload = builder.objectRef<AppendResult>("AppendPayload").implement({
  description: "What became of one event. With an event in it, that event is durable and visible to every later read.",
  fields: (t) => ({
    recorded: t.exposeBoolean("recorded", { description: "True when the event is in the log." }),
    duplicate: t.exposeBoolean("duplicate", {
      description: "True when `dedupeKey` named an event that is already in the log; `event` is that one.",
    }),
    reason: t.expose("reason", {
      type: NotRecordedReasonEnum,
      nullable: true,
      description: "Why it was not recorded.",
    }),
    event: t.field({
      type: SessionStateEventRef,
      nullable: true,
      description: "The event as logged.",
      resolve: (result, _args, { viewer }) => (isForeign(result, viewer) ? null : result.event),
    }),
  }),
});

builder.mutationFields((t) => ({
  append: t.field({
    type: AppendPayload,
    description: "Log one event. Best effort: when storage fails, the answer says so and no error reaches your turn.",
    args: { input: t.arg({ type: AppendInput, required: true, description: "The event." }) },
    resolve: (_root, { input }, { awareness }) => awareness.append(input),
  }),
  appendMany: t.field({
    type: [AppendPayload],
    description: "Log 1 to 500 events in order. One bad item refuses them all before anything is written.",
    args: { inputs: t.arg({ type: [AppendInput], required: true, description: "The events." }) },
    resolve: (_root, { inputs }, { awareness }) => awareness.appendMany(inputs),
  }),
}));
