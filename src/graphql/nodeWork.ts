import type { LinkOfNode, LinkStateOfNode, NodeStart } from "../awareness/nodeDesk.js";
import { builder } from "./builder.js";
import { UpstreamKindEnum } from "./upstreamLink.js";

/** What `headsup node` on another machine asks: what there is to do for it. */

const NodeStartRef = builder.objectRef<NodeStart>("NodeStart").implement({
  description: "An adoption that waits for the node to say where its thread ends.",
  fields: (t) => ({
    id: t.id({ description: "Names it for `reportStart`.", resolve: ({ id }) => String(id) }),
    kind: t.expose("kind", { type: UpstreamKindEnum, description: "The tool." }),
    threadId: t.exposeID("threadId", { description: "The tool's name for the thread." }),
  }),
});

const NodeLinkRef = builder.objectRef<LinkOfNode>("NodeLink").implement({
  description: "A link of a node whose session somebody watches. Spans instead of times: two clocks differ.",
  fields: (t) => ({
    id: t.id({ description: "Names the link.", resolve: ({ id }) => String(id) }),
    revision: t.exposeInt("revision", { description: "Moves with every saved check." }),
    kind: t.expose("kind", { type: UpstreamKindEnum, description: "The tool." }),
    threadId: t.exposeID("threadId", { description: "The tool's name for the thread." }),
    checkedMsAgo: t.exposeFloat("checkedMsAgo", { nullable: true, description: "Null until the first check." }),
    restMs: t.exposeFloat("restMs", {
      nullable: true,
      description: "Not to be checked before this has passed, unless its file changes: checks keep failing.",
    }),
  }),
});

const NodeLinkStateRef = builder.objectRef<LinkStateOfNode>("NodeLinkState").implement({
  description: "How far a link has been read, as its node has reported it.",
  fields: (t) => ({
    id: t.id({ description: "Names the link.", resolve: ({ id }) => String(id) }),
    revision: t.exposeInt("revision", { description: "To be handed back with what the check finds." }),
    kind: t.expose("kind", { type: UpstreamKindEnum, description: "The tool." }),
    threadId: t.exposeID("threadId", { description: "The tool's name for the thread." }),
    position: t.exposeFloat("position", { description: "Bytes read." }),
    fileIdentity: t.exposeString("fileIdentity", { description: "Device and inode of the file." }),
    headDigest: t.exposeString("headDigest", { description: "SHA-256 of the first bytes." }),
    tailDigest: t.exposeString("tailDigest", { description: "SHA-256 of the last bytes before the position." }),
    knownTurns: t.exposeString("knownTurns", {
      description: "Short digests of the turns that are known, as JSON.",
    }),
    readerState: t.exposeString("readerState", { description: "What the node's reader carries on, as JSON." }),
    missedChecks: t.exposeInt("missedChecks", { description: "Consecutive checks that did not find the source." }),
    failedChecks: t.exposeInt("failedChecks", { description: "Consecutive checks that could not read it." }),
    settledMsAgo: t.exposeFloat("settledMsAgo", {
      description: "Since the last good check or, before that, the adoption.",
    }),
  }),
});

const NodeWorkRef = builder.objectRef<{ nodeId: string }>("NodeWork").implement({
  description: "What there is to do for a node.",
  fields: (t) => ({
    starts: t.field({
      type: [NodeStartRef],
      description: "Adoptions that wait for it.",
      resolve: ({ nodeId }, _args, { awareness }) => awareness.nodeStarts(nodeId),
    }),
    links: t.field({
      type: [NodeLinkRef],
      description: "Its links whose session somebody watches, by id.",
      args: {
        first: t.arg.int({ defaultValue: 200, description: "At most this many, 1 to 500." }),
        after: t.arg.id({ description: "Only links with a higher id." }),
      },
      resolve: ({ nodeId }, args, { awareness }) => awareness.nodeLinks(nodeId, args),
    }),
    link: t.field({
      type: NodeLinkStateRef,
      nullable: true,
      description: "One of its links; null when it is gone.",
      args: { id: t.arg.id({ required: true, description: "The link." }) },
      resolve: ({ nodeId }, { id }, { awareness }) => awareness.nodeLink(nodeId, id),
    }),
  }),
});

builder.queryFields((t) => ({
  nodeWork: t.field({
    type: NodeWorkRef,
    description: "For `headsup node`: what there is to do on another machine.",
    args: { nodeId: t.arg.id({ required: true, description: "The node." }) },
    resolve: (_root, { nodeId }) => ({ nodeId }),
  }),
}));
