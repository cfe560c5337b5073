/** What one request, one connection and one token may ask for: variable, default and bounds. */
export const maximumVariables = {
  // GraphiQL's own introspection query is 15 deep.
  HEADSUP_MAX_QUERY_DEPTH: { fallback: 16, min: 1, max: 100 },
  HEADSUP_MAX_QUERY_ALIASES: { fallback: 30, min: 0, max: 10_000 },
  HEADSUP_MAX_QUERY_DIRECTIVES: { fallback: 30, min: 0, max: 10_000 },
  HEADSUP_MAX_QUERY_TOKENS: { fallback: 1_000, min: 10, max: 100_000 },
  // 500 appends with everything about them cost 8,501; the introspection query of GraphiQL about 4,500.
  HEADSUP_MAX_QUERY_COST: { fallback: 10_000, min: 1, max: 1_000_000_000 },
  HEADSUP_MAX_REQUEST_BYTES: { fallback: 1_048_576, min: 1_024, max: 104_857_600 },
  HEADSUP_MAX_INIT_WAIT_MS: { fallback: 10_000, min: 10, max: 600_000 },
  HEADSUP_MAX_SUBSCRIPTIONS_PER_SOCKET: { fallback: 100, min: 1, max: 1_000_000 },
  HEADSUP_MAX_SOCKETS_PER_TOKEN: { fallback: 500, min: 1, max: 1_000_000 },
  HEADSUP_MAX_SOCKETS: { fallback: 2_000, min: 1, max: 1_000_000 },
  // More than one client gets out of two cores: it stops what has run away, not what works hard.
  HEADSUP_MAX_MUTATIONS_PER_10S: { fallback: 60_000, min: 0, max: 1_000_000_000 },
};

export type Maximums = {
  /** Levels of fields, fragments counted where they are spread; levels of lists and objects in a literal. */
  readonly queryDepth: number;
  /** Aliases in a document, and fields that stand twice in one selection. */
  readonly queryAliases: number;
  readonly queryDirectives: number;
  readonly queryTokens: number;
  /** About how many values an answer can have, all its lists filled. */
  readonly queryCost: number;
  /** Of an HTTP body, and of a WebSocket message. */
  readonly requestBytes: number;
  /** From the opening of a WebSocket to its `connection_init`. */
  readonly initWaitMs: number;
  readonly subscriptionsPerSocket: number;
  /** WebSockets and event streams together; without a token, those of one address. */
  readonly socketsPerToken: number;
  readonly sockets: number;
  /** Of one token, in any 10 s that begin with a mutation; 0 is any number. */
  readonly mutationsPer10s: number;
};

export function readMaximums(read: (variable: keyof typeof maximumVariables) => number): Maximums {
  return {
    queryDepth: read("HEADSUP_MAX_QUERY_DEPTH"),
    queryAliases: read("HEADSUP_MAX_QUERY_ALIASES"),
    queryDirectives: read("HEADSUP_MAX_QUERY_DIRECTIVES"),
    queryTokens: read("HEADSUP_MAX_QUERY_TOKENS"),
    queryCost: read("HEADSUP_MAX_QUERY_COST"),
    requestBytes: read("HEADSUP_MAX_REQUEST_BYTES"),
    initWaitMs: read("HEADSUP_MAX_INIT_WAIT_MS"),
    subscriptionsPerSocket: read("HEADSUP_MAX_SUBSCRIPTIONS_PER_SOCKET"),
    socketsPerToken: read("HEADSUP_MAX_SOCKETS_PER_TOKEN"),
    sockets: read("HEADSUP_MAX_SOCKETS"),
    mutationsPer10s: read("HEADSUP_MAX_MUTATIONS_PER_10S"),
  };
}
