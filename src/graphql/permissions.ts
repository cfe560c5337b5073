import { defaultFieldResolver, type GraphQLField, type GraphQLSchema } from "graphql";
import type { AppendInput, SessionName, WatchName } from "../awareness/awareness.js";
import { Refusal } from "../awareness/refusals.js";
import { agentOf, checkKey, resolveSession } from "../awareness/sessionKey.js";
import type { Scope, Viewer } from "../awareness/viewer.js";
import type { GraphQLContext } from "./builder.js";

type AgentSet = ReadonlySet<string>;
type Watcher = { watcherSessionKey: string };
type Input<T> = { input: T };

/** What a field needs: every one of the scopes, and (where not everything is reached) its own sessions as arguments. */
type Need = { readonly scopes: readonly Scope[]; readonly confine: (agents: AgentSet, args: never) => void };

function need<Args>(scopes: readonly Scope[], confine: (agents: AgentSet, args: Args) => void): Need {
  return { scopes, confine };
}

const read: readonly Scope[] = ["read"];
const write: readonly Scope[] = ["write"];
/** Writing on what one must be allowed to read. */
const both: readonly Scope[] = ["read", "write"];
const admin = need(["admin"], () => {}); // an admin reaches all agents

/**
 * What `headsup node` does. Who writes for all agents may log a person's message in any session as it is, so that reading
 * transcripts for them gives no new power; an agent's own token cannot pose as a machine. Nothing that is to be read comes
 * back, only what nodes reported.
 */
const node = need(write, () => {
  throw new Refusal("FORBIDDEN", "A node reports for all agents: its token must not be confined to some.");
});

/**
 * Who may ask for what: every field of Query, Mutation and Subscription. A field that is not here stops the server from
 * starting. Lists are open to every reader; `within` sees to it that they hold nothing but what the reader reaches.
 */
export const needs: Readonly<Record<string, Need>> = {
  "Query.viewer": need([], () => {}),
  "Query.sessionStatus": need(read, (agents, name: SessionName) => ownSession(agents, name)),
  "Query.sessionsList": need(read, () => {}),
  "Query.watches": need(read, () => {}),
  "Query.upstreamCatalog": need(read, () => {}),
  "Query.pendingNotices": need(read, (agents, args: Watcher) => ownWatcher(agents, args)),
  "Subscription.sessionChanged": need(read, () => {}),
  "Subscription.staleNotice": need(read, (agents, args: Partial<Watcher>) => subscribes(agents, args)),

  "Mutation.append": need(write, (agents, { input }: Input<AppendInput>) => appends(agents, input, "")),
  "Mutation.appendMany": need(write, (agents, { inputs }: { inputs: AppendInput[] }) =>
    inputs.forEach((input, index) => {
      appends(agents, input, `inputs[${index}].`);
    }),
  ),
  "Mutation.registerSession": need(write, (agents, { input }: Input<SessionName>) => ownSession(agents, input)),
  "Mutation.resetSession": need(write, (agents, { input }: Input<SessionName>) => ownSession(agents, input)),
  "Mutation.noteOwnPrompt": need(write, (agents, { input }: Input<SessionName>) => ownSession(agents, input)),

  "Mutation.watch": need(both, (agents, { input }: Input<WatchName>) => ownPair(agents, input)),
  "Mutation.unwatch": need(both, (agents, { input }: Input<WatchName>) => ownPair(agents, input)),
  "Mutation.reconcile": need(both, (agents, { input }: Input<WatchName>) => ownPair(agents, input)),
  "Mutation.drainNotices": need(both, (agents, { input }: Input<Watcher>) => ownWatcher(agents, input)),
  "Mutation.acknowledgeNotices": need(both, (agents, { input }: Input<Watcher>) => ownWatcher(agents, input)),

  "Query.nodeWork": node,
  "Mutation.reportNode": node,
  "Mutation.reportCheck": node,
  "Mutation.reportStart": node,

  "Mutation.deleteSession": admin,
  "Mutation.adoptSession": admin,
};

/**
 * The same schema, guarded: whatever transport an operation comes over, each of its root fields is checked before its
 * resolver runs. Throws for a root field without an entry in `needs`.
 */
export function guarded(schema: GraphQLSchema): GraphQLSchema {
  for (const type of [schema.getQueryType(), schema.getMutationType(), schema.getSubscriptionType()]) {
    for (const field of Object.values(type?.getFields() ?? {})) guard(`${type?.name}.${field.name}`, field);
  }
  return schema;
}

type Field = GraphQLField<unknown, GraphQLContext>;

function guard(path: string, field: Field): void {
  const entry = Object.hasOwn(needs, path) ? needs[path] : undefined;
  if (entry === undefined) throw new Error(`${path} has no entry in graphql/permissions.ts`);
  const { resolve = defaultFieldResolver, subscribe } = field;
  if (subscribe !== undefined) {
    field.subscribe = (root, args, context, info) => {
      enter(path, entry, args, context);
      return subscribe(root, args, context, info);
    };
    return;
  }
  field.resolve = (root, args, context, info) => {
    enter(path, entry, args, context);
    const result: unknown = resolve(root, args, context, info);
    return entry === admin ? audited(path, args.input, context, result) : result;
  };
}

async function audited(path: string, input: unknown, { audit }: GraphQLContext, act: unknown): Promise<unknown> {
  const result = await act;
  audit("admin act", { field: path, ...sessionIn(input) });
  return result;
}

function enter(path: string, entry: Need, args: unknown, { viewer, audit }: GraphQLContext): void {
  try {
    check(entry, viewer, args);
  } catch (error) {
    if (error instanceof Refusal && error.code === "FORBIDDEN") audit("refused", { code: error.code, field: path });
    throw error;
  }
}

function check(entry: Need, viewer: Viewer, args: unknown): void {
  const missing = entry.scopes.filter((scope) => !viewer.scopes.has(scope));
  if (missing.length > 0) throw new Refusal("FORBIDDEN", `This needs a token with the scope ${missing.join(", ")}.`);
  // The library's edge: the schema has checked the arguments against the field that `entry` is for.
  if (viewer.agents !== null) entry.confine(viewer.agents, args as never);
}

function ownSession(agents: AgentSet, name: SessionName, prefix = ""): void {
  const fields = { key: `${prefix}sessionKey`, agent: `${prefix}agentId` };
  if (!agents.has(resolveSession(name, fields).agentId)) throw foreign("a session", fields.key);
}

function ownWatcher(agents: AgentSet, { watcherSessionKey }: Watcher): void {
  const watcher = agentOf(checkKey(watcherSessionKey, "watcherSessionKey"));
  if (watcher === null || !agents.has(watcher)) throw foreign("a watcher", "watcherSessionKey");
}

function ownPair(agents: AgentSet, pair: WatchName): void {
  ownWatcher(agents, pair);
  const target = { sessionKey: pair.targetSessionKey, agentId: pair.targetAgentId };
  const { agentId } = resolveSession(target, { key: "targetSessionKey", agent: "targetAgentId" });
  if (!agents.has(agentId)) throw foreign("a target", "targetSessionKey");
}

function subscribes(agents: AgentSet, { watcherSessionKey }: Partial<Watcher>): void {
  if (watcherSessionKey == null) {
    throw new Refusal(
      "FORBIDDEN",
      "The notices of all watchers are for a token that reads all agents: name a watcher.",
    );
  }
  ownWatcher(agents, { watcherSessionKey });
}

/**
 * One's own sessions; anybody's in the name of one's own session. A spawn makes its actor watch the session, so both of
 * them must be its own. (A bare actor cannot watch, and is only written down.)
 */
function appends(agents: AgentSet, input: AppendInput, prefix: string): void {
  const { agentId } = resolveSession(input, { key: `${prefix}sessionKey`, agent: `${prefix}agentId` });
  const actor = input.actor.id == null ? null : agentOf(input.actor.id);
  const isOwnActor = actor !== null && agents.has(actor);
  const spawns = input.kind === "CHILD_SPAWNED";
  if (agents.has(agentId)) {
    if (spawns && actor !== null && !isOwnActor) throw foreign("an actor", `${prefix}actor.id`);
    return;
  }
  if (spawns || !isOwnActor || input.actor.type !== "AGENT") throw foreign("a session", `${prefix}sessionKey`);
}

function foreign(what: string, field: string): Refusal {
  return new Refusal("FORBIDDEN", `This token does not reach the agent of ${what} named here.`, { field });
}

/** What an admin act was done to, for the audit line. */
function sessionIn(input: unknown): { sessionKey?: unknown; agentId?: unknown } {
  if (typeof input !== "object" || input === null) return {};
  return {
    ...("sessionKey" in input ? { sessionKey: input.sessionKey } : {}),
    ...("agentId" in input ? { agentId: input.agentId } : {}),
  };
}
