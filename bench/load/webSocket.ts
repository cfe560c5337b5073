import type { Operation } from "../operations.js";
import { serve } from "../worker.js";
import { closedLoop, type LoopClient } from "./closedLoop.js";
import { openGraphQLSocket, subscribeFrame } from "./graphqlSocket.js";
import { WebSocketConnection } from "./webSocketConnection.js";

export type WebSocketLoadOptions = {
  url: string;
  /** One connection each: the operation it repeats. */
  operations: Operation[];
  /** What every right `next` contains. */
  expect: string;
  /** False for a bare server, which acknowledges nothing but answers `next` and `complete`. */
  graphql: boolean;
};

const complete = Buffer.from('"type":"complete"');

/** An operation's messages, until it is complete. */
function clientOn(connection: WebSocketConnection, operation: Operation, expect: string): LoopClient {
  const frame = subscribeFrame(operation);
  const expected = Buffer.from(expect);
  let settle: { resolve(size: number): void; reject(error: Error): void } | undefined;
  let answered = 0;
  connection.onEnd = (error) => settle?.reject(error);
  connection.onMessage = (message) => {
    if (message.includes(complete)) settle?.resolve(answered);
    else if (message.includes(expected)) answered = message.length;
    else settle?.reject(new Error(`unexpected message: ${message.toString().slice(0, 500)}`));
  };
  return {
    once: () =>
      new Promise((resolve, reject) => {
        settle = { resolve, reject };
        connection.send(frame);
      }),
    close: () => connection.close(),
  };
}

const commands = {
  ...closedLoop(async ({ url, operations, expect, graphql }: WebSocketLoadOptions) =>
    Promise.all(
      operations.map(async (operation) => {
        const connection = await (graphql ? openGraphQLSocket(url) : WebSocketConnection.open(url));
        return clientOn(connection, operation, expect);
      }),
    ),
  ),
  /** The messages that one operation is answered with. */
  async answers({ url, operation }: { url: string; operation: Operation }): Promise<string[]> {
    const connection = await openGraphQLSocket(url);
    const messages = await new Promise<string[]>((resolve, reject) => {
      const seen: string[] = [];
      connection.onEnd = reject;
      connection.onMessage = (message) => {
        seen.push(message.toString());
        if (message.includes(complete)) resolve(seen);
      };
      connection.send(subscribeFrame(operation));
    });
    connection.close();
    return messages;
  },
};
export type WebSocketLoad = typeof commands;
serve(commands);
