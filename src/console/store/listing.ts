import type { ListedSession } from "../../client/index.js";
import { idOf, namedBy } from "./names.js";
import { Observable } from "./observable.js";

export type Order = "change" | "key" | "tree";
export type Filter = {
  readonly search: string;
  readonly agent: string;
  readonly order: Order;
  readonly pendingOnly: boolean;
};

/** Kept while other views are open. */
export const filter = new Observable<Filter>({ search: "", agent: "", order: "change", pendingOnly: false });

export type Row = {
  readonly session: ListedSession;
  readonly id: string;
  readonly depth: number;
  readonly children: number;
};

/** The sessions to list, in order. Depth is that in the spawn tree, 0 in the other orders. */
export function listRows(sessions: ReadonlyMap<string, ListedSession>, asked: Filter): Row[] {
  const children = childrenOf(sessions);
  const needle = asked.search.trim().toLowerCase();
  const fits = (each: ListedSession) =>
    (asked.agent === "" || each.agentId === asked.agent) &&
    (!asked.pendingOnly || each.pendingCount + each.pendingWatcherCount > 0) &&
    (needle === "" ||
      each.sessionKey.toLowerCase().includes(needle) ||
      each.label?.toLowerCase().includes(needle) === true);
  const toRow = (session: ListedSession, depth: number): Row => {
    const id = idOf(session);
    return { session, id, depth, children: children.get(id)?.length ?? 0 };
  };
  const found = [...sessions.values()].filter(fits);
  if (asked.order !== "tree") return found.sort(asked.order === "key" ? byKey : byChange).map((each) => toRow(each, 0));
  return inTree(found.sort(byKey), children, toRow);
}

/** Parents before their children. Whose parent is not listed, or who is among their own ancestors, stands at the root. */
function inTree(
  found: readonly ListedSession[],
  children: ReadonlyMap<string, readonly ListedSession[]>,
  toRow: (session: ListedSession, depth: number) => Row,
): Row[] {
  const listed = new Set(found.map(idOf));
  const rows: Row[] = [];
  const placed = new Set<string>();
  const place = (root: ListedSession) => {
    const waiting = [{ session: root, depth: 0 }];
    for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
      const { session, depth } = next;
      const id = idOf(session);
      if (placed.has(id)) continue;
      placed.add(id);
      rows.push(toRow(session, depth));
      const below = (children.get(id) ?? []).filter((each) => listed.has(idOf(each))).sort(byKey);
      for (const child of below.reverse()) waiting.push({ session: child, depth: depth + 1 });
    }
  };
  for (const each of found) {
    const parent = each.spawnedBy === null ? null : namedBy(each.spawnedBy);
    if (parent === null || !listed.has(idOf(parent))) place(each);
  }
  for (const each of found) place(each);
  return rows;
}

function childrenOf(sessions: ReadonlyMap<string, ListedSession>): Map<string, ListedSession[]> {
  const children = new Map<string, ListedSession[]>();
  for (const session of sessions.values()) {
    const parent = session.spawnedBy === null ? null : namedBy(session.spawnedBy);
    if (parent === null) continue;
    const siblings = children.get(idOf(parent));
    if (siblings === undefined) children.set(idOf(parent), [session]);
    else siblings.push(session);
  }
  return children;
}

function byKey(one: ListedSession, other: ListedSession): number {
  return compare(one.sessionKey, other.sessionKey) || compare(one.agentId, other.agentId);
}

function byChange(one: ListedSession, other: ListedSession): number {
  return compare(other.updatedAt, one.updatedAt) || byKey(one, other);
}

function compare(one: string, other: string): number {
  return one < other ? -1 : one > other ? 1 : 0;
}
