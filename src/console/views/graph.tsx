import { useCallback, useMemo, useState } from "react";
import type { Watch } from "../../client/index.js";
import { box, type Edge, edgesOf, type Layout, layOut, type Node } from "../graph/layout.js";
import { Failure } from "../parts/failure.js";
import { client } from "../store/app.js";
import { useObservable } from "../store/observable.js";
import { hrefOf } from "../store/route.js";
import { sessionList } from "../store/sessions.js";
import { useLive } from "../store/useLive.js";

const watchesMost = 1_000;
const nodesMost = 300;
const always = () => true;

/** Who watches whom, and who spawned whom. */
export function GraphView() {
  const { sessions } = useObservable(sessionList);
  const { data, error, refresh } = useLive(useCallback(readWatches, []), always);
  const { layout, left } = useMemo(() => {
    const edges = edgesOf(sessions, data ?? []);
    const shown = edges.slice().sort((a, b) => Number(b.pending) - Number(a.pending));
    const within = withinLimit(shown);
    return { layout: layOut(sessions, within), left: edges.length - within.length };
  }, [sessions, data]);
  return (
    <section className="graph" aria-labelledby="graph-title">
      <h1 id="graph-title">Who watches whom</h1>
      <ul className="legend-line" aria-label="Legend">
        <li>
          <LineSample kind="watched" /> watches
        </li>
        <li>
          <LineSample kind="pending" /> watches, a notice is pending
        </li>
        <li>
          <LineSample kind="spawned" /> spawned
        </li>
      </ul>
      {error !== null && <Failure error={error} retry={refresh} />}
      {left > 0 && (
        <p className="quiet">Too many to draw: {left} connections are left out, none of them pending first.</p>
      )}
      {data !== null && layout.nodes.size === 0 ? (
        <p className="card quiet">Nobody watches or has spawned anybody yet.</p>
      ) : (
        <Picture layout={layout} />
      )}
    </section>
  );
}

async function readWatches(signal: AbortSignal): Promise<Watch[]> {
  const watches: Watch[] = [];
  let after: string | null = null;
  do {
    const page: Awaited<ReturnType<typeof client.watches>> = await client.watches({ first: 200, after }, { signal });
    watches.push(...page.nodes);
    after = page.pageInfo.hasNextPage ? page.pageInfo.endCursor : null;
  } while (after !== null && watches.length < watchesMost);
  return watches;
}

function withinLimit(edges: readonly Edge[]): Edge[] {
  const nodes = new Set<string>();
  return edges.filter(({ from, to }) => {
    if (nodes.size >= nodesMost && !(nodes.has(from) && nodes.has(to))) return false;
    nodes.add(from).add(to);
    return true;
  });
}

function LineSample({ kind }: { kind: string }) {
  return (
    <svg viewBox="0 0 44 12" width="44" height="12" aria-hidden="true">
      <path d="M2 6 H36" className={`edge ${kind}`} />
      <path d="M35 2 L42 6 L35 10 Z" className={`arrow ${kind}`} />
    </svg>
  );
}

function Picture({ layout }: { layout: Layout }) {
  const { nodes, edges, width, height } = layout;
  const [near, setNear] = useState<string | null>(null);
  return (
    <section className="card scroll-x canvas" tabIndex={0} aria-label="Graph of sessions">
      <svg
        width={width}
        height={height}
        role="group"
        aria-label={`${nodes.size} sessions, ${edges.length} connections`}
      >
        {edges.map((edge) => (
          <Arrow
            key={`${edge.from} ${edge.to}`}
            edge={edge}
            nodes={nodes}
            faint={near !== null && near !== edge.from && near !== edge.to}
          />
        ))}
        {[...nodes.values()].map((node) => (
          <NodeBox key={node.id} node={node} edges={edges} setNear={setNear} />
        ))}
      </svg>
    </section>
  );
}

function Arrow({ edge, nodes, faint }: { edge: Edge; nodes: ReadonlyMap<string, Node>; faint: boolean }) {
  const [from, to] = [nodes.get(edge.from), nodes.get(edge.to)];
  if (from === undefined || to === undefined) return null;
  const isForward = to.x > from.x;
  const x1 = from.x + box.width;
  const [y1, y2] = [from.y + box.height / 2, to.y + box.height / 2];
  const x2 = isForward ? to.x - 7 : to.x + box.width + 7;
  const bend = isForward ? Math.max((x2 - x1) / 2, 30) : 60;
  const path = `M${x1} ${y1} C${x1 + bend} ${y1} ${isForward ? x2 - bend : x2 + bend} ${y2} ${x2} ${y2}`;
  const tip = isForward ? `M${x2} ${y2 - 4} l7 4 l-7 4 Z` : `M${x2} ${y2 - 4} l-7 4 l7 4 Z`;
  const kind = edge.pending ? "pending" : edge.watched ? "watched" : "spawned";
  return (
    <g className={faint ? "faint" : undefined} aria-hidden="true">
      {edge.spawned && edge.watched && <path d={path} className="edge spawned under" />}
      <path d={path} className={`edge ${kind}`} />
      <path d={tip} className={`arrow ${kind}`} />
      {edge.pending && <circle cx={(x1 + x2) / 2} cy={(y1 + y2) / 2} r="5" className="pending-dot" />}
    </g>
  );
}

type NodeProps = { node: Node; edges: readonly Edge[]; setNear: (id: string | null) => void };

function NodeBox({ node: { id, session, x, y }, edges, setNear }: NodeProps) {
  const watches = edges.filter(({ from, watched }) => from === id && watched);
  const pending = watches.filter((edge) => edge.pending).length;
  const name = session.label ?? session.sessionKey;
  const words = `${session.sessionKey} (${session.agentId}) watches ${watches.length}${pending > 0 ? `, ${pending} pending` : ""}`;
  return (
    <a
      href={hrefOf("session", session)}
      className="node"
      onMouseEnter={() => setNear(id)}
      onMouseLeave={() => setNear(null)}
      onFocus={() => setNear(id)}
      onBlur={() => setNear(null)}
    >
      <title>{words}</title>
      <rect x={x} y={y} width={box.width} height={box.height} rx="8" />
      <text x={x + 12} y={y + (session.label === null ? 25 : 17)}>
        {shortened(name, pending > 0 ? 20 : 23)}
      </text>
      {session.label !== null && (
        <text x={x + 12} y={y + 32} className="sub">
          {shortened(session.sessionKey, pending > 0 ? 25 : 29)}
        </text>
      )}
      {pending > 0 && (
        <>
          <circle cx={x + box.width - 17} cy={y + box.height / 2} r="10" className="node-badge" />
          <text x={x + box.width - 17} y={y + box.height / 2 + 4} className="node-badge-text">
            {pending > 99 ? "99" : pending}
          </text>
        </>
      )}
    </a>
  );
}

/** The end of a key tells more than its middle. */
function shortened(text: string, most: number): string {
  return text.length <= most ? text : `${text.slice(0, Math.ceil(most / 2) - 1)}…${text.slice(-Math.floor(most / 2))}`;
}
