import type { IncomingMessage } from "node:http";
import { CloseCode, makeServer, type SubscribePayload } from "graphql-ws";
import { isAsyncIterable } from "graphql-yoga";
import type { Logger } from "pino";
import type { Grant } from "../awareness/grants.js";
import { Refusal } from "../awareness/refusals.js";
import type { Maximums } from "../config.js";
import { toClientError, withoutInternals } from "../graphql/errors.js";
import { type Access, missingToken } from "./access.js";
import { clientKey } from "./clientKey.js";
import { ClientGone, type Flow } from "./flow.js";
import type { InFlight } from "./inFlight.js";
import type { Metrics } from "./metrics.js";
import type { RequestContext } from "./operationLimits.js";
import { answered, isSubscription, prepare } from "./socketOperation.js";
import type { Place } from "./sockets.js";
import type { SubscriptionCount } from "./subscriptionCount.js";
import type { GraphQLEngine } from "./yoga.js";

export type Surroundings = {
  access: Access;
  engine: GraphQLEngine;
  inFlight: InFlight;
  keepAliveMs: number;
  max: Maximums;
  metrics: Metrics;
  /** What was taken for each WebSocket, by the request that opened it. */
  places: WeakMap<IncomingMessage, Place>;
  log: Logger;
  isClosing: () => boolean;
};
/** What graphql-ws keeps for us beside each connection. */
export type Connection = {
  /** The request that opened it and who sent that; let go when the client has said who it is. */
  opening: { request: IncomingMessage; grant: Grant | null } | null;
  /** What its operations are given; null until the client has said who it is. */
  context: RequestContext | null;
  signal: AbortSignal;
  flow: Flow;
  subscriptions: SubscriptionCount;
  close(code: number, reason: string): void;
  /** Closes it and ends what runs on it, because whoever it is may not come in any more. */
  shutOut(): void;
};

/** Who comes in, and what becomes of each operation. */
export function createProtocol({ access, engine, inFlight, log, max, metrics, places, isClosing }: Surroundings) {
  const visible = (errors: readonly unknown[]) => errors.map((error) => withoutInternals(toClientError(error, log)));
  const told = (errors: readonly unknown[]) => {
    const shown = visible(errors);
    metrics.told(shown);
    return shown;
  };

  /** Operations with a result that the network has not taken yet, and subscriptions that run. */
  const unanswered = new WeakSet<SubscribePayload>();
  const running = new WeakSet<SubscribePayload>();

  return makeServer<Record<string, unknown>, Connection>({
    connectionInitWaitTimeout: max.initWaitMs,
    onConnect: ({ connectionParams, extra }) => comeIn(access, places, connectionParams, extra),
    onSubscribe: async ({ extra: { context, flow, subscriptions } }, _id, payload) => {
      await flow.begin();
      try {
        if (isClosing()) throw new Refusal("SERVICE_UNAVAILABLE", "The server is closing.");
        if (context === null) throw missingToken; // a subscription comes after onConnect, which sets it
        const args = await prepare(engine, context, payload);
        if (isSubscription(args)) subscriptions.add();
        return args;
      } catch (error) {
        flow.end();
        // Thrown, it would close the socket and so end every other subscription on it.
        return visible(Array.isArray(error) ? error : [error]);
      }
    },
    execute: async (args) => {
      const done = inFlight.begin();
      try {
        return await answered(args, "execute", visible);
      } finally {
        // By then graphql-ws, which goes on with microtasks only, has given the answer to the socket.
        setImmediate(done);
      }
    },
    subscribe: (args) => answered(args, "subscribe", visible),
    onOperation: async ({ extra: { flow, subscriptions } }, _id, payload, args, outcome) => {
      const result = await outcome;
      if (isAsyncIterable(result)) {
        flow.end();
        running.add(payload);
        return;
      }
      if (isSubscription(args)) subscriptions.remove();
      unanswered.add(payload);
    },
    onComplete: ({ extra: { flow, subscriptions } }, _id, payload) => {
      if (unanswered.delete(payload)) flow.end();
      if (running.delete(payload)) subscriptions.remove();
    },
    onNext: (_ctx, _id, _payload, _args, result) =>
      result.errors === undefined ? undefined : { ...result, errors: told(result.errors) },
    // What graphql-ws could not send ends a subscription as if it had failed.
    onError: (_ctx, _id, _payload, errors) =>
      told(errors.filter(({ originalError }) => !(originalError instanceof ClientGone))).map((error) => error.toJSON()),
  });
}

const tryAgainLater = 1013;

/** Finds out who opens the connection, before any operation; false when nobody may, and then it is closing. */
async function comeIn(
  access: Access,
  places: WeakMap<IncomingMessage, Place>,
  params: Readonly<Record<string, unknown>> | undefined,
  extra: Connection,
): Promise<boolean> {
  const { opening, signal } = extra;
  if (opening === null) return false; // it is asked once
  extra.opening = null;
  try {
    const grant = await access.connect(params, opening.grant);
    const client = clientKey(opening.request, grant.viewer);
    const full = places.get(opening.request)?.moveTo(client) ?? null;
    if (full !== null) throw full;
    extra.context = { ...access.context(grant), client, signal };
    const forget = grant.onOver(extra.shutOut);
    if (signal.aborted) forget();
    else signal.addEventListener("abort", forget, { once: true });
    return true;
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    if (error.code === "UNAUTHENTICATED") {
      access.turnedAway(opening.request, error.code, error === missingToken ? "no token" : "bad token");
      extra.close(CloseCode.Unauthorized, "Unauthorized");
    } else extra.close(tryAgainLater, "Try again later");
    return false;
  }
}
