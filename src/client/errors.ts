/** The contract's closed list (section 11), and `NETWORK` for everything that kept an answer from arriving. */
export const errorCodes = [
  "BAD_USER_INPUT",
  "VERSION_AHEAD_OF_LOG",
  "UNAUTHENTICATED",
  "FORBIDDEN",
  "RATE_LIMITED",
  "LIMIT_EXCEEDED",
  "SERVICE_UNAVAILABLE",
  "INTERNAL_SERVER_ERROR",
  "NETWORK",
] as const;
export type ErrorCode = (typeof errorCodes)[number];

const retryableCodes: ReadonlySet<ErrorCode> = new Set(["RATE_LIMITED", "SERVICE_UNAVAILABLE", "NETWORK"]);
/** What no reconnect can mend. Limits are not here: they pass when older connections have gone. */
const fatalCodes: ReadonlySet<ErrorCode> = new Set([
  "BAD_USER_INPUT",
  "VERSION_AHEAD_OF_LOG",
  "UNAUTHENTICATED",
  "FORBIDDEN",
]);

type ErrorDetails = { field?: string; retryAfterMs?: number; cause?: unknown };

/**
 * The one error of this client. `field` names the offending input of a `BAD_USER_INPUT`, e.g. `actor.id`; `retryAfterMs`
 * is how long to wait before the same call may go through, where the service says so (`RATE_LIMITED`, `LIMIT_EXCEEDED`).
 */
export class HeadsupError extends Error {
  readonly code: ErrorCode;
  readonly field: string | undefined;
  readonly retryAfterMs: number | undefined;

  constructor(code: ErrorCode, message: string, options: ErrorDetails = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.name = "HeadsupError";
    this.code = code;
    this.field = options.field;
    this.retryAfterMs = options.retryAfterMs;
  }

  /** The same call may succeed later. After `NETWORK` it may have happened: give appends a `dedupeKey`. */
  get retryable(): boolean {
    return retryableCodes.has(this.code);
  }

  /** A subscription that meets this ends instead of reconnecting. */
  get endsSubscription(): boolean {
    return fatalCodes.has(this.code);
  }
}

/** Maps the `errors` of a GraphQL answer; `fallback` is for an error that carries no code of the contract. */
export function fromGraphQLErrors(errors: readonly unknown[], fallback: ErrorCode): HeadsupError {
  const first = record(errors[0]);
  const extensions = record(first.extensions);
  const code = errorCodes.find((known) => known === extensions.code) ?? fallback;
  const message = typeof first.message === "string" ? first.message : "The service refused without saying why.";
  const details: ErrorDetails = {};
  if (typeof extensions.field === "string") details.field = extensions.field;
  if (typeof extensions.retryAfterMs === "number") details.retryAfterMs = extensions.retryAfterMs;
  return new HeadsupError(code, message, details);
}

/** Wraps whatever a transport threw; the innermost reason, such as a refused connection, is in the message. */
export function networkError(what: string, cause: unknown): HeadsupError {
  const { message, cause: inner } = record(cause);
  const reasons = [record(inner).message, record(inner).code, message];
  const reason = reasons.find((text) => typeof text === "string" && text !== "");
  return new HeadsupError("NETWORK", reason === undefined ? what : `${what}: ${reason}`, { cause });
}

/** An unknown value as something whose fields may be looked at. */
export function record(value: unknown): Record<string, unknown> {
  // Every value but null and undefined has fields to look at, so this cast promises nothing that is not checked after.
  return value === null || value === undefined ? {} : (value as Record<string, unknown>);
}
