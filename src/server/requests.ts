import { GraphQLError } from "graphql";
import type { FetchAPI, Plugin } from "graphql-yoga";

/** A mistake in the request around the operation, with the status that it has whatever the client accepts. */
function requestError(status: number, message: string): GraphQLError {
  return new GraphQLError(message, { extensions: { http: { status } } });
}

/**
 * Yoga has this limit too, but pipes every body through a counting stream, which halves the requests per second. A
 * length that the client has declared is kept to by Node, so only bodies without one need counting.
 */
export function limitedBodies(maxBytes: number): Plugin {
  const tooLarge = () => requestError(413, `A request may have ${maxBytes} bytes at most.`);
  return {
    onRequestParse({ request, requestParser, setRequestParser, fetchAPI }) {
      const declared = request.headers.get("content-length");
      if (Number(declared) > maxBytes) throw tooLarge();
      if (declared !== null || request.body === null || requestParser === undefined) return;
      setRequestParser((unlimited) => requestParser(counted(unlimited, fetchAPI, { maxBytes, tooLarge })));
    },
  };
}

function counted(
  request: Request,
  { Request, TransformStream }: FetchAPI,
  { maxBytes, tooLarge }: { maxBytes: number; tooLarge: () => GraphQLError },
): Request {
  let bytes = 0;
  const counter = new TransformStream<Uint8Array, Uint8Array>({
    transform(chunk, controller) {
      bytes += chunk.byteLength;
      if (bytes > maxBytes) controller.error(tooLarge());
      else controller.enqueue(chunk);
    },
  });
  const { url, method, headers, signal, body } = request;
  const init: RequestInit & { duplex: "half" } = {
    method,
    headers,
    signal,
    body: body?.pipeThrough(counter) ?? null,
    duplex: "half",
  };
  return new Request(url, init);
}

/**
 * A request that cannot be read at all is 400 whatever the client accepts. Yoga says so in an extension that
 * toClientError drops, and lets JSON that it cannot parse in a URL or form escape as a bare SyntaxError.
 */
export function readableRequests(): Plugin {
  return {
    onRequestParse({ requestParser, setRequestParser }) {
      if (requestParser === undefined) return;
      setRequestParser(async (request) => {
        try {
          return await requestParser(request);
        } catch (error) {
          if (error instanceof SyntaxError) throw requestError(400, "The variables are not valid JSON.");
          if (error instanceof GraphQLError && "originalError" in error.extensions) {
            throw requestError(400, error.message);
          }
          throw error;
        }
      });
    },
  };
}
