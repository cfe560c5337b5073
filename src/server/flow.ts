import type { WebSocket } from "ws";
import { serverLimits } from "./limits.js";

/** What all WebSockets together have been given and the network has not taken yet, in bytes. */
export type Unread = { bytes: number };

type Bounds = { operations: number; pauseBytes: number; ofAllMaxBytes: number };
const usual: Bounds = {
  operations: serverLimits.operationsAtOnce,
  pauseBytes: serverLimits.unreadPauseBytes,
  ofAllMaxBytes: serverLimits.unreadOfAllMaxBytes,
};

/**
 * The pace of one WebSocket, for a client that may send for ever and never read. It has a few operations under way at a
 * time, each until the network has taken its answer; more wait for their turn, and while some wait, or much is unread,
 * nothing more is read from it. So it holds a few answers here and no more, until the next ping finds that it is stuck.
 */
export type Flow = {
  /** Resolves when the next operation may begin; never, once the socket is closed. */
  begin(): Promise<void>;
  /** An operation has been answered. */
  end(): void;
  /** Resolves when the text has been handed to the network; rejects with `ClientGone` when that cannot be any more. */
  send(text: string): Promise<void>;
};

/** There is nobody any more to be told, and nothing that went wrong here. */
export class ClientGone extends Error {}

export function createFlow(socket: WebSocket, unread: Unread, bounds: Bounds = usual): Flow {
  const waiting: (() => void)[] = [];
  let running = 0;

  const pace = () => {
    const behind = socket.bufferedAmount > bounds.pauseBytes;
    if (behind && unread.bytes > bounds.ofAllMaxBytes) socket.terminate();
    while (!behind && running < bounds.operations && waiting.length > 0) {
      running += 1;
      waiting.shift()?.();
    }
    if (behind || waiting.length > 0) socket.pause();
    else if (socket.isPaused) socket.resume();
  };
  // `ws` itself would queue a pong for every ping of a client that never reads.
  socket.on("ping", (data) => {
    socket.pong(data, false, pace);
    pace();
  });

  return {
    begin() {
      return new Promise((resolve) => {
        waiting.push(resolve);
        pace();
      });
    },
    end() {
      running -= 1;
      pace();
    },
    send(text) {
      return new Promise((resolve, reject) => {
        if (socket.readyState !== socket.OPEN) return reject(new ClientGone());
        unread.bytes += text.length;
        socket.send(text, (error) => {
          unread.bytes -= text.length;
          if (error) return reject(new ClientGone(error.message));
          resolve();
          pace();
        });
        pace();
      });
    },
  };
}
