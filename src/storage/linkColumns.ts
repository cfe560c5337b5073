import { silentFrom } from "./nodes.js";
import type { UpstreamKind, UpstreamLinkRecord } from "./records.js";
import { sql, toDate, toDateOrNull, toNumber } from "./sql.js";

/** The largest count that is shown: GraphQL's Int ends there. */
export const countMax = 2_147_483_647;

/** What is shown of a link, as columns beside those of its session `s`. */

export type LinkColumns = {
  linkKind: UpstreamKind | null;
  linkNodeId: string;
  linkThreadId: string;
  linkMissed: unknown;
  linkFailed: unknown;
  linkSkipped: unknown;
  linkUnknown: unknown;
  linkNextCheckAt: unknown;
  linkCheckedAt: unknown;
  nodeSeenAt: unknown;
  nodeCadenceMs: unknown;
};

export const linkColumns = sql`u.kind AS "linkKind", u.node_id AS "linkNodeId", u.thread_id AS "linkThreadId",
    u.missed_checks AS "linkMissed", u.failed_checks AS "linkFailed", u.skipped_rows AS "linkSkipped",
    u.unknown_rows AS "linkUnknown", u.next_check_at AS "linkNextCheckAt", u.last_checked_at AS "linkCheckedAt",
    un.seen_at AS "nodeSeenAt", un.cadence_ms AS "nodeCadenceMs"`;
export const joinLink = sql`LEFT JOIN upstream_links AS u ON u.session_key = s.session_key AND u.agent_id = s.agent_id
  LEFT JOIN upstream_nodes AS un ON un.node_id = u.node_id`;

export function toUpstreamLink(row: LinkColumns): UpstreamLinkRecord | null {
  if (row.linkKind === null) return null;
  return {
    kind: row.linkKind,
    nodeId: row.linkNodeId,
    threadId: row.linkThreadId,
    missedChecks: toNumber(row.linkMissed),
    failedChecks: toNumber(row.linkFailed),
    skippedRows: Math.min(toNumber(row.linkSkipped), countMax),
    unknownRows: Math.min(toNumber(row.linkUnknown), countMax),
    nextCheckAt: toDateOrNull(row.linkNextCheckAt),
    lastCheckedAt: toDateOrNull(row.linkCheckedAt),
    nodeSilentFrom:
      row.nodeSeenAt === null
        ? null
        : silentFrom({ seenAt: toDate(row.nodeSeenAt), cadenceMs: toNumber(row.nodeCadenceMs) }),
  };
}
