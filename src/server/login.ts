import type { IncomingMessage, ServerResponse } from "node:http";
import { Refusal } from "../awareness/refusals.js";
import type { Access } from "./access.js";
import { refuse, sayLine, showPage } from "./answers.js";
import { noCodePage, usedLinkPage } from "./loginPages.js";

/** The address that logs one browser in, once. `base` is the server's own, such as `http://127.0.0.1:4000`. */
export function loginLink(base: string, code: string): string {
  return `${base}/login?code=${code}`;
}

/**
 * `GET /login?code=`: uses up the code, gives the browser a session of its own as a cookie, and leads on to the start
 * page. A browser that only looks ahead does not use the code up.
 */
export async function answerLogin(access: Access, request: IncomingMessage, response: ServerResponse): Promise<void> {
  if (request.method !== "GET") return sayLine(response, 405, "a login link is opened with GET");
  if (access.auth === "off") return leadOn(response);
  if (looksAhead(request)) return sayLine(response, 503, "this link is not for looking ahead");
  const code = new URL(request.url ?? "", "http://localhost").searchParams.get("code");
  if (!code) return showPage(response, 401, noCodePage);
  try {
    const session = await access.tokens.redeemLogin(code);
    if (session === null) {
      access.turnedAway(request, "UNAUTHENTICATED", "bad login link");
      return showPage(response, 401, usedLinkPage);
    }
    response.setHeader("set-cookie", cookie(access, request, session));
    leadOn(response);
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    refuse(response, 503, error);
  }
}

function leadOn(response: ServerResponse): void {
  response.writeHead(303, { location: "/", "cache-control": "no-store" }).end();
}

function cookie(access: Access, request: IncomingMessage, session: { secret: string; expiresAt: Date }): string {
  const attributes = ["Path=/", "HttpOnly", "SameSite=Strict", `Expires=${session.expiresAt.toUTCString()}`];
  if (access.hosts.isBehindTls(request)) attributes.push("Secure");
  return [`${access.cookieName(request)}=${session.secret}`, ...attributes].join("; ");
}

/** Browsers, and programs that show a preview of a link, say so. */
function looksAhead({ headers }: IncomingMessage): boolean {
  const purpose = [headers["sec-purpose"], headers.purpose, headers["x-moz"]].join(" ");
  return /prefetch|preview/.test(purpose);
}
