import { once } from "node:events";
import { createServer, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";

/** Passes requests on, keeps their bodies and the answers, and can lose an answer. */
export type RecordingProxy = {
  origin: string;
  /** Bodies of requests and answers, and where they went. */
  traffic: { path: string; body: string; answer: string }[];
  /** Lets the request through that comes next with these words in it, and loses its answer; resolves when it was lost. */
  loseAnswerTo(words: string): Promise<void>;
  stop(): Promise<void>;
};

export async function startProxy(target: () => string): Promise<RecordingProxy> {
  const traffic: RecordingProxy["traffic"] = [];
  let losing: { words: string; lost: () => void } | null = null;
  const server = createServer(async (request: IncomingMessage, response) => {
    const body = await text(request);
    const headers = { "content-type": "application/json", authorization: request.headers.authorization ?? "" };
    try {
      const answer = await fetch(`${target()}${request.url}`, { method: "POST", headers, body });
      const answered = await answer.text();
      traffic.push({ path: String(request.url), body, answer: answered });
      if (losing !== null && body.includes(losing.words)) {
        const { lost } = losing;
        losing = null;
        request.socket.destroy();
        lost();
        return;
      }
      response.writeHead(answer.status, { "content-type": "application/json" }).end(answered);
    } catch {
      response.writeHead(502).end();
    }
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    traffic,
    loseAnswerTo: (words) =>
      new Promise((lost) => {
        losing = { words, lost };
      }),
    async stop() {
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
}
