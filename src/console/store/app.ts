import { type ConnectionState, createClient, HeadsupError, type Viewer } from "../../client/index.js";
import { agentOf } from "./names.js";
import { Observable } from "./observable.js";

/** Whether somebody is let in, as far as the page knows. */
export type Door =
  | { state: "knocking" }
  | { state: "open"; viewer: Viewer }
  /** `before`: somebody was in, and is no longer. */
  | { state: "signedOut"; before: boolean };

export const door = new Observable<Door>({ state: "knocking" });
export const connection = new Observable<ConnectionState | "connecting">("connecting");

/** The one client of the page. The browser adds its cookie by itself, for it is the same origin. */
export const client = createClient({
  url: "/graphql",
  onConnection(state) {
    connection.set(state);
    // A browser does not tell why a WebSocket was refused; a plain request does.
    if (state === "reconnecting") void knock();
  },
});

/** Asks the server who we are. An unreachable server changes nothing: what is shown stays. */
export async function knock(): Promise<void> {
  const before = door.get();
  try {
    const viewer = await client.viewer();
    // The same person again is the same value, so that nothing is built anew.
    if (before.state !== "open" || JSON.stringify(before.viewer) !== JSON.stringify(viewer)) {
      door.set({ state: "open", viewer });
    }
  } catch (error) {
    if (error instanceof HeadsupError && error.code === "UNAUTHENTICATED") {
      const wasIn = before.state === "open" || (before.state === "signedOut" && before.before);
      door.set({ state: "signedOut", before: wasIn });
    } else if (before.state === "knocking") {
      connection.set("reconnecting");
      setTimeout(() => void knock(), 1_000);
    }
  }
}

/** Why this viewer may not act for this watcher; null when they may. */
export function whyNotActFor(viewer: Viewer, watcherSessionKey: string): string | null {
  const lacking = (["READ", "WRITE"] as const).filter((scope) => !viewer.scopes.includes(scope));
  if (lacking.length > 0) {
    return `Your token has no scope ${lacking.join(" and ").toLowerCase()}: draining and acknowledging need read and write.`;
  }
  const agent = agentOf(watcherSessionKey);
  const reaches = viewer.agents === null || (agent !== null && viewer.agents.includes(agent));
  return reaches ? null : `Your token does not reach the agent ${agent ?? "of this session"}.`;
}
