/** Bounds of the front door. Units are in the names. */
export const serverLimits = Object.freeze({
  /** HTTP bodies and WebSocket messages; 500 full events fit several times over. */
  requestMaxBytes: 1024 * 1024,
  /** A client that has not sent its whole request by then is cut off. */
  requestTimeoutMs: 30_000,
  /** Between two signs of life on an open WebSocket or event stream; proxies tend to give up after 30 to 60 s. */
  keepAliveMs: 12_000,
  /** Longer than this the database does not answer in any useful sense. */
  readyWaitMs: 2_000,
  /** Of the time there is for closing, what is kept for saying goodbye on WebSockets and event streams. */
  goodbyeMs: 2_000,
});
