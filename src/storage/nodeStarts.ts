import type { NodeStart } from "./nodes.js";
import type { UpstreamSource } from "./records.js";
import { type Statements, sql, toNumber } from "./sql.js";

/** The table `upstream_node_starts`: adoptions that wait for a node to say where its thread ends. */

/** Asks, and forgets what was asked before `before` by servers that have gone. */
export async function askForStart(
  database: Statements,
  source: UpstreamSource,
  { now, before }: { now: Date; before: Date },
): Promise<number> {
  await database.execute(sql`DELETE FROM upstream_node_starts WHERE requested_at < ${before}`);
  const [row] = await database.query<{ id: unknown }>(
    sql`INSERT INTO upstream_node_starts (node_id, kind, thread_id, requested_at)
      VALUES (${source.nodeId}, ${source.kind}, ${source.threadId}, ${now}) RETURNING id`,
  );
  return toNumber(row?.id);
}

export async function openStarts(database: Statements, nodeId: string): Promise<NodeStart[]> {
  const rows = await database.query<Omit<NodeStart, "id"> & { id: unknown }>(
    sql`SELECT id, kind, thread_id AS "threadId" FROM upstream_node_starts
      WHERE node_id = ${nodeId} AND answer IS NULL ORDER BY id LIMIT 100`,
  );
  return rows.map((row) => ({ ...row, id: toNumber(row.id) }));
}

/** The first answer counts; false when there was one, or nobody waits. */
export async function answerStart(
  database: Statements,
  { id, nodeId, answer }: { id: number; nodeId: string; answer: string },
): Promise<boolean> {
  const answered = await database.execute(
    sql`UPDATE upstream_node_starts SET answer = ${answer} WHERE id = ${id} AND node_id = ${nodeId} AND answer IS NULL`,
  );
  return answered > 0;
}

export async function readAnswer(database: Statements, id: number): Promise<string | null> {
  const [row] = await database.query<{ answer: string | null }>(
    sql`SELECT answer FROM upstream_node_starts WHERE id = ${id}`,
  );
  return row?.answer ?? null;
}

export async function forgetStart(database: Statements, id: number): Promise<void> {
  await database.execute(sql`DELETE FROM upstream_node_starts WHERE id = ${id}`);
}
