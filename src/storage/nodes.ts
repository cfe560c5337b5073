import { clampedTime } from "../clock.js";
import type { CatalogThread, UpstreamKind, UpstreamSource } from "./records.js";
import { nothing, type Statements, sql, toDate, toNumber } from "./sql.js";

/** The tables `upstream_nodes`, `upstream_node_threads` and `upstream_node_starts`: machines that report to this one. */

export type NodeRecord = { nodeId: string; machineDigest: string; cadenceMs: number; catalogId: string; seenAt: Date };
export type NodeThread = { kind: UpstreamKind; threadId: string; updatedAt: Date };
export type NodeThreadName = Omit<NodeThread, "updatedAt">;

/** An adoption that waits for its node. */
export type NodeStart = { id: number; kind: UpstreamKind; threadId: string };

const silentAfterCadences = 3;

/** From when on a node counts as silent, if nothing more is heard of it (contract, section 9). */
export function silentFrom({ seenAt, cadenceMs }: Pick<NodeRecord, "seenAt" | "cadenceMs">): Date {
  return new Date(seenAt.getTime() + silentAfterCadences * cadenceMs);
}

const selectNodes = sql`SELECT node_id AS "nodeId", machine_digest AS "machineDigest", cadence_ms AS "cadenceMs",
    catalog_id AS "catalogId", seen_at AS "seenAt"
  FROM upstream_nodes`;

type NodeRow = Omit<NodeRecord, "cadenceMs" | "seenAt"> & { cadenceMs: unknown; seenAt: unknown };

function toNode(row: NodeRow): NodeRecord {
  return { ...row, cadenceMs: toNumber(row.cadenceMs), seenAt: toDate(row.seenAt) };
}

export async function findNode(database: Statements, nodeId: string): Promise<NodeRecord | null> {
  const [row] = await database.query<NodeRow>(sql`${selectNodes} WHERE node_id = ${nodeId}`);
  return row === undefined ? null : toNode(row);
}

export async function allNodes(database: Statements): Promise<NodeRecord[]> {
  return (await database.query<NodeRow>(selectNodes)).map(toNode);
}

export async function saveNode(database: Statements, node: NodeRecord): Promise<void> {
  await database.execute(
    sql`INSERT INTO upstream_nodes (node_id, machine_digest, cadence_ms, catalog_id, seen_at)
      VALUES (${node.nodeId}, ${node.machineDigest}, ${node.cadenceMs}, ${node.catalogId}, ${node.seenAt})
      ON CONFLICT (node_id) DO UPDATE SET machine_digest = excluded.machine_digest, cadence_ms = excluded.cadence_ms,
        catalog_id = excluded.catalog_id, seen_at = excluded.seen_at`,
  );
}

/** Forgets nodes that were not heard of since `before` and have no link any more. */
export async function forgetNodes(database: Statements, before: Date): Promise<void> {
  await database.execute(
    sql`DELETE FROM upstream_nodes WHERE seen_at < ${before}
      AND NOT EXISTS (SELECT 1 FROM upstream_links AS l WHERE l.node_id = upstream_nodes.node_id)`,
  );
  await database.execute(
    sql`DELETE FROM upstream_node_threads WHERE node_id NOT IN (SELECT node_id FROM upstream_nodes)`,
  );
}

/** Adds these threads to a node's catalog, or gives them their new times. Of one named twice, the last counts. */
export async function saveThreads(
  database: Statements,
  { nodeId, catalogId }: { nodeId: string; catalogId: string },
  threads: readonly NodeThread[],
): Promise<void> {
  if (threads.length === 0) return;
  const { dialect } = database;
  // PostgreSQL refuses a statement that touches one row twice.
  const once = new Map(threads.map((thread) => [`${thread.kind} ${thread.threadId}`, thread]));
  const rows = dialect.rows(
    "r",
    [...once.values()].map(({ kind, threadId, updatedAt }) => ({
      kind,
      thread: threadId,
      at: dialect.time(updatedAt),
    })),
    { kind: "text", thread: "text", at: "time" },
  );
  await database.execute(
    sql`INSERT INTO upstream_node_threads (node_id, kind, thread_id, catalog_id, updated_at)
      SELECT ${nodeId}, r.kind, r.thread, ${catalogId}, r.at FROM ${rows} WHERE 1 = 1
      ON CONFLICT (node_id, kind, thread_id) DO UPDATE
        SET catalog_id = excluded.catalog_id, updated_at = excluded.updated_at`,
  );
}

export async function removeThreads(
  database: Statements,
  nodeId: string,
  threads: readonly NodeThreadName[],
): Promise<void> {
  if (threads.length === 0) return;
  const rows = database.dialect.rows(
    "r",
    threads.map(({ kind, threadId }) => ({ kind, thread: threadId })),
    { kind: "text", thread: "text" },
  );
  await database.execute(
    sql`DELETE FROM upstream_node_threads WHERE node_id = ${nodeId}
      AND (kind, thread_id) IN (SELECT r.kind, r.thread FROM ${rows})`,
  );
}

/** Removes what a node listed before its present catalog. */
export async function removeOtherThreads(database: Statements, nodeId: string, catalogId: string): Promise<void> {
  await database.execute(
    sql`DELETE FROM upstream_node_threads WHERE node_id = ${nodeId} AND catalog_id <> ${catalogId}`,
  );
}

type ThreadPlace = Record<keyof UpstreamSource, string> & { updatedAtMs: number };

/** The threads of these nodes, newest first, in the order of the server's own catalog. */
export async function listThreads(
  database: Statements,
  request: { nodeIds: readonly string[]; kind: UpstreamKind | null; after: ThreadPlace | null; limit: number },
): Promise<CatalogThread[]> {
  if (request.nodeIds.length === 0) return [];
  const { dialect } = database;
  const nodes = dialect.rows(
    "r",
    request.nodeIds.map((node) => ({ node })),
    { node: "text" },
  );
  const { after } = request;
  const at = after && dialect.timeValue(clampedTime(after.updatedAtMs));
  const behind =
    after === null
      ? nothing
      : sql`AND (t.updated_at < ${at} OR (t.updated_at = ${at}
          AND (t.kind, t.thread_id, t.node_id) > (${after.kind}, ${after.threadId}, ${after.nodeId})))`;
  const ofKind = request.kind === null ? nothing : sql`AND t.kind = ${request.kind}`;
  const rows = await database.query<UpstreamSource & { updatedAt: unknown }>(
    sql`SELECT t.node_id AS "nodeId", t.kind, t.thread_id AS "threadId", t.updated_at AS "updatedAt"
      FROM upstream_node_threads AS t
      WHERE t.node_id IN (SELECT r.node FROM ${nodes}) ${ofKind} ${behind}
      ORDER BY t.updated_at DESC, t.kind, t.thread_id, t.node_id LIMIT ${request.limit}`,
  );
  return rows.map((row) => ({ ...row, updatedAt: toDate(row.updatedAt), workingDirectory: null }));
}
