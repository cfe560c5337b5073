import { isUtf8 } from "node:buffer";
import { GraphQLError } from "graphql";
import type { FetchAPI, Plugin } from "graphql-yoga";
import { isTooDeep, tooDeep } from "./jsonDepth.js";

/** A mistake in the request around the operation, with the status that it has whatever the client accepts. */
function requestError(status: number, message: string): GraphQLError {
  return new GraphQLError(message, { extensions: { http: { status } } });
}

/**
 * Reads the body of a POST, which is JSON: `letIn` takes nothing else. What is not UTF-8 is refused, because two names
 * that differ in it would become one. Yoga's own limit of a body's length pipes every body through a counting stream,
 * which halves the requests per second; a length that the client has declared is kept to by Node, so only bodies without
 * one need counting.
 */
export function jsonBodies(maxBytes: number): Plugin {
  const tooLarge = () => requestError(413, `A request may have ${maxBytes} bytes at most.`);
  return {
    onRequestParse({ request, requestParser, setRequestParser, fetchAPI }) {
      if (request.method !== "POST" || requestParser === undefined) return;
      const declared = request.headers.get("content-length");
      if (Number(declared) > maxBytes) throw tooLarge();
      setRequestParser(async (given) => {
        const isCounted = declared === null && given.body !== null;
        return parsed(await (isCounted ? counted(given, fetchAPI, { maxBytes, tooLarge }) : given).arrayBuffer());
      });
    },
  };
}

function parsed(bytes: ArrayBuffer): object {
  const body = Buffer.from(bytes);
  if (!isUtf8(body)) throw requestError(400, "The body is not UTF-8, which JSON has to be.");
  const json = body.toString();
  if (isTooDeep(json)) {
    throw new GraphQLError(tooDeep.message, { originalError: tooDeep, extensions: { http: { status: 400 } } });
  }
  const value = parsedJson(json);
  if (typeof value === "object" && value !== null) return value;
  throw requestError(400, "The body must be a JSON object with a query.");
}

function parsedJson(json: string): unknown {
  try {
    return JSON.parse(json);
  } catch {
    throw requestError(400, "The body is not valid JSON.");
  }
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

/** Variables in a URL: Yoga lets JSON that it cannot parse escape as a bare SyntaxError. */
export function readableQueries(): Plugin {
  return {
    onRequestParse({ request, requestParser, setRequestParser }) {
      if (request.method !== "GET" || requestParser === undefined) return;
      setRequestParser(async (given) => {
        try {
          return await requestParser(given);
        } catch (error) {
          if (error instanceof SyntaxError) throw requestError(400, "The variables are not valid JSON.");
          throw error;
        }
      });
    },
  };
}
