import type { GraphQLObjectType } from "graphql";
import { GraphQLBoolean, GraphQLNonNull } from "graphql";
import { loadSchema } from "../product.js";
import { serve } from "../worker.js";
import { memoryInUse } from "./memory.js";

/**
 * Loaded before the built server's main program: adds to its schema the fields that comparators need, so that they are
 * served by the very same process, engine and transports; and answers the bench about its memory.
 */
const { schema } = await loadSchema();

/** `mutation { benchNothing }`: all of the server, none of the domain. */
function addNothing(mutation: GraphQLObjectType): void {
  const fields = mutation.getFields();
  fields.benchNothing = {
    name: "benchNothing",
    description: "Does nothing.",
    type: new GraphQLNonNull(GraphQLBoolean),
    args: [],
    resolve: () => true,
    subscribe: undefined,
    deprecationReason: undefined,
    extensions: {},
    astNode: undefined,
  };
}

/**
 * A field of another name with the arguments and the type of `from`, whose answer for a session is worked out once, by
 * `from`, and then given from memory.
 */
function addFromMemory(type: GraphQLObjectType, from: string, name: string): void {
  const fields = type.getFields();
  const original = fields[from];
  const resolve = original?.resolve;
  if (original === undefined || resolve === undefined) throw new Error(`the schema has no field ${from}`);
  const known = new Map<string, unknown>();
  fields[name] = {
    ...original,
    name,
    resolve(...call) {
      const { sessionKey, input } = call[1];
      const session = sessionKey ?? input.sessionKey;
      const found = known.get(session);
      if (found !== undefined) return found;
      return Promise.resolve(resolve(...call)).then((answer) => {
        known.set(session, answer);
        return answer;
      });
    },
  };
}

const [query, mutation] = [schema.getQueryType(), schema.getMutationType()];
if (query == null || mutation == null) throw new Error("the schema has queries and mutations");
addNothing(mutation);
addFromMemory(mutation, "append", "benchAppend");
addFromMemory(query, "sessionStatus", "benchStatus");

const commands = { memory: memoryInUse };
export type ExtraCommands = typeof commands;
if (process.send !== undefined) serve(commands);
