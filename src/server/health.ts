import type { ServerResponse } from "node:http";
import type { RunningAwareness } from "../awareness/createAwareness.js";
import { serverLimits } from "./limits.js";
import type { Metrics } from "./metrics.js";
import type { Sockets } from "./sockets.js";

/** Whether the database answers, within a time that is of use to whoever asks. */
export async function isReady(awareness: RunningAwareness): Promise<boolean> {
  let timer: NodeJS.Timeout | undefined;
  const tooLate = new Promise<boolean>((resolve) => {
    timer = setTimeout(resolve, serverLimits.readyWaitMs, false);
  });
  try {
    return await Promise.race([awareness.ready(), tooLate]);
  } catch {
    return false;
  } finally {
    clearTimeout(timer);
  }
}

type Figures = { metrics: Metrics; awareness: RunningAwareness; sockets: Sockets };

export async function showMetrics({ metrics, awareness, sockets }: Figures, response: ServerResponse): Promise<void> {
  const body = await metrics.text({ awareness, sockets });
  response.writeHead(200, { "content-type": "text/plain; version=0.0.4; charset=utf-8", "cache-control": "no-store" });
  response.end(body);
}
