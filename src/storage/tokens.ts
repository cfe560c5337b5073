import { type Sql, type Statements, sql, toDate, toDateOrNull, toNumber } from "./sql.js";

/** The table `access_tokens`. Secrets never come this far, only their hashes. */

export type TokenKind = "TOKEN" | "SESSION" | "LOGIN";

export type TokenRecord = {
  id: string;
  kind: TokenKind;
  name: string;
  /** SHA-256 of the whole secret, lower-case hex. */
  tokenHash: string;
  scopes: readonly string[];
  /** Null for all agents. */
  agents: readonly string[] | null;
  createdAt: Date;
  /** Null: never. */
  expiresAt: Date | null;
  /** When it was revoked, or when a login link was used. */
  revokedAt: Date | null;
  lastUsedAt: Date | null;
};

type TokenRow = Omit<TokenRecord, "scopes" | "agents" | "createdAt" | "expiresAt" | "revokedAt" | "lastUsedAt"> & {
  scopes: string;
  agents: string | null;
  createdAt: unknown;
  expiresAt: unknown;
  revokedAt: unknown;
  lastUsedAt: unknown;
};

const selectTokens = sql`SELECT t.id, t.kind, t.name, t.token_hash AS "tokenHash", t.scopes, t.agents,
    t.created_at AS "createdAt", t.expires_at AS "expiresAt", t.revoked_at AS "revokedAt",
    t.last_used_at AS "lastUsedAt"
  FROM access_tokens AS t`;

function toToken(row: TokenRow): TokenRecord {
  return {
    ...row,
    scopes: JSON.parse(row.scopes),
    agents: row.agents === null ? null : JSON.parse(row.agents),
    createdAt: toDate(row.createdAt),
    expiresAt: toDateOrNull(row.expiresAt),
    revokedAt: toDateOrNull(row.revokedAt),
    lastUsedAt: toDateOrNull(row.lastUsedAt),
  };
}

export async function tokenByHash(database: Statements, tokenHash: string): Promise<TokenRecord | null> {
  const [row] = await database.query<TokenRow>(sql`${selectTokens} WHERE t.token_hash = ${tokenHash}`);
  return row === undefined ? null : toToken(row);
}

/** Those of these tokens that exist. */
export async function tokensById(database: Statements, ids: readonly string[]): Promise<TokenRecord[]> {
  const rows = await database.query<TokenRow>(sql`${selectTokens} WHERE t.id IN (${idsIn(database, ids)})`);
  return rows.map(toToken);
}

/** All of them, in the order they were made. */
export async function allTokens(database: Statements): Promise<TokenRecord[]> {
  const rows = await database.query<TokenRow>(sql`${selectTokens} ORDER BY t.created_at, t.id`);
  return rows.map(toToken);
}

export async function countTokens(database: Statements, kind: TokenKind): Promise<number> {
  const [row] = await database.query<{ n: unknown }>(sql`SELECT COUNT(*) AS n FROM access_tokens WHERE kind = ${kind}`);
  return toNumber(row?.n);
}

export async function insertToken(database: Statements, token: TokenRecord): Promise<void> {
  const { dialect } = database;
  const expiresAt = token.expiresAt === null ? sql`NULL` : dialect.timeValue(token.expiresAt);
  await database.execute(
    sql`INSERT INTO access_tokens (id, kind, name, token_hash, scopes, agents, created_at, expires_at)
      VALUES (${token.id}, ${token.kind}, ${token.name}, ${token.tokenHash}, ${JSON.stringify(token.scopes)},
        ${token.agents === null ? null : JSON.stringify(token.agents)}, ${dialect.timeValue(token.createdAt)}, ${expiresAt})`,
  );
}

/** Revokes a token that is not revoked yet; false when somebody else came first, or there is none. */
export async function revokeToken(database: Statements, id: string, now: Date): Promise<boolean> {
  const revoked = await database.execute(
    sql`UPDATE access_tokens SET revoked_at = ${database.dialect.timeValue(now)} WHERE id = ${id} AND revoked_at IS NULL`,
  );
  return revoked > 0;
}

export async function noteUse(database: Statements, ids: readonly string[], now: Date): Promise<void> {
  await database.execute(
    sql`UPDATE access_tokens SET last_used_at = ${database.dialect.timeValue(now)} WHERE id IN (
      SELECT id FROM access_tokens WHERE id IN (${idsIn(database, ids)}) ORDER BY id ${database.dialect.forUpdate})`,
  );
}

/** Forgets sessions and login links that were over before `before`; tokens stay, as a record of who was let in. */
export async function forgetLogins(database: Statements, before: Date): Promise<void> {
  const time = database.dialect.timeValue(before);
  await database.execute(
    sql`DELETE FROM access_tokens WHERE kind <> 'TOKEN' AND (expires_at < ${time} OR revoked_at < ${time})`,
  );
}

function idsIn(database: Statements, ids: readonly string[]): Sql {
  const rows = database.dialect.rows(
    "ids",
    ids.map((id) => ({ id })),
    { id: "text" },
  );
  return sql`SELECT ids.id FROM ${rows}`;
}
