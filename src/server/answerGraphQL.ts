import type { IncomingMessage, ServerResponse } from "node:http";
import { Refusal } from "../awareness/refusals.js";
import { letIn } from "./accessHttp.js";
import { refuse } from "./answers.js";
import { clientKey } from "./clientKey.js";
import { writeEventStream } from "./eventStream.js";
import type { Source } from "./hosts.js";
import type { Room } from "./room.js";

/** GraphQL over HTTP: one answer, or a stream of events for as long as its client and its token last. */
export async function answerGraphQL(
  room: Room,
  request: IncomingMessage,
  response: ServerResponse,
  source: Source,
): Promise<void> {
  const { access, engine, eventStreams, inFlight, farewell, keepAliveMs, log, metrics } = room;
  const grant = await letIn(access, request, response, source);
  if (grant === null) return;
  const client = clientKey(request, grant.viewer);
  const done = inFlight.begin();
  const gone = new AbortController();
  const leave = () => gone.abort(over);
  response.once("close", leave);
  if (response.closed) leave(); // it went while its token was being looked up
  const forget = grant.onOver(leave);
  try {
    const context = { ...access.context(grant), client, signal: gone.signal };
    const result = await engine.handleNodeRequestAndResponse(request, response, context);
    const results = eventStreams.get(result);
    if (results === undefined) return await send(room, response, result);
    done(); // a stream ends by itself: nobody waits for it
    const place = room.sockets.take(client, "event_stream");
    if (place instanceof Refusal) return await turnAway(room, response, results, place);
    farewell.signal.addEventListener("abort", leave, { once: true });
    if (farewell.signal.aborted) leave();
    await writeEventStream(response, results, { signal: gone.signal, keepAliveMs, log, metrics }).finally(place.leave);
  } finally {
    farewell.signal.removeEventListener("abort", leave);
    forget();
    done();
  }
}

const notAcceptable = new Refusal(
  "BAD_USER_INPUT",
  "The Accept header takes none of what this can be answered as: application/json, application/graphql-response+json, " +
    "or, for a subscription, text/event-stream.",
  { field: "accept" },
);

/** Made once: every request ends with it, and an error of its own for each, with its stack, would cost more than most. */
const over = new Error("the request is over");

/** One stream too many: what was begun for it ends. */
async function turnAway(
  { metrics }: Room,
  response: ServerResponse,
  results: AsyncIterable<unknown>,
  refusal: Refusal,
): Promise<void> {
  metrics.refused(refusal.code);
  refuse(response, 429, refusal);
  await results[Symbol.asyncIterator]().return?.();
}

/** Yoga's answer as Node sends it: all that is left here is one text. */
async function send(room: Room, response: ServerResponse, result: Response): Promise<void> {
  if (result.status === 406) return refuse(response, 406, notAcceptable);
  const body = Buffer.from(await result.text());
  response.setHeaders(result.headers);
  response.setHeader("content-length", body.byteLength);
  if (room.closing) response.setHeader("connection", "close");
  response.writeHead(result.status);
  await new Promise<void>((resolve) => response.end(body, resolve).once("close", resolve));
}
