import { type ServerResponse, STATUS_CODES } from "node:http";
import type { Duplex } from "node:stream";
import type { Refusal } from "../awareness/refusals.js";
import { serverLimits } from "./limits.js";

/** Answers that need no GraphQL. None of them may be kept by a cache. */

export function sayLine(response: ServerResponse, status: number, line: string): void {
  response.writeHead(status, { "content-type": "text/plain; charset=utf-8", "cache-control": "no-store" });
  response.end(`${line}\n`);
}

export function showPage(response: ServerResponse, status: number, html: string): void {
  response.writeHead(status, { "content-type": "text/html; charset=utf-8", "cache-control": "no-store" });
  response.end(html);
}

/** A GraphQL answer for when GraphQL cannot be asked. */
export function refuse(response: ServerResponse, status: number, refusal: Refusal): void {
  response.writeHead(status, {
    "content-type": "application/json; charset=utf-8",
    "cache-control": "no-store",
    ...retryAfter(refusal),
  });
  response.end(bodyOf(refusal));
}

/** Turns a WebSocket away before it is one. */
export function refuseUpgrade(socket: Duplex, status: number, refusal?: Refusal): void {
  socket.on("error", () => socket.destroy()); // nothing more is said to a client that is turned away
  const body = refusal === undefined ? "" : bodyOf(refusal);
  const headers = {
    connection: "close",
    "content-length": String(Buffer.byteLength(body)),
    ...(refusal === undefined ? {} : { "content-type": "application/json; charset=utf-8", ...retryAfter(refusal) }),
  };
  // A client that keeps its own half open would hold the connection for ever.
  socket.once("finish", () => socket.destroy());
  const tooLate = setTimeout(() => socket.destroy(), serverLimits.goodbyeMs);
  socket.once("close", () => clearTimeout(tooLate));
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  socket.end(`HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${lines.join("")}\r\n${body}`);
}

function bodyOf({ code, message, field, retryAfterMs }: Refusal): string {
  return JSON.stringify({ errors: [{ message, extensions: { code, field, retryAfterMs } }] });
}

function retryAfter({ retryAfterMs }: Refusal): Record<string, string> {
  return retryAfterMs === undefined ? {} : { "retry-after": String(Math.ceil(retryAfterMs / 1_000)) };
}
