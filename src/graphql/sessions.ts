import type { CountedSession, SessionOrder, SessionRecord, SessionStatus } from "../awareness/awareness.js";
import { builder, describedEnum, toConnection } from "./builder.js";
import { SessionStateEventRef, StateChangesRef } from "./events.js";
import { countsOf } from "./sessionCounts.js";
import { UpstreamLinkRef } from "./upstreamLink.js";

export const SessionRef = builder.objectRef<CountedSession>("Session").implement({
  description: "One conversation of one agent. Key and agent together are its identity.",
  fields: (t) => ({
    sessionKey: t.exposeID("sessionKey", { description: "`agent:<agentId>:<rest>`, or a bare key such as `global`." }),
    agentId: t.exposeID("agentId", { description: "The agent whose session this is." }),
    label: t.exposeString("label", { nullable: true, description: "A name for people." }),
    spawnedBy: t.exposeID("spawnedBy", { nullable: true, description: "The session that spawned this one, if any." }),
    stateVersion: t.expose("stateVersion", {
      type: "StateVersion",
      nullable: true,
      description: "The highest sequence logged. Null until something has been logged for this session.",
    }),
    upstream: t.expose("upstream", {
      type: UpstreamLinkRef,
      nullable: true,
      description: "Its source in another tool; null when it was not adopted, or its source has gone.",
    }),
    watcherCount: t.int({
      description: "How many sessions watch this one.",
      resolve: async (session, _args, context) => (await countsOf(session, context)).watchers,
    }),
    pendingWatcherCount: t.int({
      description: "How many of its watchers have a notice about it pending.",
      resolve: async (session, _args, context) => (await countsOf(session, context)).staleWatchers,
    }),
    pendingCount: t.int({
      description: "How many notices wait for this session, as the watcher.",
      resolve: async (session, _args, context) => (await countsOf(session, context)).pending,
    }),
    createdAt: t.expose("createdAt", {
      type: "DateTime",
      description: "When it was first registered, logged or watched.",
    }),
    updatedAt: t.expose("updatedAt", { type: "DateTime", description: "When this entry last changed." }),
  }),
});

const SessionOrderEnum = describedEnum<SessionOrder>("SessionOrder", "In which order sessions are listed.", {
  KEY: "By key and agent. No change disturbs this order, so paging misses nobody.",
  LAST_CHANGE:
    "The last changed first. A session that changes while somebody pages moves to the front, where `sessionChanged` tells of it.",
});

const SessionConnection = builder.connectionObject(
  { type: SessionRef, name: "SessionConnection", description: "A page of sessions." },
  { name: "SessionEdge", description: "A session and its place in the list." },
);

const SessionStatusRef = builder.objectRef<SessionStatus>("SessionStatus").implement({
  description: "Where a session stands, read at one moment.",
  fields: (t) => ({
    sessionKey: t.exposeID("sessionKey", { description: "The session asked for." }),
    agentId: t.exposeID("agentId", { description: "Its agent." }),
    session: t.expose("session", {
      type: SessionRef,
      nullable: true,
      description: "Its entry; null when it was never registered, logged or watched.",
    }),
    stateVersion: t.expose("stateVersion", { type: "StateVersion", description: "0 when nothing has been logged." }),
    prunedUpTo: t.expose("prunedUpTo", {
      type: "StateVersion",
      description: "The highest version whose event was pruned; 0 when none was. History before it is incomplete.",
    }),
    latestEvents: t.field({
      type: [SessionStateEventRef],
      description: "The last events up to `stateVersion`, ascending.",
      args: { limit: t.arg.int({ defaultValue: 50, description: "At most this many, 1 to 200." }) },
      resolve: (status, { limit }, { awareness }) =>
        awareness.latestEvents(status, { upTo: status.stateVersion, limit }),
    }),
    stateChanges: t.expose("stateChanges", {
      type: StateChangesRef,
      nullable: true,
      description: "Null unless `changesSince` was given.",
    }),
  }),
});

const SessionInput = builder.inputType("SessionInput", {
  description: "Names a session.",
  fields: (t) => ({
    sessionKey: t.id({ required: true, description: "Its key." }),
    agentId: t.id({ description: "Its agent; needed beside a bare key." }),
  }),
});

const RegisterSessionInput = builder.inputType("RegisterSessionInput", {
  description: "Names a session and says more about it.",
  fields: (t) => ({
    sessionKey: t.id({ required: true, description: "Its key." }),
    agentId: t.id({ description: "Its agent; needed beside a bare key." }),
    label: t.string({ description: "A name for people." }),
    spawnedBy: t.id({ description: "The key of the session that spawned it." }),
  }),
});

const RegisterSessionPayload = builder.objectRef<{ session: SessionRecord }>("RegisterSessionPayload").implement({
  description: "The session as it is now listed.",
  fields: (t) => ({ session: t.expose("session", { type: SessionRef, description: "The entry." }) }),
});
const ResetSessionPayload = builder.objectRef<{ watchesRemoved: number }>("ResetSessionPayload").implement({
  description: "What a reset ended.",
  fields: (t) => ({
    watchesRemoved: t.exposeInt("watchesRemoved", { description: "How many of the session's own watches ended." }),
  }),
});
const DeleteSessionPayload = builder.objectRef<{ deleted: boolean }>("DeleteSessionPayload").implement({
  description: "Whether there was anything to delete.",
  fields: (t) => ({ deleted: t.exposeBoolean("deleted", { description: "False when no such session was known." }) }),
});

builder.queryFields((t) => ({
  sessionStatus: t.field({
    type: SessionStatusRef,
    description: "Where a session stands and, with `changesSince`, exactly what happened to it after that version.",
    args: {
      sessionKey: t.arg.id({ required: true, description: "The session's key." }),
      agentId: t.arg.id({ description: "Its agent; needed beside a bare key." }),
      changesSince: t.arg({ type: "StateVersion", description: "The last version you have seen; 0 for all there is." }),
      first: t.arg.int({ defaultValue: 200, description: "At most this many events, 1 to 200." }),
    },
    resolve: (_root, args, { awareness }) => awareness.sessionStatus(args),
  }),
  sessionsList: t.field({
    type: SessionConnection,
    description: "The sessions that have been registered, logged or watched.",
    args: {
      agentId: t.arg.id({ description: "Only those of this agent." }),
      search: t.arg.string({ description: "Only those with this text in their key or label." }),
      orderBy: t.arg({ type: SessionOrderEnum, defaultValue: "KEY", description: "In which order." }),
      first: t.arg.int({ defaultValue: 50, description: "At most this many, 1 to 200." }),
      after: t.arg.string({ description: "Read on behind this cursor." }),
    },
    resolve: async (_root, args, { awareness }) => toConnection(await awareness.sessionsList(args), args.after),
  }),
}));

builder.mutationFields((t) => ({
  registerSession: t.field({
    type: RegisterSessionPayload,
    description: "List a session before anything happens to it, or give it a label.",
    args: { input: t.arg({ type: RegisterSessionInput, required: true, description: "The session." }) },
    resolve: async (_root, { input }, { awareness }) => ({ session: await awareness.registerSession(input) }),
  }),
  resetSession: t.field({
    type: ResetSessionPayload,
    description: "The session starts anew: its own watches end; its history and the watches on it stay.",
    args: { input: t.arg({ type: SessionInput, required: true, description: "The session." }) },
    resolve: (_root, { input }, { awareness }) => awareness.resetSession(input),
  }),
  deleteSession: t.field({
    type: DeleteSessionPayload,
    description: "Forget a session: its events and every watch by it or on it.",
    args: { input: t.arg({ type: SessionInput, required: true, description: "The session." }) },
    resolve: (_root, { input }, { awareness }) => awareness.deleteSession(input),
  }),
}));
