import type { ExecutionResult } from "graphql";
import { createYoga, isAsyncIterable, type Plugin } from "graphql-yoga";
import type { Logger } from "pino";
import type { Maximums } from "../config.js";
import { toClientError } from "../graphql/errors.js";
import { schema } from "../graphql/schema.js";
import { createDocumentCache } from "./documentCache.js";
import { explorerOptions, explorerPage } from "./explorer.js";
import type { Metrics } from "./metrics.js";
import { operationLimits, type RequestContext } from "./operationLimits.js";
import { quickVariables } from "./quickVariables.js";
import { createMutationRate } from "./rateLimits.js";
import { jsonBodies, readableQueries } from "./requests.js";
import { plainSubscriptions } from "./subscribing.js";

/** Results that are to be written as server-sent events, by the response that stands for them. */
export type EventStreams = WeakMap<Response, AsyncIterable<ExecutionResult>>;

export type GraphQLEngine = ReturnType<typeof createEngine>;

type EngineOptions = { log: Logger; eventStreams: EventStreams; max: Maximums; metrics: Metrics };

/**
 * GraphQL with everything that holds for all transports: the schema, and what a client may see of an error. HTTP goes
 * through the engine as a whole; WebSocket uses its parse, validate, execute and subscribe, so plugins apply to both.
 */
export function createEngine({ log, eventStreams, max, metrics }: EngineOptions) {
  return createYoga<RequestContext>({
    schema,
    graphqlEndpoint: "/graphql",
    landingPage: false,
    graphiql: explorerOptions,
    renderGraphiQL: explorerPage,
    cors: false, // Yoga would reflect any origin
    batching: false,
    multipart: false, // nothing is ever uploaded
    maxRequestBodySize: false, // see jsonBodies
    logging: false, // toClientError logs what there is to log, once
    maskedErrors: { maskError: (error) => toClientError(error, log) },
    // A refused text is refused again more cheaply than it is remembered.
    parserAndValidationCache: {
      documentCache: createDocumentCache(),
      errorCache: { get: () => undefined, set: () => {} },
    },
    plugins: [
      jsonBodies(max.requestBytes),
      readableQueries(),
      operationLimits(max, createMutationRate(max.mutationsPer10s)),
      errorsOfEveryResult(log, metrics),
      streamsLeftToTheServer(eventStreams),
      quickVariables(schema),
      plainSubscriptions(),
    ],
  });
}

/** Masking covers execution only; parsing, validation and the request itself are covered here. */
function errorsOfEveryResult(log: Logger, metrics: Metrics): Plugin {
  return {
    onResultProcess({ request, result, setResult }) {
      if (isAsyncIterable(result) || Array.isArray(result) || result.errors === undefined) return;
      const errors = result.errors.map((error) => toClientError(error, log));
      if (!wantsEventStream(request, false)) metrics.told(errors); // a stream counts what it writes
      setResult({ ...result, errors });
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
