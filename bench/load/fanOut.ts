import { drainOperation, type Operation } from "../operations.js";
import { serve } from "../worker.js";
import { openGraphQLSocket, subscribeFrame } from "./graphqlSocket.js";
import { HttpConnection, requestBytes } from "./httpConnection.js";
import { WebSocketConnection } from "./webSocketConnection.js";

const lostAfterMs = 30_000;
/** Every message that is counted carries a notice; a bare server sends the same bytes. */
const expected = Buffer.from('"staleNotice":{');

const sockets: WebSocketConnection[] = [];
let received = 0;
let sample = "";
let all: { count: number; resolve(): void; reject(error: Error): void } | undefined;

function listen(connection: WebSocketConnection): void {
  connection.onEnd = (error) => all?.reject(error);
  connection.onMessage = (message) => {
    if (!message.includes(expected)) {
      all?.reject(new Error(`unexpected message: ${message.toString().slice(0, 500)}`));
      return;
    }
    received += 1;
    if (received === 1) sample = message.toString();
    if (received === all?.count) all.resolve();
  };
}

const commands = {
  /** Opens a connection for each operation and begins it; without operations, `count` bare connections. */
  async open({ url, operations, count }: { url: string; operations: Operation[]; count: number }): Promise<void> {
    for (let index = 0; index < count; index += 1) {
      const operation = operations[index];
      const connection = await (operation ? openGraphQLSocket(url) : WebSocketConnection.open(url));
      listen(connection);
      if (operation) connection.send(subscribeFrame(operation));
      sockets.push(connection);
    }
  },
  /**
   * Posts an operation (or, to a bare server, the word to broadcast) and waits until every connection has got its
   * message. Milliseconds from the post to the last of them, one of the messages, and the share of its core used.
   */
  async trigger({ url, operation }: { url: string; operation: Operation }) {
    const connection = await HttpConnection.open(url);
    const request = requestBytes(url, operation);
    received = 0;
    const complete = new Promise<void>((resolve, reject) => {
      all = { count: sockets.length, resolve, reject };
      setTimeout(() => reject(new Error(`${received} of ${sockets.length} messages came`)), lostAfterMs).unref();
    });
    const cpu = process.cpuUsage();
    const start = performance.now();
    connection.exchange(request).catch((error: Error) => all?.reject(error));
    await complete;
    const ms = performance.now() - start;
    const { user, system } = process.cpuUsage(cpu);
    connection.close();
    return { ms, sample, busy: (user + system) / 1_000 / ms };
  },
  /** Acknowledges what each of these watchers was told; not measured. */
  async drain({ url, watchers }: { url: string; watchers: string[] }): Promise<void> {
    const connection = await HttpConnection.open(url);
    for (const watcher of watchers) await connection.exchange(requestBytes(url, drainOperation(watcher)));
    connection.close();
  },
};
export type FanOutLoad = typeof commands;
serve(commands);
