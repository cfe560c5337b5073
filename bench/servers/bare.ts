import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { WebSocketServer } from "ws";
import { serve } from "../worker.js";

/**
 * The cheapest servers that answer with given bytes: the comparators of the WebSocket rows, and what load generators are
 * checked against. Nothing of the product is in them.
 */
let httpAnswer = "";
let socketAnswers: readonly string[] | null = null;

const http = createServer((request, response) => {
  request.resume();
  request.on("end", () => {
    if (request.url === "/broadcast") for (const socket of webSockets.clients) socket.send(httpAnswer);
    const body = Buffer.from(request.url === "/broadcast" ? "{}" : httpAnswer);
    response.writeHead(200, { "content-type": "application/json", "content-length": body.byteLength }).end(body);
  });
});
const webSockets = new WebSocketServer({ server: http, perMessageDeflate: false });
webSockets.on("connection", (socket) => {
  socket.on("message", (data) => {
    for (const answer of socketAnswers ?? [String(data)]) socket.send(answer);
  });
});
await new Promise<void>((resolve) => http.listen(0, "127.0.0.1", resolve));

const commands = {
  async url(): Promise<string> {
    return `http://127.0.0.1:${(http.address() as AddressInfo).port}/graphql`; // it listens on TCP
  },
  /** What every request gets from now on, and every socket when `/broadcast` is posted to. */
  async answerHttp(text: string): Promise<void> {
    httpAnswer = text;
  },
  /** What every message gets from now on; null: the message itself. */
  async answerSockets(texts: string[] | null): Promise<void> {
    socketAnswers = texts;
  },
};
export type BareServer = typeof commands;
serve(commands);
