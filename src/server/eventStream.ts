import type { ServerResponse } from "node:http";
import type { ExecutionResult } from "graphql";
import type { Logger } from "pino";
import { toClientError, withoutInternals } from "../graphql/errors.js";
import type { Metrics } from "./metrics.js";

const comment = ":\n\n";

/**
 * Writes results as server-sent events (the "distinct connections" mode of graphql-sse). The next result is asked for
 * only when the one before has left for the network, so that a slow reader makes nothing pile up here (contract,
 * section 7). Ends when the results end or `signal` aborts, because the client is gone or the server is closing; an
 * interrupted stream ends without `complete`, which tells the client to come back.
 */
export async function writeEventStream(
  response: ServerResponse,
  results: AsyncIterable<ExecutionResult>,
  { signal, keepAliveMs, log, metrics }: { signal: AbortSignal; keepAliveMs: number; log: Logger; metrics: Metrics },
): Promise<void> {
  const iterator = results[Symbol.asyncIterator]();
  const stop = () => void iterator.return?.().catch(() => {}); // nobody is left to be told
  signal.addEventListener("abort", stop, { once: true });
  if (signal.aborted) stop();
  response.writeHead(200, {
    "content-type": "text/event-stream; charset=utf-8",
    "cache-control": "no-cache, no-transform",
    "x-accel-buffering": "no", // nginx would hold events back
    connection: "close", // the connection goes with its stream: kept alive, it would hold up the closing of the server
  });
  const send = createSender(response, signal);
  const pings = setInterval(send.idly, keepAliveMs);
  try {
    await send.now(comment); // some browsers wait for a first byte before they say that the stream is open
    for (let next = await iterator.next(); !next.done; next = await iterator.next()) {
      await send.now(`event: next\ndata: ${JSON.stringify(visible(next.value, log, metrics))}\n\n`);
      if (signal.aborted) break;
    }
    if (!signal.aborted) await send.now("event: complete\ndata:\n\n");
  } finally {
    clearInterval(pings);
    signal.removeEventListener("abort", stop);
    stop();
    response.end();
  }
}

function createSender(response: ServerResponse, signal: AbortSignal) {
  let writing = false;
  return {
    /** Resolves when the text has been handed to the network, or there is no more point in waiting for that. */
    async now(text: string): Promise<void> {
      if (signal.aborted) return;
      writing = true;
      await new Promise<void>((resolve) => {
        const done = () => {
          signal.removeEventListener("abort", done);
          resolve();
        };
        signal.addEventListener("abort", done, { once: true });
        response.write(text, done);
      });
      writing = false;
    },
    /** A sign of life, unless something is on its way already: that is one, and a full socket must not get fuller. */
    idly(): void {
      if (!writing && !response.writableNeedDrain && !signal.aborted) response.write(comment);
    },
  };
}

function visible(result: ExecutionResult, log: Logger, metrics: Metrics): ExecutionResult {
  if (result.errors === undefined) return result;
  const errors = result.errors.map((error) => withoutInternals(toClientError(error, log)));
  metrics.told(errors);
  return { ...result, errors };
}
