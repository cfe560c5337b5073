import { adminToken, type Operation } from "../operations.js";
import { textFrame, WebSocketConnection } from "./webSocketConnection.js";

const init = textFrame(JSON.stringify({ type: "connection_init", payload: { authorization: `Bearer ${adminToken}` } }));

/** A connection that has been acknowledged by a graphql-transport-ws server. */
export async function openGraphQLSocket(url: string): Promise<WebSocketConnection> {
  const connection = await WebSocketConnection.open(url, "graphql-transport-ws");
  connection.send(init);
  const answer = await connection.next();
  if (!answer.includes('"connection_ack"')) throw new Error(`not acknowledged: ${answer}`);
  return connection;
}

/** The frame that begins an operation; an id can be used again when the operation before it is complete. */
export function subscribeFrame(operation: Operation, id = "1"): Buffer {
  return textFrame(JSON.stringify({ id, type: "subscribe", payload: operation }));
}
