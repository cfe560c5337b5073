import { useSyncExternalStore } from "react";
import type { SessionName } from "./names.js";

export type ViewName = "overview" | "notices" | "graph" | "catalog" | "deltas" | "session";
export type Route = { view: ViewName; session: SessionName | null };

/** Where the page is: behind the `#`, so that the server has one page only and links can be kept. */
export function parseRoute(hash: string): Route {
  const [, view = "", agent, key] = hash.replace(/^#/, "").split("/");
  const session = agent !== undefined && key !== undefined ? { agentId: plain(agent), sessionKey: plain(key) } : null;
  if (view === "session") return session === null ? { view: "overview", session: null } : { view, session };
  if (view === "deltas") return { view, session };
  if (view === "notices" || view === "graph" || view === "catalog") return { view, session: null };
  return { view: "overview", session: null };
}

function plain(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}

export function hrefOf(view: ViewName, session?: SessionName): string {
  if (session === undefined) return view === "overview" ? "#/" : `#/${view}`;
  return `#/${view}/${encodeURIComponent(session.agentId)}/${encodeURIComponent(session.sessionKey)}`;
}

function subscribe(listener: () => void): () => void {
  addEventListener("hashchange", listener);
  return () => removeEventListener("hashchange", listener);
}

export function useRoute(): Route {
  return parseRoute(useSyncExternalStore(subscribe, () => location.hash));
}
