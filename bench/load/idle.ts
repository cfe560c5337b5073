import type { Operation } from "../operations.js";
import { serve } from "../worker.js";
import { openGraphQLSocket, subscribeFrame } from "./graphqlSocket.js";

const commands = {
  /** Opens a connection for each operation, begins it, and holds all of them until this process ends. */
  async open({ url, operations }: { url: string; operations: Operation[] }): Promise<void> {
    for (const operation of operations) {
      const connection = await openGraphQLSocket(url);
      connection.onEnd = (error) => {
        throw error;
      };
      connection.send(subscribeFrame(operation));
    }
  },
};
export type IdleLoad = typeof commands;
serve(commands);
