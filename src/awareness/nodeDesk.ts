import type { LinkState, SourceState } from "../storage/links.js";
import type { NodeStart, NodeThread, NodeThreadName } from "../storage/nodes.js";
import type { UpstreamKind } from "../storage/records.js";

export type { NodeStart } from "../storage/nodes.js";

/** `STALE`: somebody else saved a check of this link, or it is gone; nothing was changed. */
export type SavedCheck = "SAVED" | "STALE" | "LINK_REMOVED";

/**
 * What a node may say of a source: digests, positions, counts and times. Where the file is stays with its machine: a
 * folder's name can tell what somebody works on.
 */
export type NodeSource = Omit<SourceState, "sourcePath">;

/** A sign of life, with what has changed in the node's catalog. Lists hold at most 500. */
export type NodeReport = {
  nodeId: string;
  /** SHA-256 that tells machines apart. */
  machineDigest: string;
  cadenceMs: number;
  /** Names a whole listing of the catalog, made by the node: 64 hex digits. */
  catalogId: string;
  threads: readonly NodeThread[];
  goneThreads: readonly NodeThreadName[];
  /** The last part of a whole listing: what is not in it has gone. */
  complete: boolean;
  /** Good checks that found nothing new. */
  quietLinkIds: readonly string[];
};
/** `catalogKnown` is false when the server does not have the listing that the report goes on from. */
export type NodeReportAnswer = { catalogKnown: boolean };

/** A link to check. Spans instead of times: the clocks of two machines differ. */
export type LinkOfNode = {
  id: number;
  revision: number;
  kind: UpstreamKind;
  threadId: string;
  checkedMsAgo: number | null;
  /** How long it still rests after checks that failed. */
  restMs: number | null;
};

export type LinkStateOfNode = NodeSource &
  Pick<LinkState, "id" | "revision" | "kind" | "threadId" | "missedChecks" | "failedChecks"> & { settledMsAgo: number };

export type NodeOutcome = "READ" | "UNCHANGED" | "GONE" | "UNREADABLE";
export type NodeStartFailure = "UNKNOWN_THREAD" | "NOT_A_PLAIN_FILE" | "UNREADABLE";

export type CheckOfNode = {
  nodeId: string;
  machineDigest: string;
  linkId: string;
  /** Of the state that the check started from. */
  revision: number;
  outcome: NodeOutcome;
  source?: NodeSource | null;
  turns: readonly { digest: string; at?: Date | null }[];
  skippedRows: number;
  unknownRows: number;
  /** There was not time enough for all there is to read. */
  more?: boolean;
  /** How long the link rests when it could not be read. */
  retryAfterMs: number;
  /** The node's own time when it sent this. */
  sentAt: Date;
};

export type StartOfNode = {
  nodeId: string;
  machineDigest: string;
  startId: string;
  source?: NodeSource | null;
  because?: NodeStartFailure | null;
};

/** What the monitor of another machine asks and reports (contract, section 9). */
export type NodeDesk = {
  /** Refuses a name under which another machine has reported within three of its cadences. */
  reportNode(report: NodeReport): Promise<NodeReportAnswer>;
  /** Adoptions that wait for this node. */
  nodeStarts(nodeId: string): Promise<NodeStart[]>;
  /** Its links whose session somebody watches, by id. */
  nodeLinks(nodeId: string, page: { first?: number | null; after?: string | null }): Promise<LinkOfNode[]>;
  /** Null when the link is gone. */
  nodeLink(nodeId: string, id: string): Promise<LinkStateOfNode | null>;
  /**
   * Saves position and event in one transaction, or nothing if somebody else saved a check of the link meanwhile.
   * Refuses another machine than the one that reports under this name.
   */
  reportCheck(check: CheckOfNode): Promise<SavedCheck>;
  /** `taken` is false when another answered first, or nobody waits. Refuses another machine. */
  reportStart(start: StartOfNode): Promise<{ taken: boolean }>;
};
