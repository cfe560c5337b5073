import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { adminToken } from "../operations.js";

const opcodes = { text: 0x1, close: 0x8, ping: 0x9, pong: 0xa } as const;
const endOfHead = Buffer.from("\r\n\r\n");

/** A client's frame of a text: final, masked with zeros, which leaves the payload as it is. */
export function textFrame(text: string): Buffer {
  return frame(opcodes.text, Buffer.from(text));
}

function frame(opcode: number, payload: Buffer): Buffer {
  const long = payload.length > 125;
  const head = Buffer.alloc(long ? 8 : 6);
  head[0] = 0x80 | opcode;
  head[1] = 0x80 | (long ? 126 : payload.length);
  if (long) head.writeUInt16BE(payload.length, 2); // nothing of 64 KiB or more is ever sent
  return Buffer.concat([head, payload]);
}

/**
 * A WebSocket by hand on a socket, for the same reason as `HttpConnection`: a generator must cost less than the server
 * that it measures. Understands whole uncompressed text messages, pings and a close.
 */
export class WebSocketConnection {
  /** Called with every message. */
  onMessage: (message: Buffer) => void = () => undefined;
  /** Called when the connection breaks. */
  onEnd: (error: Error) => void = () => undefined;
  readonly #socket: Socket;
  #received: Buffer = Buffer.alloc(0);

  private constructor(socket: Socket) {
    this.#socket = socket;
    socket.setNoDelay(true);
    socket.on("error", (error) => this.onEnd(error));
    socket.on("close", () => this.onEnd(new Error("the server closed the connection")));
  }

  /** Opens a connection to a `http:` address, with this subprotocol when there is one. */
  static async open(url: string, protocol?: string): Promise<WebSocketConnection> {
    const { host, hostname, port, pathname } = new URL(url);
    const socket = connect({ host: hostname, port: Number(port) });
    await once(socket, "connect");
    const lines = [
      `GET ${pathname} HTTP/1.1`,
      `host: ${host}`,
      "connection: Upgrade",
      "upgrade: websocket",
      "sec-websocket-version: 13",
      `sec-websocket-key: ${randomBytes(16).toString("base64")}`,
      `authorization: Bearer ${adminToken}`,
      ...(protocol === undefined ? [] : [`sec-websocket-protocol: ${protocol}`]),
    ];
    socket.write(`${lines.join("\r\n")}\r\n\r\n`);
    const connection = new WebSocketConnection(socket);
    await connection.#upgraded();
    return connection;
  }

  send(frameBytes: Buffer): void {
    this.#socket.write(frameBytes);
  }

  /** The next message; used before a measurement, when messages come one at a time. */
  async next(): Promise<string> {
    return new Promise((resolve, reject) => {
      this.onMessage = (message) => resolve(message.toString());
      this.onEnd = reject;
    });
  }

  close(): void {
    this.onEnd = () => undefined;
    this.#socket.destroy();
  }

  async #upgraded(): Promise<void> {
    let head = Buffer.alloc(0);
    while (!head.includes(endOfHead)) head = Buffer.concat([head, (await once(this.#socket, "data"))[0]]);
    const end = head.indexOf(endOfHead) + endOfHead.length;
    if (!head.toString("latin1", 0, end).startsWith("HTTP/1.1 101 ")) throw new Error(`no WebSocket: ${head}`);
    this.#socket.on("data", (chunk: Buffer) => this.#receive(chunk));
    if (head.length > end) this.#receive(head.subarray(end));
  }

  #receive(chunk: Buffer): void {
    let rest = this.#received.length === 0 ? chunk : Buffer.concat([this.#received, chunk]);
    for (;;) {
      const size = frameSize(rest);
      if (size === null || rest.length < size.head + size.payload) break;
      this.#take(rest[0] ?? 0, rest.subarray(size.head, size.head + size.payload));
      rest = rest.subarray(size.head + size.payload);
    }
    this.#received = rest;
  }

  #take(first: number, payload: Buffer): void {
    const opcode = first & 0x0f;
    if (first === (0x80 | opcodes.text)) this.onMessage(payload);
    else if (opcode === opcodes.ping) this.send(frame(opcodes.pong, payload));
    else if (opcode === opcodes.close) this.onEnd(new Error(`closed by the server: ${payload.subarray(2)}`));
    else throw new Error(`a frame that this client does not know: ${first}`);
  }
}

/** Sizes of the frame that begins here; null while its head is not there yet. */
function frameSize(bytes: Buffer): { head: number; payload: number } | null {
  if (bytes.length < 2) return null;
  const short = (bytes[1] ?? 0) & 0x7f;
  if (short < 126) return { head: 2, payload: short };
  const head = short === 126 ? 4 : 10;
  if (bytes.length < head) return null;
  return { head, payload: short === 126 ? bytes.readUInt16BE(2) : Number(bytes.readBigUInt64BE(2)) };
}
