/** Every code that `extensions.code` can carry (contract, section 11). A new code is one line here. */
export const refusalCodes = [
  "BAD_USER_INPUT",
  "VERSION_AHEAD_OF_LOG",
  "UNAUTHENTICATED",
  "FORBIDDEN",
  "RATE_LIMITED",
  "LIMIT_EXCEEDED",
  "SERVICE_UNAVAILABLE",
  "INTERNAL_SERVER_ERROR",
] as const;
export type RefusalCode = (typeof refusalCodes)[number];

/**
 * The one error that reaches a caller: its message is written for people and carries no stack, SQL or path.
 * `field` names the offending input, for example `sessionKey` or `inputs[3].actor.id`.
 */
export class Refusal extends Error {
  readonly code: RefusalCode;
  readonly field: string | undefined;
  /** When the same call may be tried again, in milliseconds from now. */
  readonly retryAfterMs: number | undefined;

  constructor(
    code: RefusalCode,
    message: string,
    options: { field?: string; retryAfterMs?: number; cause?: unknown } = {},
  ) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.name = "Refusal";
    this.code = code;
    this.field = options.field;
    this.retryAfterMs = options.retryAfterMs;
  }
}

/** A refusal of bad input in `field`; the message says what is expected. */
export function badInput(field: string, message: string): Refusal {
  return new Refusal("BAD_USER_INPUT", message, { field });
}
