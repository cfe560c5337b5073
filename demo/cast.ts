import type { AppendInput, HeadsupClient, SessionStateEvent } from "../src/client/index.js";

/** Logs an event that must be recorded, and returns it as the log has it. */
export async function log(client: HeadsupClient, input: AppendInput): Promise<SessionStateEvent> {
  const { event, reason } = await client.append(input);
  if (event === null) throw new Error(`the event was not recorded: ${reason}`);
  return event;
}

/** A person writes to a session directly, past its coordinator. */
export function humanWrites(client: HeadsupClient, sessionKey: string, summary: string): Promise<SessionStateEvent> {
  return log(client, { sessionKey, kind: "HUMAN_DIRECT_MESSAGE", actor: { type: "HUMAN" }, summary });
}

/** A coordinator spawns a session; that alone makes it a watcher. */
export function spawn(client: HeadsupClient, parent: string, child: string): Promise<SessionStateEvent> {
  return log(client, { sessionKey: child, kind: "CHILD_SPAWNED", actor: { type: "AGENT", id: parent } });
}

/** Sessions that have nothing to do with the story use up numbers of the one number line. */
export async function othersLog(client: HeadsupClient, sessionKey: string, count: number): Promise<void> {
  const event: AppendInput = { sessionKey, kind: "COMPACTED", actor: { type: "SYSTEM" } };
  await client.appendMany(Array.from({ length: count }, () => event));
}

/** The pair's cursor as `lastSeen/notified/material`, from the server. */
export async function cursorOf(client: HeadsupClient, watcherSessionKey: string, targetSessionKey: string) {
  const { nodes } = await client.watches({ watcherSessionKey, targetSessionKey });
  const [watch] = nodes;
  if (watch === undefined) throw new Error("nobody watches");
  return [watch.lastSeen, watch.notified, watch.material];
}

/** An event in one line. */
export function spell({ sequence, kind, summary }: SessionStateEvent): string {
  return `${String(sequence).padStart(3)}  ${kind.padEnd(20)}  ${summary}`;
}
