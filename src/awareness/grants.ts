import { timingSafeEqual } from "node:crypto";
import { type Clock, sleep } from "../clock.js";
import type { Database } from "../storage/database.js";
import { noteUse, type TokenKind, type TokenRecord, tokenByHash, tokensById } from "../storage/tokens.js";
import type { Logger } from "./logger.js";
import { orUnavailable } from "./rooms.js";
import { digestOf, isWellFormed } from "./tokenText.js";
import { Trouble } from "./trouble.js";
import { createViewer, type Scope, type Viewer } from "./viewer.js";

/** A secret that was checked, and stays good until it is revoked or expires. */
export type Grant = {
  readonly viewer: Viewer;
  /**
   * Calls `listener` once when the token is revoked, by whatever process, or expires: within `pollMs` and the time of
   * one read. Returns how to stop listening.
   */
  onOver(listener: () => void): () => void;
};

export type GrantRooms = {
  database: Database;
  clock: Clock;
  log: Logger;
  /** How often the tokens in use are looked at again, in milliseconds. */
  pollMs: number;
  /** Let in beside the stored tokens. */
  adminSecret: string | null;
  /** How many tokens are remembered that nobody listens to. */
  heldMax?: number;
};

type Held = {
  readonly token: TokenRecord;
  readonly viewer: Viewer;
  readonly listeners: Set<() => void>;
  usedAt: number;
  /** What the table says of its last use. */
  notedAt: number;
  over: boolean;
};

const usualHeldMax = 1_000;
const idleMs = 10 * 60_000;
/** So that reading costs no write each time. */
const noteUseEveryMs = 60 * 60_000;

/**
 * The tokens in use. They are kept so that a request costs no look-up, at most 1,000 of them that nobody listens to,
 * and are looked at again every `pollMs`. While the database is away those known stay good: nothing can be read or
 * revoked then.
 */
export class Grants {
  readonly #rooms: GrantRooms;
  readonly #adminDigest: Buffer | null;
  readonly #held = new Map<string, Held>();
  readonly #stopped = new AbortController();
  #running: Promise<void> = Promise.resolve();
  readonly #trouble: Trouble;

  constructor(rooms: GrantRooms) {
    this.#rooms = rooms;
    this.#trouble = new Trouble(rooms.log, "look for revoked tokens");
    this.#adminDigest = rooms.adminSecret === null ? null : digestOf(rooms.adminSecret);
  }

  /**
   * Who bears this secret; null for nobody, a revoked or an expired one. Refuses with `SERVICE_UNAVAILABLE` when the
   * secret is not known here and the database does not answer.
   */
  async verify(secret: string, kind: Exclude<TokenKind, "LOGIN">): Promise<Grant | null> {
    const digest = digestOf(secret);
    if (kind === "TOKEN" && this.#adminDigest !== null && timingSafeEqual(digest, this.#adminDigest)) return adminGrant;
    if (!isWellFormed(secret)) return null;
    const hash = digest.toString("hex");
    const held = this.#held.get(hash) ?? (await this.#look(hash, digest));
    if (held === null || held.token.kind !== kind || this.#endIfExpired(held)) return null;
    held.usedAt = this.#now();
    this.#hold(held);
    return { viewer: held.viewer, onOver: (listener) => this.#listen(held, listener) };
  }

  /** Ends a token at once that this process has revoked. */
  revoked(id: string): void {
    for (const held of this.#held.values()) if (held.token.id === id) this.#end(held);
  }

  start(): void {
    this.#running = this.#poll();
  }

  async stop(): Promise<void> {
    this.#stopped.abort();
    await this.#running;
  }

  #now(): number {
    return this.#rooms.clock.now().getTime();
  }

  async #look(hash: string, digest: Buffer): Promise<Held | null> {
    const { database, log } = this.#rooms;
    const token = await orUnavailable(log, tokenByHash(database.read, hash));
    if (token === null || token.revokedAt !== null) return null;
    if (!timingSafeEqual(digest, Buffer.from(token.tokenHash, "hex"))) return null;
    // Two requests may have looked at once: the first one's entry counts.
    const known = this.#held.get(hash);
    if (known !== undefined) return known;
    const rights = { scopes: token.scopes as readonly Scope[], agents: token.agents }; // written by this service alone
    const viewer = createViewer(token.id, token.name, rights);
    const notedAt = token.lastUsedAt?.getTime() ?? 0;
    const held: Held = { token, viewer, listeners: new Set(), usedAt: this.#now(), notedAt, over: false };
    this.#hold(held);
    return held;
  }

  /** The latest used last, so that the first without a listener is the one to let go. */
  #hold(held: Held): void {
    this.#held.delete(held.token.tokenHash);
    this.#held.set(held.token.tokenHash, held);
    if (this.#held.size <= (this.#rooms.heldMax ?? usualHeldMax)) return;
    for (const [hash, { listeners }] of this.#held) {
      if (listeners.size > 0) continue;
      this.#held.delete(hash);
      return;
    }
  }

  #listen(granted: Held, listener: () => void): () => void {
    // It may have been let go since, and even be held anew.
    const held = this.#held.get(granted.token.tokenHash) ?? granted;
    const once = () => listener();
    if (granted.over || held.over) {
      queueMicrotask(once);
      return () => {};
    }
    this.#held.set(held.token.tokenHash, held);
    held.listeners.add(once);
    return () => held.listeners.delete(once);
  }

  #endIfExpired(held: Held): boolean {
    const { expiresAt } = held.token;
    if (expiresAt !== null && expiresAt.getTime() <= this.#now()) this.#end(held);
    return held.over;
  }

  #end(held: Held): void {
    held.over = true;
    if (this.#held.get(held.token.tokenHash) === held) this.#held.delete(held.token.tokenHash);
    for (const listener of [...held.listeners]) listener();
    held.listeners.clear();
  }

  async #poll(): Promise<void> {
    const { signal } = this.#stopped;
    for (;;) {
      await sleep(this.#rooms.pollMs, signal);
      if (signal.aborted) return;
      try {
        await this.#check();
        this.#trouble.over();
      } catch (error) {
        this.#trouble.met(error);
      }
    }
  }

  /** Lets go what is idle and ends what is over. */
  async #check(): Promise<void> {
    const now = this.#now();
    for (const [hash, held] of this.#held) {
      if (!this.#endIfExpired(held) && held.listeners.size === 0 && held.usedAt < now - idleMs) this.#held.delete(hash);
    }
    const inUse = [...this.#held.values()];
    if (inUse.length === 0) return;
    const { database, clock } = this.#rooms;
    const ids = inUse.map(({ token }) => token.id);
    const rows = new Map((await tokensById(database.read, ids)).map((row) => [row.id, row]));
    for (const held of inUse) if (rows.get(held.token.id)?.revokedAt !== null) this.#end(held);
    const used = inUse.filter((held) => !held.over && held.usedAt > held.notedAt + noteUseEveryMs);
    if (used.length === 0) return;
    for (const held of used) held.notedAt = held.usedAt;
    const usedIds = used.map(({ token }) => token.id);
    await database.write((tx) => noteUse(tx, usedIds, clock.now()));
  }
}

function endless(viewer: Viewer): Grant {
  return { viewer, onOver: () => () => {} };
}

/** The configured secret is good for as long as the process lives: it changes with a restart. */
const adminGrant = endless(
  createViewer("HEADSUP_ADMIN_TOKEN", "HEADSUP_ADMIN_TOKEN", { scopes: ["admin"], agents: null }),
);

/** Whoever comes while access control is off. */
export const anyoneGrant = endless(
  createViewer("anyone", "access control is off", { scopes: ["admin"], agents: null }),
);
