import { resolve } from "node:path";
import { ConfigError, shown } from "./configError.js";

/** `file` is an absolute path; `url` is for the driver alone, as it may hold a password. */
export type DatabaseConfig =
  | { readonly kind: "sqlite"; readonly file: string }
  | { readonly kind: "postgresql"; readonly url: string };

/** Which database a `DATABASE_URL` names. Throws `ConfigError`, which shows no password. */
export function readDatabase(url: string): DatabaseConfig {
  if (url.startsWith("file:") || url === ":memory:") return { kind: "sqlite", file: readDatabaseFile(url) };
  if (!/^postgres(ql)?:\/\//.test(url)) {
    throw badDatabaseUrl(url, "must start with file: (SQLite) or postgresql:// (PostgreSQL)");
  }
  // The driver takes `user@/database` for the local server; `URL` alone would not.
  if (URL.canParse(url.replace("@/", "@localhost/"))) return { kind: "postgresql", url };
  throw badDatabaseUrl(url, "must read postgresql://user:password@host:5432/database, special characters as %XX");
}

/** The path as it stands after `file:`, nothing decoded; `file:///x` is `/x`. */
function readDatabaseFile(url: string): string {
  const path = url.replace(/^file:(\/\/(?=\/))?/, "");
  const expected = "give a path alone, such as file:./data/headsup.db or file:/absolute/path.db";
  if (path === ":memory:") throw badDatabaseUrl(url, `is memory, which two connections cannot share: ${expected}`);
  if (path.includes("?")) throw badDatabaseUrl(url, `has parameters, which are not supported: ${expected}`);
  if (/^\/\/./.test(path)) throw badDatabaseUrl(url, `names another host: ${expected}`);
  if (/(^|[/\\])\.{0,2}$|\0/.test(path)) throw badDatabaseUrl(url, `names no file: ${expected}`);
  return resolve(path);
}

function badDatabaseUrl(url: string, problem: string): ConfigError {
  return new ConfigError("DATABASE_URL", `${shown(withoutSecrets(url))} ${problem}`);
}

/** A URL with whatever may be a password left out, also where it is no proper URL. */
function withoutSecrets(url: string): string {
  if (url.startsWith("file:")) return url;
  const scheme = /^[A-Za-z][A-Za-z0-9+.-]*:/.exec(url)?.[0] ?? "";
  if (scheme === "" && !/[@=]/.test(url)) return url;
  if (!URL.canParse(url)) return `${scheme}***`;
  const { host, pathname, username, password } = new URL(url);
  const user = username || password ? "***@" : "";
  // An @ elsewhere means that a password with a slash or the like was taken for host and path.
  const misread = pathname.includes("@") || (user === "" && url.includes("@"));
  return host === "" || misread ? `${scheme}***` : `${scheme}//${user}${host}${pathname}`;
}
