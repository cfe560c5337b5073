import type { IncomingMessage } from "node:http";
import type { Logger } from "pino";
import type { Awareness } from "../awareness/awareness.js";
import { anyoneGrant, type Grant } from "../awareness/grants.js";
import { Refusal, type RefusalCode } from "../awareness/refusals.js";
import type { Tokens } from "../awareness/tokens.js";
import { within } from "../awareness/within.js";
import type { Auth } from "../config/access.js";
import type { GraphQLContext } from "../graphql/builder.js";
import type { Hosts, Source } from "./hosts.js";
import type { Metrics } from "./metrics.js";

export type AccessOptions = {
  awareness: Awareness;
  tokens: Tokens;
  auth: Auth;
  hosts: Hosts;
  log: Logger;
  metrics: Pick<Metrics, "refused">;
};

/** Who comes in, on every transport. */
export type Access = {
  readonly auth: Auth;
  readonly hosts: Hosts;
  readonly tokens: Tokens;
  /**
   * The name of the cookie that holds a browser's session. Browsers keep cookies for a host, not for its ports: so the
   * port by which this server is reached is in the name, and all processes behind one address know the cookie.
   */
  cookieName(request: IncomingMessage): string;
  /**
   * Who sends a request: its bearer token counts; without one, a page of our own has its cookie. Null when it has
   * neither. Refuses with `UNAUTHENTICATED`, or `SERVICE_UNAVAILABLE` when that cannot be told.
   */
  identify(request: IncomingMessage, source: Source): Promise<Grant | null>;
  /** Who opens a WebSocket: what `connectionParams.authorization` says, or else who asked for the upgrade. */
  connect(params: Readonly<Record<string, unknown>> | undefined, before: Grant | null): Promise<Grant>;
  /** What resolvers are given: the domain as far as this one reaches. */
  context(grant: Grant): GraphQLContext;
  /** Writes the audit line of somebody who is not let in. */
  turnedAway(request: IncomingMessage, code: RefusalCode, why: string): void;
};

export function createAccess(options: AccessOptions): Access {
  const { tokens, auth, hosts } = options;
  const cookieName = ({ headers }: IncomingMessage) =>
    `headsup_session_${/:(\d+)$/.exec(headers.host ?? "")?.[1] ?? "0"}`;
  return {
    auth,
    hosts,
    tokens,
    cookieName,
    async identify(request, source) {
      if (auth === "off") return anyoneGrant;
      const { authorization } = request.headers;
      if (authorization !== undefined) return bearer(tokens, authorization);
      const session = isOwnPage(request, source) ? cookieOf(request, cookieName(request)) : undefined;
      return session === undefined ? null : tokens.verify(session, "SESSION");
    },
    async connect(params, before) {
      if (auth === "off") return anyoneGrant;
      // GraphiQL sends the headers that a person has typed, in whatever case.
      const authorization = params?.authorization ?? params?.Authorization;
      if (authorization !== undefined) return bearer(tokens, authorization);
      if (before === null) throw missingToken;
      return before;
    },
    context: (grant) => contextOf(options, grant),
    turnedAway: (request, code, why) => turnedAway(options, request, { code, why }),
  };
}

async function bearer(tokens: Tokens, authorization: unknown): Promise<Grant> {
  const [, secret] = typeof authorization === "string" ? (/^Bearer +(\S.*)$/i.exec(authorization) ?? []) : [];
  if (secret === undefined) throw notBearer;
  const grant = await tokens.verify(secret, "TOKEN");
  if (grant !== null) return grant;
  throw new Refusal("UNAUTHENTICATED", "This token is not known, or it has been revoked or expired.");
}

function contextOf({ awareness, log }: AccessOptions, { viewer }: Grant): GraphQLContext {
  const audit: GraphQLContext["audit"] = (act, details) => {
    const line = { event: "audit", act, token: viewer.tokenId, name: viewer.name, ...details };
    if (act === "refused") log.warn(line, "access: refused");
    else log.info(line, `access: ${act}`);
  };
  return { awareness: within(awareness, viewer.agents), viewer, audit };
}

function turnedAway(
  { metrics, log }: AccessOptions,
  { headers, socket, method }: IncomingMessage,
  what: { code: RefusalCode; why: string },
): void {
  metrics.refused(what.code);
  const from = { address: socket.remoteAddress, host: start(headers.host), origin: start(headers.origin) };
  // Not the address that was asked for: somebody may have put a secret into it.
  log.warn({ event: "audit", act: "refused", ...what, method, ...from }, "access: refused");
}

export const missingToken = new Refusal(
  "UNAUTHENTICATED",
  "This needs a token: send it as `Authorization: Bearer <token>`, over a WebSocket as connectionParams.authorization.",
);

const notBearer = new Refusal(
  "UNAUTHENTICATED",
  "The authorization must read `Bearer <token>`: that word, a space, the token.",
);

/**
 * A browser sends the cookie of 127.0.0.1 along with requests that pages on other ports of it cause: so the browser must
 * say that it was a page of ours, or a person. Old browsers say neither; the cookie's SameSite and the check of Origin
 * hold there.
 */
function isOwnPage({ headers }: IncomingMessage, source: Source): boolean {
  const site = headers["sec-fetch-site"];
  return source !== "listed" && (site === undefined || site === "same-origin" || site === "none");
}

function cookieOf({ headers }: IncomingMessage, name: string): string | undefined {
  const pairs = (headers.cookie ?? "").split(";").map((pair) => pair.trim());
  return pairs.find((pair) => pair.startsWith(`${name}=`))?.slice(name.length + 1);
}

/** Enough of a header to know it by. */
function start(value: string | undefined): string | undefined {
  return value?.slice(0, 100);
}
