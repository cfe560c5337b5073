import SchemaBuilder from "@pothos/core";
import RelayPlugin from "@pothos/plugin-relay";
import type { Awareness, Page, Payload } from "../awareness/awareness.js";
import type { Viewer } from "../awareness/viewer.js";

/** What every resolver is given, whichever transport the operation came over. */
export type GraphQLContext = {
  /** As far as the viewer reaches. */
  awareness: Awareness;
  viewer: Viewer;
  /** Writes one audit line: a refused access or an act that only an admin may do. */
  audit(act: string, details: Record<string, unknown>): void;
};

/**
 * The one schema builder. Fields are non-null unless they say otherwise, as in the contract; connections have the
 * contract's shape: `edges`, `nodes` and `pageInfo`, none of them nullable.
 */
export const builder = new SchemaBuilder<{
  Context: GraphQLContext;
  DefaultFieldNullability: false;
  DefaultEdgesNullability: { list: false; items: false };
  DefaultNodeNullability: false;
  Scalars: {
    ID: { Input: string; Output: string };
    DateTime: { Input: Date; Output: Date };
    JSONObject: { Input: Record<string, unknown>; Output: Payload };
    StateVersion: { Input: number; Output: number };
  };
}>({
  defaultFieldNullability: false,
  plugins: [RelayPlugin],
  relay: {
    cursorType: "String",
    nodeQueryOptions: false,
    nodesQueryOptions: false,
    edgesFieldOptions: {
      nullable: { list: false, items: false },
      description: "The items of this page, each with its place in the list.",
    },
    nodeFieldOptions: { nullable: false, description: "The item itself." },
    nodesOnConnection: { description: "The items of this page, when their cursors are not needed." },
    pageInfoFieldOptions: { description: "Whether there is more, and where to go on." },
    cursorFieldOptions: { description: "The place of this item: hand it back as `after` to read on behind it." },
    pageInfoTypeOptions: { description: "Where a page of a list begins and ends." },
    hasNextPageFieldOptions: { description: "True when more items follow: ask again with `after: endCursor`." },
    hasPreviousPageFieldOptions: { description: "True when this page was asked for with `after`." },
    startCursorFieldOptions: { description: "The cursor of the first item; null on an empty page." },
    endCursorFieldOptions: { description: "The cursor of the last item; null on an empty page." },
  },
});

builder.queryType({ description: "Reading. No query moves a cursor or changes anything else." });
builder.mutationType({ description: "Writing. A call that is refused with an error has written nothing." });
builder.subscriptionType({ description: "Being told, over WebSocket (graphql-transport-ws) or server-sent events." });

/** A page of the domain in the shape that Relay connections have; lists are only ever read forwards. */
export function toConnection<T>(page: Page<T>, after: string | null | undefined) {
  return {
    edges: page.edges,
    pageInfo: {
      hasNextPage: page.hasNextPage,
      hasPreviousPage: after != null,
      startCursor: page.edges[0]?.cursor ?? null,
      endCursor: page.edges.at(-1)?.cursor ?? null,
    },
  };
}

/**
 * An enum whose values are the names of a domain union, each with its description: a name that the union gains or
 * loses stops the build here.
 */
export function describedEnum<Name extends string>(name: string, description: string, names: Record<Name, string>) {
  const values: Partial<Record<Name, { value: Name; description: string }>> = {};
  for (const key of Object.keys(names) as Name[]) values[key] = { value: key, description: names[key] };
  // Object.keys and the loop above fill every name, which the type system cannot see.
  return builder.enumType(name, { description, values: values as Record<Name, { value: Name; description: string }> });
}
