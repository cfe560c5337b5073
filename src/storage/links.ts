import { countMax } from "./linkColumns.js";
import { forgetOwnPrompts } from "./ownPrompts.js";
import type { SessionIdentity, UpstreamKind, UpstreamSource } from "./records.js";
import { join, raw, type Sql, type Statements, sql, toDate, toDateOrNull, toNumber } from "./sql.js";

/** The table `upstream_links`: where the monitor stands in the source of an adopted session. */

/** How far a source has been read, and how to tell that it is still the same file. The texts are the monitor's own. */
export type SourceState = {
  /** The source's file, below the tool's folder. */
  sourcePath: string;
  /** Bytes from the start of the file: where the first record begins that has not been read. */
  position: number;
  fileIdentity: string;
  headDigest: string;
  tailDigest: string;
  /** JSON of the person's turns that are known: before the position, or there once. */
  knownTurns: string;
  /** JSON of what the reader of the tool's records carries on. */
  readerState: string;
};

/** What a check starts from. */
export type LinkState = SessionIdentity &
  UpstreamSource &
  SourceState & {
    id: number;
    /** Moves with every saved check. */
    revision: number;
    missedChecks: number;
    failedChecks: number;
    watchedAt: Date | null;
    /** When the position was last known to be the end of the source: the last good check, or the adoption. */
    settledAt: Date;
  };

/** What decides whether a link is due, and needs a closer look. */
export type LinkToCheck = UpstreamSource &
  Pick<LinkState, "id" | "revision" | "sourcePath"> & { nextCheckAt: Date | null; lastCheckedAt: Date | null };

type LinkRow = Record<keyof LinkState, unknown> & { kind: UpstreamKind } & Record<
    "sessionKey" | "agentId" | "nodeId" | "threadId" | Exclude<keyof SourceState, "position">,
    string
  >;

const selectLinks = sql`SELECT id, session_key AS "sessionKey", agent_id AS "agentId", kind, node_id AS "nodeId",
    thread_id AS "threadId", source_path AS "sourcePath", revision, position, file_identity AS "fileIdentity",
    head_digest AS "headDigest", tail_digest AS "tailDigest", known_turns AS "knownTurns",
    reader_state AS "readerState", missed_checks AS "missedChecks", failed_checks AS "failedChecks",
    watched_at AS "watchedAt", COALESCE(settled_at, created_at) AS "settledAt"
  FROM upstream_links`;

function toLink(row: LinkRow): LinkState {
  return {
    ...row,
    id: toNumber(row.id),
    revision: toNumber(row.revision),
    position: toNumber(row.position),
    missedChecks: toNumber(row.missedChecks),
    failedChecks: toNumber(row.failedChecks),
    watchedAt: toDateOrNull(row.watchedAt),
    settledAt: toDate(row.settledAt),
  };
}

export async function findLink(database: Statements, session: SessionIdentity): Promise<LinkState | null> {
  const [row] = await database.query<LinkRow>(sql`${selectLinks} WHERE ${isSession(session)}`);
  return row === undefined ? null : toLink(row);
}

export async function findLinkById(database: Statements, id: number): Promise<LinkState | null> {
  const [row] = await database.query<LinkRow>(sql`${selectLinks} WHERE id = ${id}`);
  return row === undefined ? null : toLink(row);
}

/** Links of one node whose session somebody watches. One JSON value: a row each costs several times as much. */
export async function linksToCheck(database: Statements, nodeId: string): Promise<LinkToCheck[]> {
  const from = sql`(SELECT * FROM upstream_links WHERE node_id = ${nodeId} AND ${watched}) AS l`;
  const [row] = await database.query<{ links: unknown }>(
    sql`SELECT ${database.dialect.jsonArray(briefly, from)} AS links`,
  );
  const links: LinkJson[] = typeof row?.links === "string" ? JSON.parse(row.links) : ((row?.links ?? []) as LinkJson[]);
  return links.map((link) => ({
    ...link,
    nextCheckAt: toDateOrNull(link.nextCheckAt),
    lastCheckedAt: toDateOrNull(link.lastCheckedAt),
  }));
}

type LinkJson = Omit<LinkToCheck, "nextCheckAt" | "lastCheckedAt"> &
  Record<"nextCheckAt" | "lastCheckedAt", string | null>;

const watched = raw(`EXISTS (SELECT 1 FROM session_watch_cursors AS c
  WHERE c.target_session_key = session_key AND c.target_agent_id = agent_id)`);

const briefly: Record<keyof LinkToCheck, Sql> = {
  id: sql`l.id`,
  revision: sql`l.revision`,
  kind: sql`l.kind`,
  nodeId: sql`l.node_id`,
  threadId: sql`l.thread_id`,
  sourcePath: sql`l.source_path`,
  nextCheckAt: sql`l.next_check_at`,
  lastCheckedAt: sql`l.last_checked_at`,
};

/** A new link. The caller holds the lock of the session and knows that it has none. */
export async function insertLink(
  database: Statements,
  link: SessionIdentity & UpstreamSource & SourceState,
  now: Date,
): Promise<void> {
  const at = database.dialect.timeValue(now);
  // A session that is watched already is watched from its adoption on: what came before is not its history.
  await database.execute(
    sql`INSERT INTO upstream_links (session_key, agent_id, kind, node_id, thread_id, source_path, position,
        file_identity, head_digest, tail_digest, known_turns, reader_state, watched_at, created_at)
      VALUES (${link.sessionKey}, ${link.agentId}, ${link.kind}, ${link.nodeId}, ${link.threadId}, ${link.sourcePath},
        ${link.position}, ${link.fileIdentity}, ${link.headDigest}, ${link.tailDigest}, ${link.knownTurns},
        ${link.readerState}, ${at}, ${at})`,
  );
}

export type LinkMove = {
  source: SourceState | null;
  missedChecks: number;
  failedChecks: number;
  skippedRows: number;
  unknownRows: number;
  nextCheckAt: Date | null;
  /** The position is the end of the source now. */
  settled: boolean;
};

/**
 * Compare-and-set: saves what a check found if nobody saved another since `revision`, else changes nothing and returns
 * false. `skippedRows` and `unknownRows` are added to what stands, up to `countMax`.
 */
export async function moveLink(
  database: Statements,
  link: { id: number; revision: number },
  move: LinkMove,
  now: Date,
): Promise<boolean> {
  const set = [
    sql`revision = revision + 1`,
    sql`missed_checks = ${move.missedChecks}`,
    sql`failed_checks = ${move.failedChecks}`,
    sql`skipped_rows = ${raised(raw("skipped_rows"), move.skippedRows)}`,
    sql`unknown_rows = ${raised(raw("unknown_rows"), move.unknownRows)}`,
    sql`next_check_at = ${move.nextCheckAt}`,
    sql`last_checked_at = ${now}`,
  ];
  const { source, settled } = move;
  if (settled) set.push(sql`settled_at = ${now}`);
  if (source !== null) {
    set.push(
      sql`source_path = ${source.sourcePath}`,
      sql`position = ${source.position}`,
      sql`file_identity = ${source.fileIdentity}`,
      sql`head_digest = ${source.headDigest}`,
      sql`tail_digest = ${source.tailDigest}`,
      sql`known_turns = ${source.knownTurns}`,
      sql`reader_state = ${source.readerState}`,
    );
  }
  const moved = await database.execute(
    sql`UPDATE upstream_links SET ${join(set)} WHERE id = ${link.id} AND revision = ${link.revision}`,
  );
  return moved > 0;
}

/** A count that stays where its type in the API ends. */
function raised(column: Sql, by: number): Sql {
  const most = countMax - Math.min(by, countMax);
  return sql`CASE WHEN ${column} >= ${most} THEN ${countMax} ELSE ${column} + ${Math.min(by, countMax)} END`;
}

/** Marks these links as checked and unchanged. */
export async function touchLinks(database: Statements, ids: readonly number[], now: Date): Promise<void> {
  if (ids.length === 0) return;
  const rows = database.dialect.rows(
    "ids",
    ids.map((id) => ({ id })),
    { id: "integer" },
  );
  await database.execute(
    sql`UPDATE upstream_links SET last_checked_at = ${now}, settled_at = ${now} WHERE id IN (
      SELECT id FROM upstream_links WHERE id IN (SELECT ids.id FROM ${rows}) ORDER BY id ${database.dialect.forUpdate})`,
  );
}

/** Before watches start: a link whose session nobody watches yet remembers when somebody began to. */
export async function noteWatchStart(
  database: Statements,
  sessions: readonly SessionIdentity[],
  now: Date,
): Promise<void> {
  const rows = database.dialect.rows(
    "r",
    sessions.map(({ sessionKey, agentId }) => ({ k: sessionKey, a: agentId })),
    { k: "text", a: "text" },
  );
  await database.execute(
    sql`UPDATE upstream_links SET watched_at = ${now} WHERE id IN (
      SELECT id FROM upstream_links WHERE (session_key, agent_id) IN (SELECT r.k, r.a FROM ${rows}) AND NOT ${watched}
      ORDER BY id ${database.dialect.forUpdate})`,
  );
}

/** Ends a link, with the own prompts that were noted for it: a later one starts without them. */
export async function removeLink(database: Statements, session: SessionIdentity): Promise<void> {
  await forgetOwnPrompts(database, session);
  await database.execute(sql`DELETE FROM upstream_links WHERE ${isSession(session)}`);
}

function isSession({ sessionKey, agentId }: SessionIdentity): Sql {
  return sql`session_key = ${sessionKey} AND agent_id = ${agentId}`;
}
