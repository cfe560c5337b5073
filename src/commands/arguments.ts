import { type ParseArgsConfig, parseArgs } from "node:util";
import { type Rights, type Scope, scopeNames } from "../awareness/viewer.js";

/** A command line that says something else than what there is. Its message is one line. */
export class UsageError extends Error {
  constructor(message: string) {
    super(message);
    this.name = "UsageError";
  }
}

type Options = NonNullable<ParseArgsConfig["options"]>;
type Arguments<T extends Options> = ReturnType<
  typeof parseArgs<{ args: string[]; options: T; allowPositionals: true; strict: true }>
>;

/** The words and options after a command. Throws `UsageError` for an option that it does not have. */
export function readArguments<const T extends Options>(args: readonly string[], options: T): Arguments<T> {
  try {
    return parseArgs({ args: [...args], options, allowPositionals: true, strict: true });
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    throw new UsageError(`${message.split(/\. |\n/, 1)[0]}; see headsup --help`);
  }
}

export const rightsOptions = {
  scope: { type: "string", multiple: true },
  agents: { type: "string", multiple: true },
} as const;

/** `--scope read,write` and `--agents a,b` or `all`, each given once or more often. */
export function readRights(values: { scope?: string[]; agents?: string[] }, otherwise: readonly Scope[]): Rights {
  const scopes = listOf(values.scope).map((name) => {
    const scope = scopeNames.find((known) => known === name);
    if (scope === undefined) throw new UsageError(`--scope is one or more of ${scopeNames.join(",")}, not "${name}"`);
    return scope;
  });
  if (values.scope !== undefined && scopes.length === 0) {
    throw new UsageError(`--scope needs one or more of ${scopeNames.join(",")}`);
  }
  const agents = listOf(values.agents);
  if (values.agents !== undefined && agents.length === 0) throw new UsageError("--agents needs agent ids, or all");
  const all = agents.length === 0 || agents.includes("all");
  if (all && agents.length > 1) throw new UsageError("--agents is either all, or a list of agent ids");
  return { scopes: scopes.length === 0 ? otherwise : scopes, agents: all ? null : agents };
}

function listOf(values: readonly string[] | undefined): string[] {
  return (values ?? []).flatMap((value) => value.split(",").map((item) => item.trim())).filter((item) => item !== "");
}

const unitsMs: Record<string, number> = { m: 60_000, h: 3_600_000, d: 86_400_000, w: 604_800_000 };
const longestMs = 10 * 366 * 86_400_000;

/** A time from now such as `90m`, `12h`, `30d` or `4w`; null when absent. */
export function readExpiry(value: string | undefined, now: Date): Date | null {
  if (value === undefined) return null;
  const [, count = "", unit = ""] = /^([1-9]\d{0,6})([mhdw])$/.exec(value) ?? [];
  const ms = Number(count) * (unitsMs[unit] ?? 0);
  if (ms > 0 && ms <= longestMs) return new Date(now.getTime() + ms);
  throw new UsageError(`--expires-in is a time such as 90m, 12h, 30d or 4w, up to 10 years, not "${value}"`);
}
