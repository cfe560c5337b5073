/** What a token lets its bearer do. `admin` includes the other two, for all agents. */
export const scopeNames = ["read", "write", "admin"] as const;
export type Scope = (typeof scopeNames)[number];

/** The agents whose sessions somebody reaches; null for all of them. */
export type Agents = ReadonlySet<string> | null;

/** Whoever is let in. All of it comes from the stored token, none of it from what a client says of itself. */
export type Viewer = {
  readonly tokenId: string;
  readonly name: string;
  readonly scopes: ReadonlySet<Scope>;
  readonly agents: Agents;
};

export type Rights = { readonly scopes: readonly Scope[]; readonly agents: readonly string[] | null };

export function createViewer(tokenId: string, name: string, { scopes, agents }: Rights): Viewer {
  if (scopes.includes("admin")) return { tokenId, name, scopes: new Set(scopeNames), agents: null };
  return { tokenId, name, scopes: new Set(scopes), agents: agents && new Set(agents) };
}
