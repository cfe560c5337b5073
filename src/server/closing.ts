import type { Server } from "node:http";
import type { Duplex } from "node:stream";
import type { Logger } from "pino";
import type { WebSocket, WebSocketServer } from "ws";
import { settledWithin } from "../clock.js";
import type { InFlight } from "./inFlight.js";
import { serverLimits } from "./limits.js";

type Closing = {
  server: Server;
  webSockets: WebSocketServer;
  inFlight: InFlight;
  farewell: AbortController;
  /** Connections that neither Node's server nor that of WebSockets closes. */
  upgraded: ReadonlySet<Duplex>;
  graceMs: number;
  log: Logger;
};

const goingAway = 1001;

/**
 * The order of closing (contract, section 7): nobody new comes in; what is being done is answered; WebSockets close
 * with 1001 and event streams end; who does not leave by then is cut off. Takes `graceMs` at most.
 */
export async function closeInOrder(closing: Closing): Promise<void> {
  const { server, webSockets, inFlight, farewell, upgraded, graceMs, log } = closing;
  const serverClosed = new Promise<void>((resolve) => server.close(() => resolve())); // idle connections close with it
  const goodbyeMs = Math.min(serverLimits.goodbyeMs, graceMs / 2);

  if (!(await settledWithin(graceMs - goodbyeMs, [inFlight.idle()])))
    log.warn("closing without waiting for slow operations");

  farewell.abort();
  const sockets = [...webSockets.clients];
  const socketsClosed = Promise.all(sockets.map(closed));
  for (const socket of sockets) socket.close(goingAway, "Going away");
  // Connections kept alive by clients have just answered their last request.
  server.closeIdleConnections();
  if (!(await settledWithin(goodbyeMs, [socketsClosed, serverClosed]))) log.warn("cutting off clients that stay");

  for (const socket of webSockets.clients) socket.terminate();
  for (const socket of upgraded) socket.destroy();
  server.closeAllConnections();
  webSockets.close();
  await Promise.all([socketsClosed, serverClosed]);
}

function closed(socket: WebSocket): Promise<void> {
  return new Promise((resolve) => {
    if (socket.readyState === socket.CLOSED) resolve();
    else socket.once("close", () => resolve());
  });
}
