/**
 * An operation's text that knows what it answers and what it needs. Plain strings with this type come from
 * `generated/`; a `TypedDocumentString` of an application's own code generation fits as well (same marker).
 */
export type TypedDocument<Result, Variables> = {
  toString(): string;
  /** Never set: it only carries the two types. */
  __apiType?: (variables: Variables) => Result;
};
