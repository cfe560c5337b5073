import { type ExecutionArgs, type ExecutionResult, GraphQLError, getOperationAST, OperationTypeNode } from "graphql";
import type { SubscribePayload } from "graphql-ws";
import type { RequestContext } from "./operationLimits.js";
import type { GraphQLEngine } from "./yoga.js";

/** What Yoga prepares for one operation: kept until it is run and no longer, for a subscription may run for days. */
type Prepared = ReturnType<GraphQLEngine["getEnveloped"]>;
const prepared = new WeakMap<ExecutionArgs, Prepared>();

/** The arguments for one operation; throws what is wrong with it, a list of errors when validation found them. */
export async function prepare(
  engine: GraphQLEngine,
  context: RequestContext,
  payload: SubscribePayload,
): Promise<ExecutionArgs> {
  const params = {
    query: payload.query,
    operationName: payload.operationName ?? undefined,
    variables: payload.variables ?? undefined,
  };
  const enveloped: Prepared = engine.getEnveloped({ ...context, params });
  const document = enveloped.parse(payload.query);
  const errors: readonly GraphQLError[] = enveloped.validate(enveloped.schema, document);
  if (errors.length > 0) throw errors;
  if (!getOperationAST(document, payload.operationName)) throw new GraphQLError("Unable to identify operation");
  const args: ExecutionArgs = {
    schema: enveloped.schema,
    operationName: payload.operationName,
    document,
    variableValues: payload.variables,
    contextValue: await enveloped.contextFactory(),
    rootValue: undefined,
  };
  prepared.set(args, enveloped);
  return args;
}

/** Whether it is a subscription that `prepare` has prepared. */
export function isSubscription({ document, operationName }: ExecutionArgs): boolean {
  return getOperationAST(document, operationName)?.operation === OperationTypeNode.SUBSCRIPTION;
}

/** Runs an operation as Yoga would; what it throws becomes its answer, for the same reason as above. */
export async function answered(
  args: ExecutionArgs,
  how: "execute" | "subscribe",
  visible: (errors: readonly unknown[]) => GraphQLError[],
): Promise<ExecutionResult | AsyncIterable<ExecutionResult>> {
  const run = prepared.get(args)?.[how];
  prepared.delete(args);
  try {
    if (run === undefined) throw new Error("an operation is prepared once and run once");
    return await run(args);
  } catch (error) {
    return { errors: visible([error]) };
  }
}
