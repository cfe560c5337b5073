import type { SessionChange } from "../awareness/awareness.js";
import { builder, describedEnum } from "./builder.js";
import { SessionRef } from "./sessions.js";

const SessionChangeKindEnum = describedEnum<SessionChange["kind"]>(
  "SessionChangeKind",
  "What a follower of sessions is told.",
  {
    READ_AGAIN:
      "Read the list now; nothing that happens from here on is missed. Comes first, and whenever more has changed than can be named.",
    CHANGED: "The session, or a count of it, changed.",
    DELETED: "The session is no longer listed.",
  },
);

const SessionChangeRef = builder.objectRef<SessionChange>("SessionChange").implement({
  description: "One session that changed, as it is when it is told: however often it changed, only the newest is.",
  fields: (t) => ({
    kind: t.expose("kind", { type: SessionChangeKindEnum, description: "What happened." }),
    sessionKey: t.exposeID("sessionKey", { nullable: true, description: "Its key; null for `READ_AGAIN`." }),
    agentId: t.exposeID("agentId", { nullable: true, description: "Its agent; null for `READ_AGAIN`." }),
    session: t.expose("session", {
      type: SessionRef,
      nullable: true,
      description: "Its entry; null unless it `CHANGED`.",
    }),
  }),
});

builder.subscriptionField("sessionChanged", (t) =>
  t.field({
    type: SessionChangeRef,
    description:
      "Sessions as they change: events, watches, notices, labels, sources. At most one undelivered change per session and subscriber, so a slow reader loses nothing but what is outdated. Begins with `READ_AGAIN`.",
    args: { agentId: t.arg.id({ description: "Only sessions of this agent." }) },
    subscribe: (_root, args, { awareness }) => awareness.sessionChanges(args),
    resolve: (change) => change,
  }),
);
