import { type ErrorCode, fromGraphQLErrors, HeadsupError, networkError, record } from "./errors.js";
import { onAbort } from "./onAbort.js";
import type { TypedDocument } from "./typedDocument.js";

/** The access token, or a function that is asked for it before each request and each connection. */
export type Token = string | (() => string | undefined | Promise<string | undefined>);

export type CallOptions = {
  /** Ends the call; it then rejects with the signal's reason. */
  signal?: AbortSignal | undefined;
  /** Milliseconds to wait for the answer; 0 waits for ever. */
  timeoutMs?: number | undefined;
};

export type HttpOptions = { url: string; token?: Token; fetch?: typeof fetch; timeoutMs: number };

export type Request = <Result, Variables>(
  document: TypedDocument<Result, Variables>,
  variables: Variables,
  options?: CallOptions,
) => Promise<Result>;

/** The bearer header's value, or undefined when the client has no token. */
export async function authorization(token: Token | undefined): Promise<string | undefined> {
  const value = typeof token === "function" ? await token() : token;
  return value === undefined ? undefined : `Bearer ${value}`;
}

/** Makes the function that sends one operation over HTTP and resolves to its `data`; it rejects with a `HeadsupError`. */
export function httpRequest(options: HttpOptions): Request {
  return async <Result, Variables>(
    document: TypedDocument<Result, Variables>,
    variables: Variables,
    call: CallOptions = {},
  ) => {
    const body = JSON.stringify({ query: document.toString(), variables });
    const data = await withDeadline(call.signal, call.timeoutMs ?? options.timeoutMs, (signal) =>
      post(options, body, signal),
    );
    // The library's edge: the document's type says what its text answers; both come from the same schema.
    return data as Result;
  };
}

async function post(options: HttpOptions, body: string, signal: AbortSignal): Promise<unknown> {
  const { status, text } = await exchange(options, body, signal);
  const answer = parsed(text);
  if (Array.isArray(answer.errors) && answer.errors.length > 0) {
    throw fromGraphQLErrors(answer.errors, codeOfStatus(status) ?? "INTERNAL_SERVER_ERROR");
  }
  if (status >= 200 && status < 300 && answer.data !== undefined && answer.data !== null) return answer.data;
  throw new HeadsupError(codeOfStatus(status) ?? "NETWORK", `HTTP ${status}, and no GraphQL answer in it.`);
}

async function exchange(options: HttpOptions, body: string, signal: AbortSignal) {
  const send = options.fetch ?? fetch;
  try {
    const bearer = await authorization(options.token);
    const response = await send(options.url, {
      method: "POST",
      headers: {
        "content-type": "application/json",
        accept: "application/graphql-response+json, application/json",
        ...(bearer === undefined ? {} : { authorization: bearer }),
      },
      body,
      signal,
    });
    return { status: response.status, text: await response.text() };
  } catch (error) {
    throw networkError("The service could not be reached", error);
  }
}

function parsed(text: string): Record<string, unknown> {
  try {
    return record(JSON.parse(text));
  } catch {
    return {};
  }
}

/** What a bare status means when a proxy or the access check answered, not GraphQL. */
function codeOfStatus(status: number): ErrorCode | undefined {
  const codes: Record<number, ErrorCode> = {
    400: "BAD_USER_INPUT",
    401: "UNAUTHENTICATED",
    403: "FORBIDDEN",
    413: "LIMIT_EXCEEDED",
    429: "RATE_LIMITED",
    500: "INTERNAL_SERVER_ERROR",
    502: "SERVICE_UNAVAILABLE",
    503: "SERVICE_UNAVAILABLE",
    504: "SERVICE_UNAVAILABLE",
  };
  return codes[status];
}

/**
 * Runs `work` until it settles, the caller's signal aborts or `ms` have passed. Raced, not only signalled: a token
 * function or a custom fetch that does not listen must not hold the caller.
 */
async function withDeadline<T>(
  outer: AbortSignal | undefined,
  ms: number,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  outer?.throwIfAborted();
  const controller = new AbortController();
  const { signal } = controller;
  const onTimeout = () => controller.abort(new HeadsupError("NETWORK", `No answer within ${ms} ms.`));
  const forget = outer && onAbort(outer, () => controller.abort(outer.reason));
  const timer = ms > 0 && ms < 2 ** 31 ? setTimeout(onTimeout, ms) : undefined;
  const aborted = new Promise<never>((_, reject) => {
    signal.addEventListener("abort", () => reject(signal.reason), { once: true });
  });
  try {
    return await Promise.race([aborted, work(signal)]);
  } finally {
    clearTimeout(timer);
    forget?.();
  }
}
