import type { NodeOutcome, NodeReportAnswer, NodeStartFailure, SavedCheck } from "../awareness/nodeDesk.js";
import { builder, describedEnum } from "./builder.js";
import { UpstreamKindEnum } from "./upstreamLink.js";

/** What `headsup node` on another machine reports: digests, positions, counts and times, never content. */

const NodeOutcomeEnum = describedEnum<NodeOutcome>("NodeOutcome", "What one check of a source found.", {
  READ: "It was read up to a new position.",
  UNCHANGED: "There is nothing to read.",
  GONE: "It is certainly not there.",
  UNREADABLE: "It is there, or perhaps there, but cannot be read now.",
});

const NodeStartFailureEnum = describedEnum<NodeStartFailure>("NodeStartFailure", "Why a thread cannot be adopted.", {
  UNKNOWN_THREAD: "There is no such thread.",
  NOT_A_PLAIN_FILE: "It is not a plain file below the tool's folder.",
  UNREADABLE: "It cannot be read now.",
});

const SavedCheckEnum = describedEnum<SavedCheck>("SavedCheck", "What became of a check.", {
  SAVED: "Position and event are saved.",
  STALE: "Somebody else saved a check of the link meanwhile, or it is gone: nothing was changed.",
  LINK_REMOVED: "The source was gone for the third time in a row: the link is removed.",
});

const NodeThreadInput = builder.inputType("NodeThreadInput", {
  description: "A thread in a node's catalog.",
  fields: (t) => ({
    kind: t.field({ type: UpstreamKindEnum, required: true, description: "The tool." }),
    threadId: t.id({ required: true, description: "The tool's name for it." }),
    updatedAt: t.field({ type: "DateTime", required: true, description: "When its file was last written." }),
  }),
});

const NodeThreadNameInput = builder.inputType("NodeThreadNameInput", {
  description: "Names a thread of a node.",
  fields: (t) => ({
    kind: t.field({ type: UpstreamKindEnum, required: true, description: "The tool." }),
    threadId: t.id({ required: true, description: "The tool's name for it." }),
  }),
});

const ReportNodeInput = builder.inputType("ReportNodeInput", {
  description: "A sign of life, and what has changed in the node's catalog. Each list holds at most 500.",
  fields: (t) => ({
    nodeId: t.id({ required: true, description: "The node's name: letters, digits, _ and -." }),
    machineDigest: t.string({ required: true, description: "SHA-256 that tells machines apart." }),
    cadenceMs: t.int({ required: true, description: "How often it reports; silent for three of these is silent." }),
    catalogId: t.string({ required: true, description: "Names a whole listing of its catalog: 64 hex digits." }),
    threads: t.field({ type: [NodeThreadInput], required: true, description: "Threads that are new or were written." }),
    goneThreads: t.field({ type: [NodeThreadNameInput], required: true, description: "Threads that are gone." }),
    complete: t.boolean({ required: true, description: "The last part of a whole listing: nothing else is there." }),
    quietLinkIds: t.idList({ required: true, description: "Links whose check was good and found nothing new." }),
  }),
});

const NodeSourceInput = builder.inputType("NodeSourceInput", {
  description: "How far a source has been read: as in `NodeLinkState`.",
  fields: (t) => ({
    position: t.float({ required: true, description: "Bytes read." }),
    fileIdentity: t.string({ required: true, description: "Device and inode of the file." }),
    headDigest: t.string({ required: true, description: "SHA-256 of the first bytes." }),
    tailDigest: t.string({ required: true, description: "SHA-256 of the last bytes before the position." }),
    knownTurns: t.string({ required: true, description: "Short digests of the turns that are known, as JSON." }),
    readerState: t.string({ required: true, description: "Numbers, digests and yes or no, as JSON." }),
  }),
});

const NodeTurnInput = builder.inputType("NodeTurnInput", {
  description: "Something a person typed. Its text is never sent.",
  fields: (t) => ({
    digest: t.string({ required: true, description: "SHA-256 of the normalised text, as for `noteOwnPrompt`." }),
    at: t.field({ type: "DateTime", description: "When, as its record says." }),
  }),
});

const ReportCheckInput = builder.inputType("ReportCheckInput", {
  description: "What one check of a source found.",
  fields: (t) => ({
    nodeId: t.id({ required: true, description: "The node." }),
    machineDigest: t.string({ required: true, description: "As in the node's last report." }),
    linkId: t.id({ required: true, description: "The link." }),
    revision: t.int({ required: true, description: "Of the state that the check started from." }),
    outcome: t.field({ type: NodeOutcomeEnum, required: true, description: "What was found." }),
    source: t.field({ type: NodeSourceInput, description: "How far it is read now; with READ." }),
    turns: t.field({ type: [NodeTurnInput], defaultValue: [], description: "The person's turns that are news." }),
    skippedRows: t.int({ defaultValue: 0, description: "Rows passed over because they could not be read." }),
    unknownRows: t.int({ defaultValue: 0, description: "Records of a kind that the node does not know." }),
    more: t.boolean({ defaultValue: false, description: "There was not time enough for all there is to read." }),
    retryAfterMs: t.float({ defaultValue: 0, description: "How long the link rests; with UNREADABLE." }),
    sentAt: t.field({ type: "DateTime", required: true, description: "The node's own time when it sent this." }),
  }),
});

const ReportStartInput = builder.inputType("ReportStartInput", {
  description: "Where a thread ends now, or why it cannot be adopted: one of the two.",
  fields: (t) => ({
    nodeId: t.id({ required: true, description: "The node." }),
    machineDigest: t.string({ required: true, description: "As in the node's last report." }),
    startId: t.id({ required: true, description: "The adoption that waits." }),
    source: t.field({ type: NodeSourceInput, description: "The present end." }),
    because: t.field({ type: NodeStartFailureEnum, description: "Why not." }),
  }),
});

const ReportNodePayload = builder.objectRef<NodeReportAnswer>("ReportNodePayload").implement({
  description: "Whether the report could be used.",
  fields: (t) => ({
    catalogKnown: t.exposeBoolean("catalogKnown", {
      description: "False when the server does not have the listing that it goes on from: list everything anew.",
    }),
  }),
});
const ReportCheckPayload = builder.objectRef<{ saved: SavedCheck }>("ReportCheckPayload").implement({
  description: "What became of the check.",
  fields: (t) => ({ saved: t.expose("saved", { type: SavedCheckEnum, description: "What was done." }) }),
});
const ReportStartPayload = builder.objectRef<{ taken: boolean }>("ReportStartPayload").implement({
  description: "What became of the answer.",
  fields: (t) => ({
    taken: t.exposeBoolean("taken", { description: "False when another answered first, or nobody waits." }),
  }),
});

builder.mutationFields((t) => ({
  reportNode: t.field({
    type: ReportNodePayload,
    description: "For `headsup node`: a sign of life, and what has changed in its catalog.",
    args: { input: t.arg({ type: ReportNodeInput, required: true, description: "The report." }) },
    resolve: (_root, { input }, { awareness }) => awareness.reportNode(input),
  }),
  reportCheck: t.field({
    type: ReportCheckPayload,
    description: "For `headsup node`: what a check found. The same report again changes nothing.",
    args: { input: t.arg({ type: ReportCheckInput, required: true, description: "The check." }) },
    resolve: async (_root, { input }, { awareness }) => {
      const { turns, skippedRows, unknownRows, more, retryAfterMs, ...check } = input;
      const counts = { skippedRows: skippedRows ?? 0, unknownRows: unknownRows ?? 0, retryAfterMs: retryAfterMs ?? 0 };
      return { saved: await awareness.reportCheck({ ...check, ...counts, more: more ?? false, turns: turns ?? [] }) };
    },
  }),
  reportStart: t.field({
    type: ReportStartPayload,
    description: "For `headsup node`: where a thread ends that is being adopted.",
    args: { input: t.arg({ type: ReportStartInput, required: true, description: "The answer." }) },
    resolve: (_root, { input }, { awareness }) => awareness.reportStart(input),
  }),
}));
