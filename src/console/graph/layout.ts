import type { ListedSession, Watch } from "../../client/index.js";
import { idOf, namedBy } from "../store/names.js";

export type Edge = {
  readonly from: string;
  readonly to: string;
  readonly spawned: boolean;
  readonly watched: boolean;
  readonly pending: boolean;
};
export type Node = {
  readonly id: string;
  readonly session: { sessionKey: string; agentId: string; label: string | null };
  readonly x: number;
  readonly y: number;
};
export type Layout = {
  readonly nodes: ReadonlyMap<string, Node>;
  readonly edges: readonly Edge[];
  readonly width: number;
  readonly height: number;
};

export const box = { width: 214, height: 40 };
const columnGap = 110;
const rowGap = 14;
const margin = 16;
const screen = 640;

/** From watcher to target and from parent to child, one edge per pair. */
export function edgesOf(sessions: ReadonlyMap<string, ListedSession>, watches: readonly Watch[]): Edge[] {
  const edges = new Map<string, Edge>();
  for (const session of sessions.values()) {
    const parent = session.spawnedBy === null ? null : namedBy(session.spawnedBy);
    if (parent === null) continue;
    const [from, to] = [idOf(parent), idOf(session)];
    edges.set(`${from}\n\n${to}`, { from, to, spawned: true, watched: false, pending: false });
  }
  for (const { watcherSessionKey, targetSessionKey, targetAgentId, pending } of watches) {
    const watcher = namedBy(watcherSessionKey);
    if (watcher === null) continue;
    const [from, to] = [idOf(watcher), idOf({ sessionKey: targetSessionKey, agentId: targetAgentId })];
    const spawned = edges.get(`${from}\n\n${to}`)?.spawned ?? false;
    edges.set(`${from}\n\n${to}`, { from, to, spawned, watched: true, pending });
  }
  return [...edges.values()];
}

/** Columns from left to right: whoever watches or spawned somebody stands left of them, as far as there are no circles. */
export function layOut(sessions: ReadonlyMap<string, ListedSession>, edges: readonly Edge[]): Layout {
  const ids = [...new Set(edges.flatMap(({ from, to }) => [from, to]))];
  const columns: string[][] = [];
  for (const [id, depth] of depths(ids, edges)) {
    while (columns.length <= depth) columns.push([]);
    columns[depth]?.push(id);
  }
  const nodes = new Map<string, Node>();
  const tallest = Math.max(0, ...columns.map((column) => column.length)) * (box.height + rowGap) - rowGap;
  columns.forEach((column, index) => {
    const wanted = (id: string) =>
      average(edges.filter(({ to }) => to === id).flatMap(({ from }) => nodes.get(from)?.y ?? []));
    const placed = column.map((id) => ({ id, y: wanted(id) })).sort((a, b) => a.y - b.y || (a.id < b.id ? -1 : 1));
    const height = column.length * (box.height + rowGap) - rowGap;
    // What is taller than a screen begins at its top, so that the left column is in sight.
    const top = margin + (tallest > screen ? 0 : (tallest - height) / 2);
    placed.forEach(({ id }, row) => {
      const y = top + row * (box.height + rowGap);
      nodes.set(id, { id, session: namedById(id, sessions), x: margin + index * (box.width + columnGap), y });
    });
  });
  return {
    nodes,
    edges,
    width: Math.max(0, margin * 2 + columns.length * (box.width + columnGap) - columnGap),
    height: Math.max(0, margin * 2 + tallest),
  };
}

function average(values: readonly number[]): number {
  return values.length === 0 ? 0 : values.reduce((sum, value) => sum + value, 0) / values.length;
}

function namedById(id: string, sessions: ReadonlyMap<string, ListedSession>): Node["session"] {
  const [agentId = "", sessionKey = ""] = id.split("\n");
  return { agentId, sessionKey, label: sessions.get(id)?.label ?? null };
}

/** The longest way from somebody whom nobody watches; an edge that closes a circle does not count. */
function depths(ids: readonly string[], edges: readonly Edge[]): Map<string, number> {
  const below = new Map<string, string[]>();
  for (const { from, to } of edges) below.set(from, [...(below.get(from) ?? []), to]);
  const order: string[] = [];
  const state = new Map<string, "open" | "done">();
  const backwards = new Set<string>();
  const visit = (id: string) => {
    state.set(id, "open");
    for (const next of below.get(id) ?? []) {
      if (state.get(next) === "open") backwards.add(`${id}\n\n${next}`);
      else if (state.get(next) === undefined) visit(next);
    }
    state.set(id, "done");
    order.push(id);
  };
  const targets = new Set(edges.map(({ to }) => to));
  for (const id of [...ids.filter((each) => !targets.has(each)), ...ids]) if (!state.has(id)) visit(id);
  const depth = new Map(ids.map((id) => [id, 0]));
  for (const id of order.reverse()) {
    for (const next of below.get(id) ?? []) {
      if (!backwards.has(`${id}\n\n${next}`)) depth.set(next, Math.max(depth.get(next) ?? 0, (depth.get(id) ?? 0) + 1));
    }
  }
  return depth;
}
