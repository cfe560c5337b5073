/** The package's `headsup/client`: a typed client of the service for agents, in Node and in browsers. */
export type { CatchUpInput, CaughtUp, ChangesInput, ChangesPage } from "./changes.js";
export { type ClientOptions, type ConnectionState, createClient, type HeadsupClient } from "./client.js";
export { type ErrorCode, errorCodes, HeadsupError } from "./errors.js";
export * as documents from "./generated/graphql.js";
export type { CallOptions, Request, Token } from "./http.js";
export type { Operations } from "./operations.js";
export type { SessionChanges, SessionChangesOptions } from "./sessionChanges.js";
export type { StaleNotices, StaleNoticesOptions } from "./staleNotices.js";
export type { TypedDocument } from "./typedDocument.js";
export type * from "./types.js";
export type { WebSocketImpl } from "./webSocket.js";
