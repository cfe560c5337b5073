import { randomBytes } from "node:crypto";
import type { Transaction } from "../storage/sql.js";
import { insertToken, type TokenKind, type TokenRecord, tokenByHash } from "../storage/tokens.js";
import type { GrantRooms } from "./grants.js";
import { orUnavailable } from "./rooms.js";
import { digestOf, newSecret } from "./tokenText.js";
import type { Rights } from "./viewer.js";

/** A token as it may be shown: everything but its secret, which is kept nowhere, and its hash. */
export type Token = Omit<TokenRecord, "tokenHash">;
/** `expiresAt` null or absent: never. */
export type TokenRequest = Rights & { name: string; expiresAt?: Date | null };

/** Where tokens are made and ended: one at a time over all processes, and each with a line for the record. */
export type TokenDesk = {
  /** The token with this hash, looked up without a lock. */
  reading(hash: string): Promise<TokenRecord | null>;
  writing<Result>(work: (tx: Transaction, now: Date) => Promise<Result>): Promise<Result>;
  audit(act: string, token: Token): void;
};

/** What everybody who changes the table locks. */
const allOfThem = { sessionKey: "access_tokens", agentId: "" };

export function tokenDesk({ database, clock, log }: GrantRooms): TokenDesk {
  return {
    reading: (hash) => orUnavailable(log, tokenByHash(database.read, hash)),
    writing: (work) =>
      orUnavailable(
        log,
        database.write(async (tx) => {
          await tx.lock([allOfThem]);
          return work(tx, clock.now());
        }),
      ),
    audit(act, { id, name, scopes, agents }) {
      log.info({ event: "audit", act, token: id, name, scopes, agents }, `access: ${act}`);
    },
  };
}

/** Puts a new secret's hash into the table; the secret itself goes to the caller and nowhere else. */
export async function insertNew(tx: Transaction, kind: TokenKind, request: TokenRequest, now: Date) {
  const secret = newSecret();
  const record: TokenRecord = {
    id: randomBytes(6).toString("hex"),
    kind,
    name: request.name,
    tokenHash: digestOf(secret).toString("hex"),
    scopes: request.scopes,
    agents: request.agents,
    createdAt: now,
    expiresAt: request.expiresAt ?? null,
    revokedAt: null,
    lastUsedAt: null,
  };
  await insertToken(tx, record);
  return { token: shown(record), secret };
}

export function shown({ tokenHash: _, ...token }: TokenRecord): Token {
  return token;
}

/** Neither revoked nor expired. */
export function isLiving({ revokedAt, expiresAt }: Token, now: Date): boolean {
  return revokedAt === null && (expiresAt === null || expiresAt > now);
}
