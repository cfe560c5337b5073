import type { Config } from "../config.js";
import { baseUrl } from "../server/baseUrl.js";
import { loginLink } from "../server/login.js";
import { readArguments, readRights, rightsOptions, UsageError } from "./arguments.js";
import { type Console, withTokens } from "./withTokens.js";

export const loginHelp = `Usage: headsup login [--scope LIST] [--agents LIST] [--url URL]

Prints a link that logs one browser in, once and within 10 minutes, for 7 days.
  --scope   one or more of read,write,admin; admin if absent
  --agents  ids of the agents whose sessions it reaches; all if absent
  --url     where the browser finds the server, such as https://headsup.example.com; HOST and PORT if absent
`;

/** `headsup login`: a way in for a person at a browser. */
export async function runLogin(args: readonly string[], config: Config, console: Console): Promise<void> {
  const { values, positionals } = readArguments(args, { url: { type: "string" }, ...rightsOptions });
  if (positionals.length > 0) throw new UsageError(`"${positionals[0]}" is not understood; see headsup login --help`);
  const base = values.url === undefined ? ownBase(config) : checkUrl(values.url);
  const rights = readRights(values, ["admin"]);
  const { code } = await withTokens(config, { mayMake: false, console }, (tokens) => tokens.createLogin(rights));
  console.out(`${loginLink(base, code)}\n`);
  console.err("It works once, within 10 minutes.\n");
}

function ownBase({ host, port }: Config): string {
  if (port === 0) throw new UsageError("with PORT=0 the server's port is not known here: give --url");
  return baseUrl(host, port);
}

function checkUrl(url: string): string {
  if (/^https?:\/\/[^/]+/.test(url) && URL.canParse(url)) return new URL(url).origin;
  throw new UsageError(`--url is an address such as https://headsup.example.com, not "${url}"`);
}
