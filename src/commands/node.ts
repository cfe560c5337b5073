import { pino } from "pino";
import { createClient } from "../client/index.js";
import { type Config, limits } from "../config.js";
import { startNode } from "../node/node.js";
import { readArguments, UsageError } from "./arguments.js";
import type { Console } from "./withTokens.js";

/** `headsup node`: watches over the transcripts of this machine for a server elsewhere. Resolves after SIGINT or SIGTERM. */
export async function runNode(
  args: readonly string[],
  config: Config,
  environment: Readonly<Record<string, string | undefined>>,
  console: Console,
): Promise<void> {
  const options = { server: { type: "string" }, token: { type: "string" }, name: { type: "string" } } as const;
  const { values, positionals } = readArguments(args, options);
  if (positionals.length > 0) throw new UsageError(`"${positionals[0]}" is not understood; see headsup node --help`);
  const url = serverUrl(values.server);
  const nodeId = nodeName(values.name);
  const token = values.token ?? environment.HEADSUP_TOKEN;
  if (!token) throw new UsageError("node needs --token, or the token in HEADSUP_TOKEN; see headsup node --help");
  const { claudeDir, codexDir, monitorIntervalMs: intervalMs, monitorFirstMs: firstMs } = config;
  const log = pino({ level: config.logLevel }, pino.destination({ dest: 2, sync: true }));
  const client = createClient({ url, token, timeoutMs: limits.upstreamCheckMs });
  const node = startNode({ client, nodeId, claudeDir, codexDir, intervalMs, firstMs, limits, log });
  const signalled = new Promise<void>((resolve) => {
    for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => resolve());
  });
  try {
    const ready = node.ready.then(() => console.out(`headsup node ${nodeId} reports to ${withoutQuery(url)}\n`));
    await Promise.race([ready.then(() => node.ended), signalled]);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new UsageError(`the server does not take this node's reports: ${reason}`);
  } finally {
    await node.stop();
  }
}

/** An address with or without the path of GraphQL. */
function serverUrl(server: string | undefined): string {
  if (server === undefined) throw new UsageError("node needs --server, such as --server https://headsup.example.com");
  if (!/^https?:\/\/[^/]/.test(server) || !URL.canParse(server)) {
    throw new UsageError("--server must be an address that begins with http:// or https://");
  }
  const url = new URL(server);
  // No request can be made to such an address, and an address is shown in places where a password must not be.
  if (url.username !== "" || url.password !== "") {
    throw new UsageError("node needs --server without a user or password in it; who it is says --token");
  }
  if (url.pathname === "/") url.pathname = "/graphql";
  return url.href;
}

/** What may be shown of an address: what stands behind it can be a secret too. */
function withoutQuery(url: string): string {
  const { origin, pathname } = new URL(url);
  return origin + pathname;
}

function nodeName(name: string | undefined): string {
  if (name !== undefined && /^[A-Za-z0-9][A-Za-z0-9_-]{0,63}$/.test(name) && name !== "local") return name;
  throw new UsageError('node needs --name: 1 to 64 letters, digits, _ or -, and not "local"');
}
