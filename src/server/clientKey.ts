import type { IncomingMessage } from "node:http";

/**
 * Who the limits count somebody as: the token, or the address while nobody has said who they are. Behind a proxy
 * everybody without a token is one address, and shares one allowance.
 */
export function clientKey(request: IncomingMessage, viewer?: { tokenId: string }): string {
  return viewer === undefined ? `address ${request.socket.remoteAddress ?? ""}` : `token ${viewer.tokenId}`;
}
