import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { adminToken, type Operation } from "../operations.js";

const endOfHead = Buffer.from("\r\n\r\n");

/** The bytes of one POST of an operation. Made once: what a generator repeats must cost it nothing. */
export function requestBytes(url: string, operation: Operation): Buffer {
  const { host, pathname } = new URL(url);
  const body = JSON.stringify(operation);
  const head = [
    `POST ${pathname} HTTP/1.1`,
    `host: ${host}`,
    "content-type: application/json",
    "accept: application/json",
    `authorization: Bearer ${adminToken}`,
    `content-length: ${Buffer.byteLength(body)}`,
  ];
  return Buffer.from(`${head.join("\r\n")}\r\n\r\n${body}`);
}

/**
 * One kept-alive connection that sends a request when the answer before it is there. By hand on a socket, because
 * Node's own client costs about as much as the server that is to be measured. Reads answers with a content-length only.
 */
export class HttpConnection {
  readonly #socket: Socket;
  #received: Buffer = Buffer.alloc(0);
  #settle: { resolve(body: Buffer): void; reject(error: Error): void } | undefined;

  private constructor(socket: Socket) {
    this.#socket = socket;
    socket.setNoDelay(true);
    socket.on("data", (chunk: Buffer) => this.#receive(chunk));
    socket.on("error", (error) => this.#settle?.reject(error));
    socket.on("close", () => this.#settle?.reject(new Error("the server closed the connection")));
  }

  static async open(url: string): Promise<HttpConnection> {
    const { hostname, port } = new URL(url);
    const socket = connect({ host: hostname, port: Number(port) });
    await once(socket, "connect");
    return new HttpConnection(socket);
  }

  /** The body of the answer; rejects unless it is a 200. */
  exchange(request: Buffer): Promise<Buffer> {
    return new Promise((resolve, reject) => {
      this.#settle = { resolve, reject };
      this.#socket.write(request);
    });
  }

  close(): void {
    this.#settle = undefined;
    this.#socket.destroy();
  }

  #receive(chunk: Buffer): void {
    this.#received = this.#received.length === 0 ? chunk : Buffer.concat([this.#received, chunk]);
    const headEnd = this.#received.indexOf(endOfHead);
    if (headEnd < 0) return;
    const head = this.#received.toString("latin1", 0, headEnd);
    const length = Number(/\r\ncontent-length: (\d+)/i.exec(head)?.[1] ?? Number.NaN);
    const start = headEnd + endOfHead.length;
    if (this.#received.length < start + length) return;
    const body = this.#received.subarray(start, start + length);
    this.#received = Buffer.alloc(0);
    if (head.startsWith("HTTP/1.1 200 ") && !Number.isNaN(length)) this.#settle?.resolve(body);
    else this.#settle?.reject(new Error(`unexpected answer: ${head}\n${body.toString()}`));
  }
}
