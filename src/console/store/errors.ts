import { HeadsupError } from "../../client/index.js";

/** What went wrong and what to do, for people. */
export function inWords(error: unknown): string {
  if (!(error instanceof HeadsupError)) return "Something in this page went wrong. Reload it to go on.";
  switch (error.code) {
    case "NETWORK":
      return "The server cannot be reached. It is tried again by itself.";
    case "UNAUTHENTICATED":
      return "You are not logged in any more.";
    case "FORBIDDEN":
      return `Your token may not do this. ${error.message}`;
    case "SERVICE_UNAVAILABLE":
      return "The server's database does not answer right now. Nothing was changed; try again in a moment.";
    case "RATE_LIMITED":
      return "The server asks for a pause. Try again in a few seconds.";
    case "VERSION_AHEAD_OF_LOG":
      return "This version is higher than any that this log ever gave out: it was read from another or a newer copy of it.";
    case "INTERNAL_SERVER_ERROR":
      return "Something went wrong on the server; its log says what. Nothing more can be told from here.";
    case "BAD_USER_INPUT":
    case "LIMIT_EXCEEDED":
      return error.message;
  }
}
