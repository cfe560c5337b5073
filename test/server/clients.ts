import { once } from "node:events";
import { type ClientRequest, type IncomingMessage, request } from "node:http";
import { createInterface } from "node:readline";
import WebSocket from "ws";

export const listening = "subscription ($w: ID) { staleNotice(watcherSessionKey: $w) { id targetSessionKey text } }";

// biome-ignore lint/suspicious/noExplicitAny: what the server says is what the tests look at
export type Message = { type: string; id?: string; payload?: any };

/** A WebSocket that speaks graphql-transport-ws by hand, so that a test sees every message and can misbehave. */
export type SocketClient = {
  socket: WebSocket;
  send(message: Message | string): void;
  subscribe(id: string, query: string, variables?: object): void;
  /** The next message that has not been read yet. */
  next(): Promise<Message>;
  /** The code and reason it was closed with. */
  closed: Promise<{ code: number; reason: string }>;
};

export async function openSocket(wsUrl: string, options: WebSocket.ClientOptions = {}): Promise<SocketClient> {
  const socket = new WebSocket(wsUrl, "graphql-transport-ws", options);
  const messages = createQueue<Message>();
  socket.on("message", (data) => messages.push(JSON.parse(String(data))));
  const closed = new Promise<{ code: number; reason: string }>((resolve) => {
    socket.once("close", (code, reason) => resolve({ code, reason: String(reason) }));
  });
  const send = (message: Message | string) =>
    socket.send(typeof message === "string" ? message : JSON.stringify(message));
  await once(socket, "open");
  send({ type: "connection_init" });
  await messages.next(); // connection_ack
  return {
    socket,
    send,
    subscribe: (id, query, variables) => send({ type: "subscribe", id, payload: { query, variables } }),
    next: messages.next,
    closed,
  };
}

/** An event stream, line by line. */
export type StreamClient = {
  request: ClientRequest;
  response: IncomingMessage;
  /** The next line that is not empty. */
  line(): Promise<string>;
  /** The data of the next event of type `next`. */
  next(): Promise<Message["payload"]>;
  /** Resolves when the server has ended the stream properly. */
  ended: Promise<unknown>;
  leave(): void;
};

export async function openStream(
  url: string,
  query: string,
  variables: object = {},
  headers: Record<string, string> = {},
): Promise<StreamClient> {
  const outgoing = request(url, {
    method: "POST",
    headers: { accept: "text/event-stream", "content-type": "application/json", ...headers },
    agent: false,
  });
  outgoing.on("error", () => {}); // leaving breaks the connection
  outgoing.end(JSON.stringify({ query, variables }));
  const [response] = (await once(outgoing, "response")) as [IncomingMessage];
  response.on("error", () => {});
  const lines = createQueue<string>();
  const reader = createInterface(response);
  reader.on("error", () => {});
  reader.on("line", (text) => {
    if (text !== "") lines.push(text);
  });
  const line = lines.next;
  return {
    request: outgoing,
    response,
    line,
    async next() {
      for (let text = await line(); ; text = await line()) {
        if (text.startsWith("data: {")) return JSON.parse(text.slice("data: ".length));
      }
    },
    ended: new Promise((resolve) => response.once("end", resolve)),
    leave: () => outgoing.destroy(),
  };
}

function createQueue<T>() {
  const arrived: T[] = [];
  const waiting: ((item: T) => void)[] = [];
  return {
    push(item: T) {
      const resolve = waiting.shift();
      if (resolve === undefined) arrived.push(item);
      else resolve(item);
    },
    next(): Promise<T> {
      const item = arrived.shift();
      return item === undefined ? new Promise((resolve) => waiting.push(resolve)) : Promise.resolve(item);
    },
  };
}
