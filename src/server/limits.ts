/** Bounds of the front door that no variable changes; the others are `Config.max`. Units are in the names. */
export const serverLimits = Object.freeze({
  /** A client that has not sent its whole request by then is cut off. */
  requestTimeoutMs: 30_000,
  /** The same for the head of a request. */
  headersTimeoutMs: 10_000,
  /** How often Node looks for those who are late. */
  timeoutsCheckedEveryMs: 2_000,
  /** A connection on which nothing moves; longer than the time between two signs of life on a stream. */
  stalledMs: 60_000,
  /** Connections beside those that are WebSockets and event streams. */
  plainConnections: 1_000,
  /** Operations that one WebSocket has under way; the next ones wait, and nothing more is read until they have begun. */
  operationsAtOnce: 16,
  /** With more than this not yet taken by the network, nothing more is read from that WebSocket. */
  unreadPauseBytes: 1024 * 1024,
  /** The same of all WebSockets together: beyond this, those that do not keep up are cut off. */
  unreadOfAllMaxBytes: 256 * 1024 * 1024,
  /** Between two signs of life on an open WebSocket or event stream; proxies tend to give up after 30 to 60 s. */
  keepAliveMs: 12_000,
  /** Longer than this the database does not answer in any useful sense. */
  readyWaitMs: 2_000,
  /** Of the time there is for closing, what is kept for saying goodbye on WebSockets and event streams. */
  goodbyeMs: 2_000,
});
