import { forgetLogins, revokeToken, tokenByHash } from "../storage/tokens.js";
import { insertNew, isLiving, type TokenDesk } from "./tokenDesk.js";
import { checkRights } from "./tokenRequest.js";
import { digestOf, isWellFormed } from "./tokenText.js";
import type { Rights, Scope } from "./viewer.js";

export type Logins = {
  /** A code for one login within 10 minutes. */
  createLogin(rights: Rights): Promise<{ code: string }>;
  /** Uses up a code, and begins a browser's session; null when the code was used or is over. */
  redeemLogin(code: string): Promise<{ secret: string; expiresAt: Date } | null>;
};

const loginMs = 10 * 60_000;
const sessionMs = 7 * 24 * 60 * 60_000;
/** How long what is over stays for `headsup token list --all`. */
const forgetMs = 30 * 24 * 60 * 60_000;

/** A person's way in: a link, and the session that a browser gets for it. Both are kept as hashes, like tokens. */
export function logins({ reading, writing, audit }: TokenDesk): Logins {
  return {
    async createLogin(asked) {
      const rights = checkRights(asked);
      const { token, secret } = await writing(async (tx, now) => {
        await forgetLogins(tx, after(now, -forgetMs));
        return insertNew(tx, "LOGIN", { ...rights, name: "login link", expiresAt: after(now, loginMs) }, now);
      });
      audit("login link made", token);
      return { code: secret };
    },

    async redeemLogin(code) {
      const hash = digestOf(code).toString("hex");
      // Anybody may ask: who has no link must not make the writers wait.
      if (!isWellFormed(code) || (await reading(hash)) === null) return null;
      const session = await writing(async (tx, now) => {
        const link = await tokenByHash(tx, hash);
        if (link?.kind !== "LOGIN" || !isLiving(link, now) || !(await revokeToken(tx, link.id, now))) return null;
        const rights = { scopes: link.scopes as readonly Scope[], agents: link.agents }; // written by this service alone
        const expiresAt = after(now, sessionMs);
        return { expiresAt, ...(await insertNew(tx, "SESSION", { ...rights, name: "browser", expiresAt }, now)) };
      });
      if (session === null) return null;
      audit("logged in", session.token);
      return { secret: session.secret, expiresAt: session.expiresAt };
    },
  };
}

function after(now: Date, ms: number): Date {
  return new Date(now.getTime() + ms);
}
