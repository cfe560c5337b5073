import type {
  AcknowledgeOutcome,
  AcknowledgeResult,
  NoticeDelivery,
  StaleNotice,
  WatchRecord,
} from "../awareness/awareness.js";
import { type NoticeLocale, noticeText } from "../awareness/noticeText.js";
import { staleNotices } from "../awareness/staleNotice.js";
import { builder, describedEnum } from "./builder.js";
import { WatchRef } from "./watches.js";

const NoticeDeliveryEnum = describedEnum<NoticeDelivery>("NoticeDelivery", "When a notice should reach its watcher.", {
  IMMEDIATE: "Wakes the watcher now (main sessions).",
  NEXT_TURN: "Waits for the watcher's next turn (nested sub-agents).",
});

const NoticeLocaleEnum = describedEnum<NoticeLocale>("NoticeLocale", "The language of a notice.", {
  EN: "English.",
  ES: "Spanish.",
  PT_BR: "Brazilian Portuguese.",
  RU: "Russian.",
});

const AcknowledgeOutcomeEnum = describedEnum<AcknowledgeOutcome>("AcknowledgeOutcome", "What an acknowledgement met.", {
  ACKNOWLEDGED: "The notice was pending and is acknowledged now.",
  ALREADY_ACKNOWLEDGED: "It had been acknowledged before.",
  UNKNOWN: "No notice of this watcher has this id, or the watch it belonged to is gone.",
});

const StaleNoticeRef = builder.objectRef<StaleNotice>("StaleNotice").implement({
  description: "One line for a watcher: the target changed. There is never more than one pending per pair.",
  fields: (t) => ({
    id: t.exposeID("id", {
      description:
        "Names this notice exactly: the pair and the frozen position. Acknowledging an old id never touches a newer notice.",
    }),
    watcherSessionKey: t.exposeID("watcherSessionKey", { description: "The session to be told." }),
    targetSessionKey: t.exposeID("targetSessionKey", { description: "The session that changed." }),
    targetAgentId: t.exposeID("targetAgentId", { description: "The agent of the session that changed." }),
    changesSince: t.expose("changesSince", {
      type: "StateVersion",
      description: "Ask `sessionStatus` with this version to read exactly what happened.",
    }),
    notified: t.expose("notified", { type: "StateVersion", description: "The position that acknowledging moves to." }),
    delivery: t.expose("delivery", { type: NoticeDeliveryEnum, description: "When it should reach the watcher." }),
    openedAt: t.expose("openedAt", { type: "DateTime", description: "When the notice opened." }),
    text: t.string({
      description: "One line for the watcher's prompt. Not a byte of it changes while the notice is pending.",
      args: { locale: t.arg({ type: NoticeLocaleEnum, defaultValue: "EN", description: "The language." }) },
      resolve: (notice, { locale }) => noticeText(locale ?? "EN", notice),
    }),
  }),
});

builder.objectField(WatchRef, "notice", (t) =>
  t.field({
    type: StaleNoticeRef,
    nullable: true,
    description: "The pending notice of this pair; null while nothing is pending.",
    resolve: (watch) => staleNotices([watch])[0] ?? null,
  }),
);

const DrainNoticesInput = builder.inputType("DrainNoticesInput", {
  description: "Whose notices to take, and how many.",
  fields: (t) => ({
    watcherSessionKey: t.id({ required: true, description: "The watcher." }),
    limit: t.int({ description: "At most this many, oldest first. Default 50." }),
  }),
});
const DrainNoticesPayload = builder
  .objectRef<{ notices: StaleNotice[]; remaining: number }>("DrainNoticesPayload")
  .implement({
    description: "The notices taken. They are acknowledged.",
    fields: (t) => ({
      notices: t.expose("notices", { type: [StaleNoticeRef], description: "Oldest first." }),
      remaining: t.exposeInt("remaining", { description: "How many are still pending, new ones included." }),
    }),
  });

const AcknowledgeNoticesInput = builder.inputType("AcknowledgeNoticesInput", {
  description: "Which notices have been dealt with.",
  fields: (t) => ({
    watcherSessionKey: t.id({ required: true, description: "The watcher." }),
    noticeIds: t.idList({ required: true, description: "The notices, by id." }),
  }),
});
const AcknowledgeResultRef = builder.objectRef<AcknowledgeResult>("AcknowledgeResult").implement({
  description: "What became of one acknowledgement.",
  fields: (t) => ({
    noticeId: t.exposeID("noticeId", { description: "The id as it was given." }),
    outcome: t.expose("outcome", { type: AcknowledgeOutcomeEnum, description: "What the acknowledgement met." }),
    reopened: t.expose("reopened", {
      type: StaleNoticeRef,
      nullable: true,
      description: "The notice that opened in its place, when more had happened meanwhile.",
    }),
  }),
});
const AcknowledgeNoticesPayload = builder
  .objectRef<{ results: AcknowledgeResult[] }>("AcknowledgeNoticesPayload")
  .implement({
    description: "One result for each id, in their order.",
    fields: (t) => ({ results: t.expose("results", { type: [AcknowledgeResultRef], description: "The results." }) }),
  });

const ReconcileInput = builder.inputType("ReconcileInput", {
  description: "How far a watcher has read by itself.",
  fields: (t) => ({
    watcherSessionKey: t.id({ required: true, description: "The watcher." }),
    targetSessionKey: t.id({ required: true, description: "The target." }),
    targetAgentId: t.id({ description: "The target's agent; needed beside a bare key." }),
    upTo: t.field({ type: "StateVersion", required: true, description: "The last version the watcher has seen." }),
  }),
});
const ReconcilePayload = builder.objectRef<{ watch: WatchRecord | null }>("ReconcilePayload").implement({
  description: "The watch after reconciling.",
  fields: (t) => ({
    watch: t.expose("watch", { type: WatchRef, nullable: true, description: "Null when the pair is not watched." }),
  }),
});

builder.queryField("pendingNotices", (t) =>
  t.field({
    type: [StaleNoticeRef],
    description: "What the next drain would return. Changes nothing.",
    args: {
      watcherSessionKey: t.arg.id({ required: true, description: "The watcher." }),
      limit: t.arg.int({ defaultValue: 50, description: "At most this many, oldest first." }),
    },
    resolve: (_root, args, { awareness }) => awareness.pendingNotices(args),
  }),
);

builder.mutationFields((t) => ({
  drainNotices: t.field({
    type: DrainNoticesPayload,
    description: "Take a watcher's pending notices into its turn. Exactly those returned are acknowledged.",
    args: { input: t.arg({ type: DrainNoticesInput, required: true, description: "Whose." }) },
    resolve: (_root, { input }, { awareness }) => awareness.drainNotices(input),
  }),
  acknowledgeNotices: t.field({
    type: AcknowledgeNoticesPayload,
    description: "Acknowledge notices by id, for a watcher that was told by subscription.",
    args: { input: t.arg({ type: AcknowledgeNoticesInput, required: true, description: "Which." }) },
    resolve: (_root, { input }, { awareness }) => awareness.acknowledgeNotices(input),
  }),
  reconcile: t.field({
    type: ReconcilePayload,
    description: "Say that a watcher has read up to a version, so that it is not told again of what it knows.",
    args: { input: t.arg({ type: ReconcileInput, required: true, description: "How far." }) },
    resolve: (_root, { input }, { awareness }) => awareness.reconcile(input),
  }),
}));

builder.subscriptionField("staleNotice", (t) =>
  t.field({
    type: StaleNoticeRef,
    description:
      "What is pending first, then every notice as it opens. Being told acknowledges nothing. Without a watcher: all of them (whoever may read everything).",
    args: { watcherSessionKey: t.arg.id({ description: "The watcher; absent for all." }) },
    subscribe: (_root, { watcherSessionKey }, { awareness }) => awareness.subscribe(watcherSessionKey ?? null),
    resolve: (notice) => notice,
  }),
);
