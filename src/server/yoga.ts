import type { ExecutionResult } from "graphql";
import { createYoga, isAsyncIterable, type Plugin } from "graphql-yoga";
import type { Logger } from "pino";
import type { GraphQLContext } from "../graphql/builder.js";
import { toClientError } from "../graphql/errors.js";
import { schema } from "../graphql/schema.js";
import { explorerOptions, explorerPage } from "./explorer.js";
import { limitedBodies, readableRequests } from "./requests.js";

/** Results that are to be written as server-sent events, by the response that stands for them. */
export type EventStreams = WeakMap<Response, AsyncIterable<ExecutionResult>>;

export type GraphQLEngine = ReturnType<typeof createEngine>;

/**
 * GraphQL with everything that holds for all transports: the schema, and what a client may see of an error. HTTP goes
 * through the engine as a whole; WebSocket uses its parse, validate, execute and subscribe, so plugins apply to both.
 */
export function createEngine(log: Logger, eventStreams: EventStreams) {
  return createYoga<GraphQLContext>({
    schema,
    graphqlEndpoint: "/graphql",
    landingPage: false,
    graphiql: explorerOptions,
    renderGraphiQL: explorerPage,
    cors: false, // Yoga would reflect any origin
    batching: false,
    multipart: false, // nothing is ever uploaded
    maxRequestBodySize: false, // see limitedBodies
    logging: false, // toClientError logs what there is to log, once
    maskedErrors: { maskError: (error) => toClientError(error, log) },
    plugins: [limitedBodies(), readableRequests(), errorsOfEveryResult(log), streamsLeftToTheServer(eventStreams)],
  });
}

/** Masking covers execution only; parsing, validation and the request itself are covered here. */
function errorsOfEveryResult(log: Logger): Plugin {
  return {
    onResultProcess({ result, setResult }) {
      if (isAsyncIterable(result) || Array.isArray(result) || result.errors === undefined) return;
      setResult({ ...result, errors: result.errors.map((error) => toClientError(error, log)) });
    },
  };
}

/**
 * Yoga's own event streams read up to 16 KiB ahead of the socket, go on reading for a client that has vanished while
 * the socket was full, and ping without looking at backpressure. So streams are set aside here and written in
 * eventStream.ts, one result at a time.
 */
function streamsLeftToTheServer(eventStreams: EventStreams): Plugin {
  return {
    onResultProcess({ request, result, setResultProcessor }) {
      if (Array.isArray(result) || !wantsEventStream(request, isAsyncIterable(result))) return;
      setResultProcessor((processed, fetchAPI) => {
        const response = new fetchAPI.Response(null);
        // Batching is off, so a result is never an array of them.
        if (!Array.isArray(processed))
          eventStreams.set(response, isAsyncIterable(processed) ? processed : only(processed));
        return response;
      }, "text/event-stream");
    },
  };
}

function wantsEventStream(request: Request, isStream: boolean): boolean {
  const accept = request.headers.get("accept") ?? "*/*";
  if (isStream) return /text\/event-stream|text\/\*|\*\/\*/.test(accept);
  return accept.includes("text/event-stream") && !/application\/|\*\/\*/.test(accept);
}

async function* only<T>(result: T): AsyncGenerator<T> {
  yield result;
}
