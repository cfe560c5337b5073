import type { IncomingMessage, ServerResponse } from "node:http";
import type { Grant } from "../awareness/grants.js";
import { Refusal } from "../awareness/refusals.js";
import { type Access, missingToken } from "./access.js";
import { refuse, showPage } from "./answers.js";
import type { Source } from "./hosts.js";
import { notLoggedInPage } from "./loginPages.js";

/** No page of anybody else's may frame, embed or guess at what this server answers. */
const protectiveHeaders = {
  "x-content-type-options": "nosniff",
  "x-frame-options": "DENY",
  "content-security-policy": "frame-ancestors 'none'",
  "cross-origin-resource-policy": "same-origin",
  "referrer-policy": "no-referrer",
};

const foreign = {
  host: new Refusal(
    "FORBIDDEN",
    "This server is not known by the name that the request was sent to: see HEADSUP_ALLOWED_HOSTS.",
  ),
  origin: new Refusal("FORBIDDEN", "Pages of this origin may not call this server: see HEADSUP_ALLOWED_ORIGINS."),
};

/**
 * The first thing that happens to a request. Says where it comes from; null when it has been answered: with 403 because
 * of its Host or Origin, or as a preflight.
 */
export function admit(access: Access, request: IncomingMessage, response: ServerResponse): Source | null {
  for (const [name, value] of Object.entries(protectiveHeaders)) response.setHeader(name, value);
  const verdict = access.hosts.judge(request);
  if ("refused" in verdict) {
    access.turnedAway(request, "FORBIDDEN", `foreign ${verdict.refused}`);
    refuse(response, 403, foreign[verdict.refused]);
    return null;
  }
  response.setHeader("vary", "Origin");
  // Without credentials: a page elsewhere has a token of its own, and no use of a person's cookie.
  if (verdict.source === "listed") response.setHeader("access-control-allow-origin", request.headers.origin ?? "");
  if (request.method !== "OPTIONS") return verdict.source;
  if (verdict.source === "listed") {
    response.setHeader("access-control-allow-methods", "GET, POST");
    response.setHeader("access-control-allow-headers", "authorization, content-type, accept");
    response.setHeader("access-control-max-age", "600");
  }
  response.writeHead(204, { allow: "GET, POST, OPTIONS" }).end();
  return null;
}

/** Who asks for GraphQL; null when the request has been answered because nobody may, or not in this way. */
export async function letIn(
  access: Access,
  request: IncomingMessage,
  response: ServerResponse,
  source: Source,
): Promise<Grant | null> {
  try {
    const grant = await access.identify(request, source);
    if (grant === null) throw missingToken;
    if (request.method !== "POST" || isJson(request)) return grant;
    refuse(
      response,
      415,
      new Refusal("BAD_USER_INPUT", "Send operations as JSON, with content-type: application/json.", {
        field: "content-type",
      }),
    );
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    turnAway(access, request, response, error);
  }
  return null;
}

/** Whether somebody may read what is about all agents and says nothing of any session; else the request is answered. */
export async function mayRead(
  access: Access,
  request: IncomingMessage,
  response: ServerResponse,
  source: Source,
): Promise<boolean> {
  const grant = await letIn(access, request, response, source);
  if (grant === null || grant.viewer.scopes.has("read")) return grant !== null;
  access.turnedAway(request, "FORBIDDEN", "no scope read");
  refuse(response, 403, new Refusal("FORBIDDEN", "This needs a token with the scope read."));
  return false;
}

function turnAway(access: Access, request: IncomingMessage, response: ServerResponse, refusal: Refusal): void {
  if (refusal.code !== "UNAUTHENTICATED") {
    refuse(response, 503, refusal);
    return;
  }
  access.turnedAway(request, refusal.code, refusal === missingToken ? "no token" : "bad token");
  response.setHeader("www-authenticate", 'Bearer realm="headsup"');
  const isPerson = request.method === "GET" && request.headers.accept?.includes("text/html");
  if (isPerson) showPage(response, 401, notLoggedInPage);
  else refuse(response, 401, refusal);
}

/** What a form or a page without leave to ask can send is never JSON. */
function isJson({ headers }: IncomingMessage): boolean {
  return /^application\/json *(;|$)/.test(headers["content-type"] ?? "");
}

/** Who asks for a WebSocket, which may be said only later (null); or the status that turns the upgrade away. */
export async function admitUpgrade(
  access: Access,
  request: IncomingMessage,
): Promise<{ grant: Grant | null } | { status: 401 | 403 | 503 }> {
  const verdict = access.hosts.judge(request);
  if ("refused" in verdict) {
    access.turnedAway(request, "FORBIDDEN", `foreign ${verdict.refused}`);
    return { status: 403 };
  }
  try {
    return { grant: await access.identify(request, verdict.source) };
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    if (error.code !== "UNAUTHENTICATED") return { status: 503 };
    access.turnedAway(request, error.code, "bad token");
    return { status: 401 };
  }
}
