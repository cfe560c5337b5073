import { once } from "node:events";
import { type IncomingMessage, request } from "node:http";
import { text } from "node:stream/consumers";
import { authorization, type Target } from "./target.js";

export const transports = ["HTTP", "SSE", "WebSocket"] as const;
export type Transport = (typeof transports)[number];
/** `variables` is JSON text: some of it is nested too deeply to be written by JSON.stringify. */
export type Operation = { query: string; variables?: string };
// biome-ignore lint/suspicious/noExplicitAny: a test asserts on what it asked for itself
export type Result = { data?: any; errors?: any };

/** Sends one operation over one of the transports and returns its first result. */
export function ask(target: Target, transport: Transport, operation: Operation): Promise<Result> {
  if (transport === "HTTP") return overHttp(target, operation);
  return transport === "SSE" ? overEvents(target, operation) : overSocket(target, operation);
}

function bodyOf({ query, variables = "{}" }: Operation): string {
  return `{"query":${JSON.stringify(query)},"variables":${variables}}`;
}

async function overHttp(target: Target, operation: Operation): Promise<Result> {
  return (await target.post(bodyOf(operation))).body;
}

async function overEvents(target: Target, operation: Operation): Promise<Result> {
  const outgoing = request(target.url, {
    method: "POST",
    headers: { accept: "text/event-stream", "content-type": "application/json", ...authorization },
    agent: false,
  });
  outgoing.end(bodyOf(operation));
  const [response] = (await once(outgoing, "response")) as [IncomingMessage];
  const data = /^data: (\{.*)$/m.exec(await text(response))?.[1];
  return JSON.parse(data ?? "{}");
}

async function overSocket(target: Target, operation: Operation): Promise<Result> {
  const client = await target.socket();
  try {
    client.send(`{"type":"subscribe","id":"a","payload":${bodyOf(operation)}}`);
    const message = await client.next();
    return message.type === "error" ? { errors: message.payload } : message.payload;
  } finally {
    client.socket.terminate();
  }
}
