/** IPv6 addresses stand in brackets in a URL. */
export function forUrl(host: string): string {
  return host.includes(":") ? `[${host}]` : host;
}

/** Where a person on the same machine finds a server that listens on `host`. */
export function baseUrl(host: string, port: number): string {
  const everywhere: Record<string, string> = { "0.0.0.0": "127.0.0.1", "::": "::1" };
  return `http://${forUrl(everywhere[host] ?? host)}:${port}`;
}
