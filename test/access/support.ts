import { once } from "node:events";
import { type IncomingHttpHeaders, type IncomingMessage, type OutgoingHttpHeaders, request } from "node:http";
import { text } from "node:stream/consumers";
import { WebSocket } from "ws";
import type { Rights } from "../../src/awareness/viewer.js";
import { type GraphQLAnswer, startTestService, type TestService, type TestServiceOptions } from "../support/server.js";

/** The product with its door closed, and somebody who may do everything. */
export type GuardedService = TestService & {
  admin: Bearer;
  /** A new token with these rights. */
  bearer(rights: Rights): Promise<Bearer>;
};

/** Somebody with a token. */
export type Bearer = {
  token: string;
  id: string;
  gql(query: string, variables?: Record<string, unknown>): Promise<GraphQLAnswer>;
  headers: { authorization: string };
};

export async function startGuarded(options: TestServiceOptions = {}): Promise<GuardedService> {
  const service = await startTestService({ auth: "on", ...options });
  let count = 0;
  const bearer = async (rights: Rights): Promise<Bearer> => {
    count += 1;
    const { token, secret } = await service.awareness.tokens.create({ name: `tester ${count}`, ...rights });
    const headers = { authorization: `Bearer ${secret}` };
    return {
      token: secret,
      id: token.id,
      headers,
      gql: async (query, variables) => (await service.post(JSON.stringify({ query, variables }), headers)).json(),
    };
  };
  return { ...service, bearer, admin: await bearer({ scopes: ["admin"], agents: null }) };
}

export const codesOf = (answer: GraphQLAnswer) => answer.errors?.map(({ extensions }) => extensions.code);

export type Answer = { status: number; headers: IncomingHttpHeaders; body: string };

/** A request as it stands, with headers that `fetch` would not send. */
export async function exchange(
  url: string,
  { method = "GET", headers = {}, body = "" }: { method?: string; headers?: OutgoingHttpHeaders; body?: string },
): Promise<Answer> {
  const outgoing = request(url, { method, headers, agent: false });
  outgoing.end(body);
  const [response] = (await once(outgoing, "response")) as [IncomingMessage];
  return { status: response.statusCode ?? 0, headers: response.headers, body: await text(response) };
}

// biome-ignore lint/suspicious/noExplicitAny: what the server says is what the tests look at
export type Message = { type: string; id?: string; payload?: any };

export type Socket = {
  send(message: object): void;
  subscribe(id: string, query: string, variables?: object): void;
  next(): Promise<Message>;
  closed: Promise<{ code: number; reason: string }>;
  leave(): void;
};

/** A WebSocket that has said hello with these parameters; rejects with the status of an upgrade that was refused. */
export async function connect(
  wsUrl: string,
  { headers = {}, params }: { headers?: Record<string, string>; params?: Record<string, unknown> } = {},
): Promise<Socket> {
  const socket = new WebSocket(wsUrl, "graphql-transport-ws", { headers });
  const arrived: Message[] = [];
  const waiting: ((message: Message) => void)[] = [];
  socket.on("message", (data) => {
    const message: Message = JSON.parse(String(data));
    const resolve = waiting.shift();
    if (resolve === undefined) arrived.push(message);
    else resolve(message);
  });
  const closed = new Promise<{ code: number; reason: string }>((resolve) => {
    socket.once("close", (code, reason) => resolve({ code, reason: String(reason) }));
  });
  await new Promise<void>((resolve, reject) => {
    socket.once("open", resolve);
    socket.once("error", reject);
    socket.once("unexpected-response", (_request, response: IncomingMessage) => {
      response.destroy();
      reject(new Error(`upgrade refused: ${response.statusCode}`));
    });
  });
  const send = (message: object) => socket.send(JSON.stringify(message));
  send({ type: "connection_init", ...(params === undefined ? {} : { payload: params }) });
  return {
    send,
    subscribe: (id, query, variables) => send({ type: "subscribe", id, payload: { query, variables } }),
    next: () => {
      const message = arrived.shift();
      return message === undefined ? new Promise((resolve) => waiting.push(resolve)) : Promise.resolve(message);
    },
    closed,
    leave: () => socket.close(),
  };
}

/** The audit lines so far. */
export function auditOf(service: { logged: readonly string[] }): Record<string, unknown>[] {
  return service.logged.map((line) => JSON.parse(line)).filter(({ event }) => event === "audit");
}
