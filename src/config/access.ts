import { isIP } from "node:net";
import { ConfigError, shown } from "./configError.js";

export type Auth = "on" | "off";

/** Whether an address is this machine's own for certain. A name such as `localhost` is whatever a resolver says. */
export function isLoopbackLiteral(host: string): boolean {
  if (isIP(host) === 4) return host.startsWith("127.");
  return isIP(host) === 6 && canonicalAuthority(`[${host}]`) === "[::1]";
}

export function readAuth(value: string, host: string): Auth {
  if (value !== "on" && value !== "off") {
    throw new ConfigError("HEADSUP_AUTH", `${shown(value)} must be on or off`);
  }
  if (value === "off" && !isLoopbackLiteral(host)) {
    throw new ConfigError(
      "HEADSUP_AUTH",
      `"off" is for a loopback address only, and HOST is ${shown(host)}: leave it on, or set HOST to 127.0.0.1`,
    );
  }
  return value;
}

/** Host names, separated by commas, each exactly as clients write it into the Host header. */
export function readHosts(list: string): string[] {
  return entriesOf(list).map((entry) => {
    const host = canonicalAuthority(entry);
    if (host !== null) return host;
    throw new ConfigError(
      "HEADSUP_ALLOWED_HOSTS",
      `${shown(entry)} must be a host with or without port, such as headsup.example.com or 192.168.1.5:4000`,
    );
  });
}

/** Origins of web pages, separated by commas. */
export function readOrigins(list: string): string[] {
  return entriesOf(list).map((entry) => {
    const [, scheme, rest = ""] = /^(https?):\/\/([^/]+)\/?$/i.exec(entry) ?? [];
    const host = canonicalAuthority(rest);
    if (scheme !== undefined && host !== null) return new URL(`${scheme}://${host}`).origin;
    throw new ConfigError(
      "HEADSUP_ALLOWED_ORIGINS",
      `${shown(entry)} must be an origin without path or wildcard, such as https://app.example.com`,
    );
  });
}

function entriesOf(list: string): string[] {
  return list
    .split(",")
    .map((entry) => entry.trim())
    .filter((entry) => entry !== "");
}

/**
 * A host with or without port as browsers spell it: lower case, addresses in their shortest form. Null for anything
 * else: wildcards, user names, paths, trailing dots, numbers that only look like addresses.
 */
export function canonicalAuthority(text: string): string | null {
  const [, name = "", port] = /^(\[[0-9a-f:.]+\]|[a-z0-9_-]+(?:\.[a-z0-9_-]+)*)(?::(\d{1,5}))?$/i.exec(text) ?? [];
  if (name === "" || Number(port ?? 0) > 65_535 || !URL.canParse(`http://${name}`)) return null;
  const { hostname } = new URL(`http://${name}`);
  // The URL parser takes 0x7f.1 for 127.0.0.1; what is meant must be what is written.
  if (isIP(hostname) === 4 && hostname !== name) return null;
  return port === undefined ? hostname : `${hostname}:${Number(port)}`;
}
