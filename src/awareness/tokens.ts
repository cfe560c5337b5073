import { allTokens, countTokens, revokeToken, type TokenKind } from "../storage/tokens.js";
import { type Grant, type GrantRooms, Grants } from "./grants.js";
import { type Logins, logins } from "./logins.js";
import { badInput } from "./refusals.js";
import { orUnavailable } from "./rooms.js";
import { insertNew, isLiving, shown, type Token, type TokenDesk, type TokenRequest, tokenDesk } from "./tokenDesk.js";
import { checkRequest } from "./tokenRequest.js";

/** Who may come in (the stored tokens, browser sessions and login links), and who has come. */
export type Tokens = Logins & {
  /** Makes a token; its secret is shown this once. Refuses a name that a living token has, and contradictory rights. */
  create(request: TokenRequest): Promise<{ token: Token; secret: string }>;
  /**
   * Makes an admin token if there has never been a token, however many processes ask at once; null if there has. `keep`
   * is given its secret before it counts: if that fails, none is made.
   */
  createFirst(keep: (secret: string) => Promise<void>): Promise<Token | null>;
  /** Tokens and browser sessions, also those that are over, oldest first. */
  list(): Promise<Token[]>;
  /** Revokes what has this id or, among living tokens, this name; null when nothing has. */
  revoke(idOrName: string): Promise<Token | null>;
  verify(secret: string, kind: Exclude<TokenKind, "LOGIN">): Promise<Grant | null>;
  /** Begins to look for tokens that others revoke. */
  start(): void;
  stop(): Promise<void>;
};

export function createTokens(rooms: GrantRooms): Tokens {
  const desk = tokenDesk(rooms);
  const grants = new Grants(rooms);
  return {
    ...making(desk, rooms),
    ...logins(desk),
    async list() {
      const tokens = await orUnavailable(rooms.log, allTokens(rooms.database.read));
      return tokens.filter(({ kind }) => kind !== "LOGIN").map(shown);
    },
    async revoke(idOrName) {
      const token = await revoke(desk, idOrName);
      if (token !== null) grants.revoked(token.id);
      return token;
    },
    verify: (secret, kind) => grants.verify(secret, kind),
    start: () => grants.start(),
    stop: () => grants.stop(),
  };
}

function making({ writing, audit }: TokenDesk, { clock }: GrantRooms): Pick<Tokens, "create" | "createFirst"> {
  return {
    async create(request) {
      const checked = checkRequest(request, clock.now());
      const made = await writing(async (tx, now) => {
        const living = (await allTokens(tx)).filter((token) => token.kind === "TOKEN" && isLiving(token, now));
        if (living.some(({ name }) => name === checked.name)) {
          throw badInput("name", `There is a token called ${checked.name}: take another name, or revoke it.`);
        }
        return insertNew(tx, "TOKEN", checked, now);
      });
      audit("token created", made.token);
      return made;
    },

    async createFirst(keep) {
      const token = await writing(async (tx, now) => {
        if ((await countTokens(tx, "TOKEN")) > 0) return null;
        const made = await insertNew(tx, "TOKEN", { name: "admin", scopes: ["admin"], agents: null }, now);
        await keep(made.secret);
        return made.token;
      });
      if (token !== null) audit("token created", token);
      return token;
    },
  };
}

async function revoke({ writing, audit }: TokenDesk, idOrName: string): Promise<Token | null> {
  const token = await writing(async (tx, now) => {
    const living = (await allTokens(tx)).filter((each) => each.kind !== "LOGIN" && isLiving(each, now));
    const found =
      living.find(({ id }) => id === idOrName) ??
      living.find(({ kind, name }) => kind === "TOKEN" && name === idOrName);
    return found !== undefined && (await revokeToken(tx, found.id, now)) ? shown(found) : null;
  });
  if (token !== null) audit("token revoked", token);
  return token;
}
