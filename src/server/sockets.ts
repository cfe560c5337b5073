import { Refusal } from "../awareness/refusals.js";
import type { Maximums } from "../config.js";

export type SocketKind = "websocket" | "event_stream";

/** A place held by one open WebSocket or event stream, for as long as it is open. */
export type Place = {
  /** Counts it for another client from now on: the one that it has turned out to be. Null, or why it may not. */
  moveTo(client: string): Refusal | null;
  /** Gives the place back. Safe to call twice. */
  leave(): void;
};

export type Sockets = {
  /** One more for this client, or why there cannot be. */
  take(client: string, kind: SocketKind): Place | Refusal;
  /** How many are open. */
  count(kind: SocketKind): number;
};

/** How long to wait before trying again; by then the sockets that were never used are gone. */
const retryAfterMs = 10_000;

/** Counts what stays open: in all, and for each client. */
export function createSockets(max: Pick<Maximums, "sockets" | "socketsPerToken">): Sockets {
  const open: Record<SocketKind, number> = { websocket: 0, event_stream: 0 };
  const byClient = new Map<string, number>();

  const change = (client: string, by: 1 | -1) => {
    const count = (byClient.get(client) ?? 0) + by;
    if (count > 0) byClient.set(client, count);
    else byClient.delete(client); // clients come and go: what is remembered of them must not grow
  };
  const problemFor = (client: string) =>
    (byClient.get(client) ?? 0) >= max.socketsPerToken
      ? tooMany(`More than ${max.socketsPerToken} WebSockets and event streams of one client.`)
      : null;

  return {
    count: (kind) => open[kind],
    take(first, kind) {
      if (open.websocket + open.event_stream >= max.sockets) {
        return tooMany(`More than ${max.sockets} WebSockets and event streams.`);
      }
      const problem = problemFor(first);
      if (problem !== null) return problem;
      let client: string | null = first;
      open[kind] += 1;
      change(client, 1);
      return {
        moveTo(other) {
          if (client === null || other === client) return null;
          const problem = problemFor(other);
          if (problem !== null) return problem;
          change(client, -1);
          change(other, 1);
          client = other;
          return null;
        },
        leave() {
          if (client === null) return;
          change(client, -1);
          open[kind] -= 1;
          client = null;
        },
      };
    },
  };
}

function tooMany(what: string): Refusal {
  return new Refusal("LIMIT_EXCEEDED", `${what} Close one, or try again later.`, { retryAfterMs });
}
