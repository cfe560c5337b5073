import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { type WebSocket, WebSocketServer } from "ws";
import type { StaleNotice } from "../../src/client/types.js";

type Message = { type: string; id?: string; payload?: Record<string, unknown> };
export type Peer = {
  socket: WebSocket;
  /** What the client sent as connection parameters. */
  params: Record<string, unknown> | undefined;
  send(message: Record<string, unknown>): void;
};

/** What the server does on purpose; absent means the polite thing. All of it is on one real port. */
export type Script = {
  http?: (request: IncomingMessage, response: ServerResponse) => void;
  /** The status that refuses a WebSocket's upgrade, or undefined to let it in. */
  refuseUpgrade?: () => number | undefined;
  /** Default: acknowledges. */
  connectionInit?: (peer: Peer) => void;
  subscribe?: (peer: Peer, id: string, payload: Record<string, unknown>) => void;
  complete?: (peer: Peer, id: string) => void;
  /** Returns false where a ping is to stay without an answer. */
  ping?: () => boolean;
  /** The answer to a ping of ours: all that was sent before it has been read. */
  pong?: (peer: Peer) => void;
};

/**
 * A server that misbehaves as told, for what the real one does only when it breaks. It speaks the graphql-transport-ws
 * protocol by hand, so each message in a test is one that really crossed the wire.
 */
export async function startScriptedServer(script: Script) {
  const http = createServer((request, response) => {
    if (script.http) script.http(request, response);
    else response.writeHead(404).end();
  });
  const sockets = new WebSocketServer({
    server: http,
    handleProtocols: () => "graphql-transport-ws",
    verifyClient: (_, decide) => {
      const status = script.refuseUpgrade?.();
      decide(status === undefined, status);
    },
  });
  sockets.on("connection", (socket) => converse(socket, script));
  http.listen(0, "127.0.0.1");
  await once(http, "listening");
  const { port } = http.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}/graphql`,
    sockets: sockets.clients,
    async stop() {
      for (const socket of sockets.clients) socket.terminate();
      sockets.close();
      http.closeAllConnections();
      http.close();
      await once(http, "close");
    },
  };
}

function converse(socket: WebSocket, script: Script): void {
  const peer: Peer = { socket, params: undefined, send: (message) => socket.send(JSON.stringify(message)) };
  socket.on("message", (data) => {
    const message: Message = JSON.parse(String(data));
    const { type, id = "", payload = {} } = message;
    if (type === "connection_init") {
      peer.params = message.payload;
      if (script.connectionInit) script.connectionInit(peer);
      else peer.send({ type: "connection_ack" });
    }
    if (type === "subscribe") script.subscribe?.(peer, id, payload);
    if (type === "complete") script.complete?.(peer, id);
    if (type === "ping" && script.ping?.() !== false) peer.send({ type: "pong" });
    if (type === "pong") script.pong?.(peer);
  });
}

export function noticeOf(target: string, notified: number): StaleNotice {
  return {
    id: `${target}@${notified}`,
    watcherSessionKey: "agent:lead:main",
    targetSessionKey: target,
    targetAgentId: "worker",
    changesSince: notified - 1,
    notified,
    delivery: "IMMEDIATE",
    openedAt: "2026-01-01T00:00:00.000Z",
    text: "",
  };
}

/** A notice as it crosses the wire. */
export function noticeMessage(id: string, target: string, notified: number) {
  return { id, type: "next", payload: { data: { staleNotice: noticeOf(target, notified) } } };
}

/** A refusal of a subscription as it crosses the wire. */
export function errorMessage(id: string, code: string) {
  return { id, type: "error", payload: [{ message: code, extensions: { code } }] };
}

/** A promise and its ends, for events that a test waits for. */
export function deferred<T = void>() {
  let resolve: (value: T) => void = () => {};
  const promise = new Promise<T>((settle) => {
    resolve = settle;
  });
  return { promise, resolve };
}
