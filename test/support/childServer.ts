import type { ChildProcess } from "node:child_process";
import { createInterface } from "node:readline";

/** Where a server that was just started says it is; null when it ends without saying so. */
export async function readyUrl(child: ChildProcess): Promise<string | null> {
  if (child.stdout === null) return null;
  for await (const line of createInterface({ input: child.stdout })) {
    const url = /ready at (\S+)/.exec(line)?.[1];
    if (url === undefined) continue;
    // Nobody reads on: without this a full pipe would stop the server.
    child.stdout.resume();
    return url;
  }
  return null;
}

/** Everything that a stream brings until it ends. */
export async function collect(stream: NodeJS.ReadableStream | null): Promise<string> {
  let text = "";
  for await (const chunk of stream ?? []) text += String(chunk);
  return text;
}
