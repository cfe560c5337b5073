import {
  type ASTVisitor,
  type DocumentNode,
  GraphQLError,
  type ParseOptions,
  parse,
  type Source,
  type ValidationContext,
  validate,
} from "graphql";
import type { Plugin } from "graphql-yoga";
import { Refusal } from "../awareness/refusals.js";
import type { Maximums } from "../config.js";
import type { GraphQLContext } from "../graphql/builder.js";
import { weigh } from "./queryCost.js";
import { limitExceeded, shapeProblem } from "./queryLimits.js";
import type { MutationRate } from "./rateLimits.js";

export type RequestContext = GraphQLContext & {
  /** Who is counted by the limits: a token, or an address while nobody has said who they are. */
  client: string;
  /** Aborts when the client that asked has gone, or the server is going: whatever is held for it ends then. */
  signal: AbortSignal;
};

/** Names and punctuation are short; what is longer is text and comments, which cost time too. */
const charsPerToken = 20;
/** Enough to mend a query by. Each one costs as much time as there are lines before its place. */
const mostErrors = 5;

/**
 * What one operation may ask for, on every transport: first by its length and tokens, before there is a document; then
 * by its shape, before validation; then by its cost and the client's rate of mutations, before it is executed.
 */
export function operationLimits(max: Maximums, rate: MutationRate): Plugin<RequestContext> {
  const problems = new WeakMap<DocumentNode, Refusal | null>();
  const problemOf = (document: DocumentNode) => {
    const known = problems.get(document);
    if (known !== undefined) return known;
    const found = shapeProblem(document, max);
    problems.set(document, found);
    return found;
  };
  return {
    onParse({ params, setParseFn }) {
      checkLength(params.source, max.queryTokens * charsPerToken);
      setParseFn((source: string | Source, options?: ParseOptions) => parseWithin(source, options, max.queryTokens));
    },
    onValidate({ params, setResult, setValidationFn, addValidationRule }) {
      addValidationRule(subscribesForSure);
      const problem = problemOf(params.documentAST);
      if (problem !== null) setResult([toError(problem, requestError)]);
      setValidationFn((schema, document, rules) => {
        try {
          return validate(schema, document, rules, { maxErrors: mostErrors });
        } catch (error) {
          // One of graphql-js's rules evaluates a subscription's directives, and has no variables to do so.
          const found = validate(schema, document, [subscribesForSure]);
          if (found.length === 0) throw error;
          return found;
        }
      });
    },
    onExecute({ args, context, setResultAndStopExecution }) {
      const refuse = (refusal: Refusal) => setResultAndStopExecution({ errors: [toError(refusal, requestError)] });
      const { cost, mutations } = weigh(args);
      if (cost > max.queryCost) return refuse(tooDear(cost, max));
      if (mutations === 0) return;
      return rate.spend(context.client, mutations).catch((error: unknown) => {
        if (!(error instanceof Refusal)) throw error;
        setResultAndStopExecution({ errors: [toError(error, tooManyRequests(error))] });
      });
    },
    onSubscribe({ args, setResultAndStopExecution }) {
      const { cost } = weigh(args);
      if (cost > max.queryCost) setResultAndStopExecution({ errors: [toError(tooDear(cost, max), requestError)] });
    },
  };
}

/** A subscription without a field has nothing to subscribe to: executors stumble over it. */
function subscribesForSure(context: ValidationContext): ASTVisitor {
  return {
    Directive(node) {
      const conditional = node.name.value === "skip" || node.name.value === "include";
      if (!conditional || context.getParentType() !== context.getSchema().getSubscriptionType()) return;
      const message = `A subscription has exactly one field, always: leave out @${node.name.value}.`;
      context.reportError(new GraphQLError(message, { nodes: node }));
    },
  };
}

/** As a mistake in the request: 400, but 200 for clients that know nothing but `application/json`. */
const requestError = { status: 400, spec: true };

function tooManyRequests({ retryAfterMs = 0 }: Refusal) {
  return { status: 429, headers: { "retry-after": String(Math.ceil(retryAfterMs / 1_000)) } };
}

function toError(refusal: Refusal, http: object): GraphQLError {
  return new GraphQLError(refusal.message, { originalError: refusal, extensions: { http } });
}

function tooDear(cost: number, { queryCost }: Maximums): Refusal {
  return new Refusal(
    "LIMIT_EXCEEDED",
    `An operation may cost ${queryCost} at most; this one costs ${Math.ceil(cost)}. Ask for fewer items or fields at a time.`,
  );
}

function checkLength(source: string | Source, most: number): void {
  const { length } = typeof source === "string" ? source : source.body;
  if (length > most) throw toError(limitExceeded("characters", most), requestError);
}

/** The tokens are counted while they are read, so a flood of them ends early and nesting cannot use up the stack. */
function parseWithin(source: string | Source, options: ParseOptions | undefined, maxTokens: number): DocumentNode {
  try {
    return parse(source, { ...options, maxTokens });
  } catch (error) {
    const tooDeep = error instanceof RangeError; // only where the configuration allows very many tokens
    const tooMany = error instanceof GraphQLError && /contains more tha[nt] \d+ tokens/.test(error.message);
    if (tooDeep || tooMany) throw toError(limitExceeded("tokens", maxTokens), requestError);
    throw error;
  }
}
