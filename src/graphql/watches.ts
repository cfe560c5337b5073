import type { WatchOrigin, WatchRecord, WatchRefusal, WatchResult } from "../awareness/awareness.js";
import { builder, describedEnum, toConnection } from "./builder.js";

const WatchOriginEnum = describedEnum<WatchOrigin>("WatchOrigin", "How a watch came to be.", {
  SPAWN: "The watcher spawned the target.",
  EXPLICIT: "Somebody asked for it.",
});

const WatchRefusalEnum = describedEnum<WatchRefusal>("WatchRefusal", "Why a watch was not started.", {
  SELF: "A session does not watch itself.",
  WATCHER_NOT_AGENT_QUALIFIED: "Only a session with a key of the form `agent:<agentId>:<rest>` can watch.",
});

export const WatchRef = builder.objectRef<WatchRecord>("Watch").implement({
  description: "One session watching another. Notices are derived from its three positions and from nothing else.",
  fields: (t) => ({
    watcherSessionKey: t.exposeID("watcherSessionKey", { description: "The session that watches." }),
    targetSessionKey: t.exposeID("targetSessionKey", { description: "The session watched." }),
    targetAgentId: t.exposeID("targetAgentId", { description: "The agent of the session watched." }),
    origin: t.expose("origin", { type: WatchOriginEnum, description: "How the watch came to be." }),
    lastSeen: t.expose("lastSeen", { type: "StateVersion", description: "What the watcher has acknowledged." }),
    notified: t.expose("notified", {
      type: "StateVersion",
      description: "What the pending notice covers; it stands still while the notice is pending.",
    }),
    material: t.expose("material", {
      type: "StateVersion",
      description: "The last event that notifies and was not caused by the watcher itself.",
    }),
    pending: t.boolean({
      description: "True while a notice waits to be acknowledged.",
      resolve: (watch) => watch.notified > watch.lastSeen,
    }),
    updatedAt: t.expose("updatedAt", { type: "DateTime", description: "When one of the positions last moved." }),
  }),
});

const WatchConnection = builder.connectionObject(
  { type: WatchRef, name: "WatchConnection", description: "A page of watches." },
  { name: "WatchEdge", description: "A watch and its place in the list." },
);

const WatchInput = builder.inputType("WatchInput", {
  description: "Names a pair of watcher and target.",
  fields: (t) => ({
    watcherSessionKey: t.id({ required: true, description: "The session that watches." }),
    targetSessionKey: t.id({ required: true, description: "The session to watch." }),
    targetAgentId: t.id({ description: "The target's agent; needed beside a bare key." }),
  }),
});

const WatchPayload = builder.objectRef<WatchResult>("WatchPayload").implement({
  description: "Whether the watch stands.",
  fields: (t) => ({
    watched: t.exposeBoolean("watched", { description: "True also when it stood before; then nothing was touched." }),
    reason: t.expose("reason", { type: WatchRefusalEnum, nullable: true, description: "Why it does not stand." }),
    watch: t.expose("watch", { type: WatchRef, nullable: true, description: "The watch." }),
  }),
});
const UnwatchPayload = builder.objectRef<{ removed: boolean }>("UnwatchPayload").implement({
  description: "Whether there was a watch to end.",
  fields: (t) => ({ removed: t.exposeBoolean("removed", { description: "False when the pair was not watched." }) }),
});

builder.queryFields((t) => ({
  watches: t.field({
    type: WatchConnection,
    description: "Who watches whom.",
    args: {
      watcherSessionKey: t.arg.id({ description: "Only what this session watches." }),
      targetSessionKey: t.arg.id({ description: "Only watches on this session." }),
      targetAgentId: t.arg.id({ description: "Only watches on sessions of this agent." }),
      pending: t.arg.boolean({ description: "Only watches with a notice pending, or (false) only those without." }),
      first: t.arg.int({ defaultValue: 50, description: "At most this many, 1 to 200." }),
      after: t.arg.string({ description: "Read on behind this cursor." }),
    },
    resolve: async (_root, args, { awareness }) => toConnection(await awareness.watches(args), args.after),
  }),
}));

builder.mutationFields((t) => ({
  watch: t.field({
    type: WatchPayload,
    description: "Watch a session from its present version on: what happened before never notifies.",
    args: { input: t.arg({ type: WatchInput, required: true, description: "The pair." }) },
    resolve: (_root, { input }, { awareness }) => awareness.watch(input),
  }),
  unwatch: t.field({
    type: UnwatchPayload,
    description: "Stop watching. A pending notice of the pair goes with the watch.",
    args: { input: t.arg({ type: WatchInput, required: true, description: "The pair." }) },
    resolve: (_root, { input }, { awareness }) => awareness.unwatch(input),
  }),
}));
