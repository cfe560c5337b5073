import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { buildSchema } from "graphql";
import { useServer } from "graphql-ws/use/ws";
import { WebSocketServer } from "ws";
import { serve } from "../worker.js";
import { memoryInUse } from "./memory.js";

/**
 * graphql-ws on ws as its documentation sets it up, with graphql-js and nothing else. It takes the product's own
 * subscription, word for word, and a smallest one; neither ever emits.
 */
const schema = buildSchema(`
  type Query { nothing: String }
  type Subscription { staleNotice(watcherSessionKey: ID): StaleNotice! silent: String! }
  type StaleNotice {
    id: ID! watcherSessionKey: ID! targetSessionKey: ID! targetAgentId: ID! changesSince: Int! notified: Int!
    delivery: String! openedAt: String! text: String!
  }
`);
const silent: AsyncIterableIterator<never> = {
  next: () => new Promise(() => undefined),
  return: () => Promise.resolve({ value: undefined, done: true }),
  [Symbol.asyncIterator]: () => silent,
};
for (const field of Object.values(schema.getSubscriptionType()?.getFields() ?? {})) {
  field.subscribe = () => ({ ...silent });
}
const http = createServer();
useServer({ schema }, new WebSocketServer({ server: http, path: "/graphql" }));
await new Promise<void>((resolve) => http.listen(0, "127.0.0.1", resolve));

const commands = {
  async url(): Promise<string> {
    return `http://127.0.0.1:${(http.address() as AddressInfo).port}/graphql`; // it listens on TCP
  },
  memory: memoryInUse,
};
export type PlainSubscriptions = typeof commands;
serve(commands);
