import { isLiving, type Token } from "../awareness/tokenDesk.js";
import type { Config } from "../config.js";
import { readArguments, readExpiry, readRights, rightsOptions, UsageError } from "./arguments.js";
import { type Console, withTokens } from "./withTokens.js";

export const tokenHelp = `Usage: headsup token <create | list | revoke>

  headsup token create --name NAME [--scope LIST] [--agents LIST] [--expires-in TIME]
      Makes a token and prints it, this once: only its hash is kept.
      --scope       one or more of read,write,admin; read if absent. Watching and draining need read,write.
      --agents      ids of the agents whose sessions it reaches, such as lead,coder; all if absent
      --expires-in  such as 90m, 12h, 30d or 4w; never if absent

  headsup token list [--all]
      Shows the tokens and browser sessions that are good, with --all also those that are over.

  headsup token revoke ID|NAME
      Ends a token or a browser session. What it has open on a running server ends within 5 seconds.

Works on the database that DATABASE_URL names, while the server runs or while it does not.
`;

/** `headsup token ...`: who may come in, on the configured database. */
export async function runToken(args: readonly string[], config: Config, console: Console): Promise<void> {
  const [action, ...rest] = args;
  if (action === "create") return create(rest, config, console);
  if (action === "list") return list(rest, config, console);
  if (action === "revoke") return revoke(rest, config, console);
  const said = action === undefined ? "nothing" : `"${action}"`;
  throw new UsageError(`token takes create, list or revoke, not ${said}; see headsup token --help`);
}

async function create(args: readonly string[], config: Config, console: Console): Promise<void> {
  const options = { name: { type: "string" }, "expires-in": { type: "string" }, ...rightsOptions } as const;
  const { values, positionals } = readArguments(args, options);
  noMore(positionals);
  const { name } = values;
  if (!name) throw new UsageError("token create needs --name, such as --name coder");
  const rights = readRights(values, ["read"]);
  const expiresAt = readExpiry(values["expires-in"], new Date());
  const made = await withTokens(config, { mayMake: true, console }, (tokens) =>
    tokens.create({ name, ...rights, expiresAt }),
  );
  console.out(`${made.secret}\n`);
  console.err(`That is the token "${name}" (${made.token.id}): ${spell(made.token)}. It is shown this once.\n`);
}

async function list(args: readonly string[], config: Config, console: Console): Promise<void> {
  const { values, positionals } = readArguments(args, { all: { type: "boolean" } });
  noMore(positionals);
  const now = new Date();
  const tokens = await withTokens(config, { mayMake: false, console }, (desk) => desk.list());
  const shown = values.all ? tokens : tokens.filter((token) => isLiving(token, now));
  const header = ["ID", "NAME", "KIND", "SCOPES", "AGENTS", "CREATED", "EXPIRES", "LAST USED", "STATUS"];
  console.out(table([header, ...shown.map((token) => rowOf(token, now))]));
}

async function revoke(args: readonly string[], config: Config, console: Console): Promise<void> {
  const { positionals } = readArguments(args, {});
  const [idOrName, ...more] = positionals;
  if (idOrName === undefined) throw new UsageError("token revoke needs the id or the name of a token");
  noMore(more);
  const revoked = await withTokens(config, { mayMake: false, console }, (tokens) => tokens.revoke(idOrName));
  if (revoked === null)
    throw new UsageError(`no good token has the id or name "${idOrName}"; see headsup token list --all`);
  console.out(`revoked ${revoked.id} ${revoked.name}\n`);
}

function noMore(positionals: readonly string[]): void {
  if (positionals.length > 0) throw new UsageError(`"${positionals[0]}" is not understood; see headsup token --help`);
}

function spell({ scopes, agents, expiresAt }: Token): string {
  const reach = agents === null ? "all agents" : `the agents ${agents.join(", ")}`;
  return `${scopes.join(", ")} for ${reach}, ${expiresAt === null ? "for ever" : `until ${day(expiresAt)}`}`;
}

function rowOf(token: Token, now: Date): string[] {
  const { id, name, kind, scopes, agents, createdAt, expiresAt, lastUsedAt, revokedAt } = token;
  const over = revokedAt === null ? "expired" : `revoked ${day(revokedAt)}`;
  return [
    id,
    name,
    kind.toLowerCase(),
    scopes.join(","),
    agents === null ? "all" : agents.join(","),
    day(createdAt),
    expiresAt === null ? "never" : day(expiresAt),
    lastUsedAt === null ? "-" : day(lastUsedAt),
    isLiving(token, now) ? "good" : over,
  ];
}

/** To the minute, in UTC. */
function day(time: Date): string {
  return `${time.toISOString().slice(0, 16).replace("T", " ")}Z`;
}

function table(rows: readonly string[][]): string {
  const widths = (rows[0] ?? []).map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)));
  const lines = rows.map((row) =>
    row
      .map((cell, column) => cell.padEnd(widths[column] ?? 0))
      .join("  ")
      .trimEnd(),
  );
  return `${lines.join("\n")}\n`;
}
