import type { IncomingMessage } from "node:http";
import { canonicalAuthority } from "../config/access.js";

export type HostOptions = {
  /** The address that the server listens on. */
  host: string;
  /** Known once it listens, which is before the first request. */
  port: () => number;
  allowedHosts: readonly string[];
  allowedOrigins: readonly string[];
};

/**
 * Where a request comes from: from no page (`none`, as agents do), from a page of this very server (`own`), or from one
 * of the listed origins elsewhere (`listed`).
 */
export type Source = "none" | "own" | "listed";
export type Verdict = { source: Source } | { refused: "host" | "origin" };

export type Hosts = {
  /** Where a request comes from, and whether it may; to be asked before anything else is done with it. */
  judge(request: IncomingMessage): Verdict;
  /** The name by which this server is reached through TLS, for cookies. */
  isBehindTls(request: IncomingMessage): boolean;
};

/**
 * The first check of every request and every upgrade. A page on the internet can make a browser send requests to
 * loopback, and by rebinding its own name to 127.0.0.1 even read the answers: so the name that a request is sent to
 * must be one of ours, and the page that sends it too. Both are compared with a list as whole strings, in the spelling
 * that browsers use: what differs in any way is refused.
 */
export function createHosts(options: HostOptions): Hosts {
  let known: Names | undefined;
  const names = () => {
    known ??= namesOf(options);
    return known;
  };

  function sourceOf(request: IncomingMessage): Source | null {
    const [origin, ...more] = valuesOf(request, "origin");
    if (origin === undefined) return "none";
    if (more.length > 0) return null;
    if (names().own.has(origin)) return "own";
    return names().listed.has(origin) ? "listed" : null;
  }

  return {
    judge(request) {
      const [name, ...more] = valuesOf(request, "host");
      if (name === undefined || more.length > 0 || !names().hosts.has(name)) return { refused: "host" };
      const source = sourceOf(request);
      return source === null ? { refused: "origin" } : { source };
    },
    isBehindTls(request) {
      const [name = ""] = valuesOf(request, "host");
      return request.headers["x-forwarded-proto"] === "https" || names().listed.has(`https://${name}`);
    },
  };
}

type Names = { hosts: ReadonlySet<string>; own: ReadonlySet<string>; listed: ReadonlySet<string> };

function namesOf({ host, port, allowedHosts, allowedOrigins }: HostOptions): Names {
  const hosts = [...boundNames(host, port()), ...allowedHosts];
  const origins = hosts.flatMap((name) => [new URL(`http://${name}`).origin, new URL(`https://${name}`).origin]);
  return { hosts: new Set(hosts), own: new Set(origins), listed: new Set(allowedOrigins) };
}

/** The names under which a server that listens on `host` is reached from its own machine. */
function boundNames(host: string, port: number): string[] {
  const address = host.split("%", 1)[0] ?? host; // the zone of an address never leaves its machine
  const bound = canonicalAuthority(address.includes(":") ? `[${address}]` : address);
  const names = ["127.0.0.1", "localhost", "[::1]", ...(bound === null ? [] : [bound])];
  // 80 is left out by whoever speaks http.
  return names.flatMap((name) => (port === 80 ? [name, `${name}:80`] : [`${name}:${port}`]));
}

/** Node keeps only the first of two Host headers; a proxy in front may have taken the second. */
function valuesOf({ rawHeaders }: IncomingMessage, name: string): string[] {
  return rawHeaders.filter((_, index) => index % 2 === 1 && rawHeaders[index - 1]?.toLowerCase() === name);
}
