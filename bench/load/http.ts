import type { Operation } from "../operations.js";
import { serve } from "../worker.js";
import { closedLoop, type LoadResult } from "./closedLoop.js";
import { HttpConnection, requestBytes } from "./httpConnection.js";

export type HttpLoadOptions = {
  /** One connection each: its server, and the operation it repeats. */
  connections: { url: string; operation: Operation }[];
  /** What every right answer contains. */
  expect: string;
};

/** Connections that each send their operation again as soon as it is answered. */
const loop = closedLoop(async ({ connections, expect }: HttpLoadOptions) =>
  Promise.all(
    connections.map(async ({ url, operation }) => {
      const connection = await HttpConnection.open(url);
      const request = requestBytes(url, operation);
      const expected = Buffer.from(expect);
      return {
        async once(): Promise<number> {
          const body = await connection.exchange(request);
          if (!body.includes(expected)) throw new Error(`unexpected answer: ${body.toString().slice(0, 500)}`);
          return body.length;
        },
        close: () => connection.close(),
      };
    }),
  ),
);

const commands = {
  ...loop,
  /** The answer to one operation, as text. */
  async answer({ url, operation }: { url: string; operation: Operation }): Promise<string> {
    const connection = await HttpConnection.open(url);
    const body = await connection.exchange(requestBytes(url, operation));
    connection.close();
    return body.toString();
  },
};
export type HttpLoad = typeof commands;
export type { LoadResult };

serve(commands);
