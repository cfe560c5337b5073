import { GraphQLError } from "graphql";
import type { Logger } from "pino";
import { badInput, Refusal } from "../awareness/refusals.js";
import { fieldOf } from "./errorField.js";

/** What a client is told of anything that is not its own doing. */
const neutralMessage = "Something went wrong on the server. The call can be tried again.";
/** A message may quote the client's own input, of any length. */
const longestMessage = 1_000;

/** Errors made here. They may pass through more than one layer and must come out of each as they went in. */
const made = new WeakSet<GraphQLError>();

/**
 * What a client may see of any error, on every transport (contract, section 11): a refusal keeps its code and field; a
 * mistake in the operation or its variables becomes BAD_USER_INPUT with the input it is in; anything else becomes
 * INTERNAL_SERVER_ERROR with a neutral message, and is logged here in full, once.
 *
 * `extensions.http` and `extensions.unexpected` are Yoga's own: they set the HTTP status and are taken out before
 * anything is sent.
 */
export function toClientError(error: unknown, log: Logger): GraphQLError {
  const ready = alreadyMade(error);
  if (ready !== undefined) return ready;
  const outer = error instanceof GraphQLError ? error : undefined;
  const refusal = refusalBehind(error);
  if (refusal === undefined) log.error({ err: rootOf(error), path: outer?.path }, "unexpected error in an operation");
  else if (refusal.cause !== undefined) log.warn({ err: refusal.cause, path: outer?.path }, refusal.message);

  const { code, field, retryAfterMs, message } = refusal ?? new Refusal("INTERNAL_SERVER_ERROR", neutralMessage);
  const clientError = new GraphQLError(
    message.length > longestMessage ? `${message.slice(0, longestMessage)}…` : message,
    {
      nodes: outer?.nodes,
      source: outer?.source,
      positions: outer?.positions,
      path: outer?.path,
      extensions: {
        code,
        ...(field === undefined ? {} : { field }),
        ...(retryAfterMs === undefined ? {} : { retryAfterMs }),
        ...(outer?.extensions.http === undefined ? {} : { http: outer.extensions.http }),
        ...(code === "INTERNAL_SERVER_ERROR" ? { unexpected: true } : {}),
      },
    },
  );
  made.add(clientError);
  return clientError;
}

/** The same error without what is Yoga's own, for transports that Yoga does not serve. */
export function withoutInternals(error: GraphQLError): GraphQLError {
  const { http: _http, unexpected: _unexpected, ...extensions } = error.extensions;
  const { nodes, source, positions, path } = error;
  const visible = new GraphQLError(error.message, { nodes, source, positions, path, extensions });
  made.add(visible);
  return visible;
}

function alreadyMade(error: unknown): GraphQLError | undefined {
  for (let each = error; each instanceof GraphQLError; each = each.originalError) if (made.has(each)) return each;
  return undefined;
}

function rootOf(error: unknown): unknown {
  let root = error;
  while (root instanceof GraphQLError && root.originalError != null) root = root.originalError;
  return root;
}

function refusalBehind(error: unknown): Refusal | undefined {
  const root = rootOf(error);
  if (root instanceof Refusal) return root;
  if (!(error instanceof GraphQLError && root instanceof GraphQLError)) return undefined;
  // Once a field is being resolved, a mistake in its arguments still points at them; what points at nothing is a result
  // that the schema cannot express, and that is ours.
  if (error.path !== undefined && root.nodes === undefined) return undefined;
  if (hasStatus(error, 413)) return new Refusal("LIMIT_EXCEEDED", error.message);
  return badInput(fieldOf(error), error.message);
}

function hasStatus(error: GraphQLError, status: number): boolean {
  const http = error.extensions.http;
  return typeof http === "object" && http !== null && "status" in http && http.status === status;
}
