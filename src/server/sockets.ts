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
  /**
   * One more for this client, or why there cannot be. With `giveWay` it is one that nobody has said yet who they are:
   * until `moveTo`, and as long as there is no room for others, the oldest of these is told to go.
   */
  take(client: string, kind: SocketKind, giveWay?: () => void): Place | Refusal;
  /** How many are open. */
  count(kind: SocketKind): number;
};

/** How long to wait before trying again; by then the sockets that were never used are gone. */
const retryAfterMs = 10_000;

/** A socket of somebody who has not said who they are. */
type Stranger = { client: string; leave(): void; giveWay(): void };

/** Counts what stays open: in all, and for each client. */
export function createSockets(max: Pick<Maximums, "sockets" | "socketsPerToken">): Sockets {
  const open: Record<SocketKind, number> = { websocket: 0, event_stream: 0 };
  const byClient = new Map<string, number>();
  /** Oldest first. */
  const strangers = new Set<Stranger>();

  const change = (client: string, by: 1 | -1) => {
    const count = (byClient.get(client) ?? 0) + by;
    if (count > 0) byClient.set(client, count);
    else byClient.delete(client); // clients come and go: what is remembered of them must not grow
  };
  const isFull = () => open.websocket + open.event_stream >= max.sockets;
  const hasTooMany = (client: string) => (byClient.get(client) ?? 0) >= max.socketsPerToken;
  const problemFor = (client: string) =>
    hasTooMany(client) ? tooMany(`More than ${max.socketsPerToken} WebSockets and event streams of one client.`) : null;

  /** Whoever holds sockets without a word must not keep out those who come to say something. */
  const makeRoom = (client: string) => {
    const isInTheWay = (stranger: Stranger) => stranger.client === client || (isFull() && !hasTooMany(client));
    if (!isFull() && !hasTooMany(client)) return;
    for (const stranger of strangers) {
      if (!isInTheWay(stranger)) continue;
      stranger.leave();
      stranger.giveWay();
      return;
    }
  };

  return {
    count: (kind) => open[kind],
    take(first, kind, giveWay) {
      makeRoom(first);
      if (isFull()) return tooMany(`More than ${max.sockets} WebSockets and event streams.`);
      const problem = problemFor(first);
      if (problem !== null) return problem;
      let client: string | null = first;
      open[kind] += 1;
      change(client, 1);
      const leave = () => {
        if (client === null) return;
        change(client, -1);
        open[kind] -= 1;
        client = null;
        introduce();
      };
      let stranger: Stranger | null = giveWay === undefined ? null : { client: first, leave, giveWay };
      if (stranger !== null) strangers.add(stranger);
      const introduce = () => {
        if (stranger !== null) strangers.delete(stranger);
        stranger = null; // nothing of it is kept for as long as the place is
      };
      return {
        moveTo(other) {
          if (client === null) return null;
          if (other !== client) {
            const problem = problemFor(other);
            if (problem !== null) return problem;
            change(client, -1);
            change(other, 1);
            client = other;
          }
          introduce();
          return null;
        },
        leave,
      };
    },
  };
}

function tooMany(what: string): Refusal {
  return new Refusal("LIMIT_EXCEEDED", `${what} Close one, or try again later.`, { retryAfterMs });
}
