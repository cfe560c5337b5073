import type { SessionEventKind } from "../../client/index.js";

type Kind = { readonly title: string; readonly notifies: boolean; readonly shape: string };

const disc = "M0 -8 A8 8 0 1 1 0 8 A8 8 0 1 1 0 -8 Z";
const diamond = "M0 -9.5 L9.5 0 L0 9.5 L-9.5 0 Z";
const triangle = "M0 -9 L9 7 L-9 7 Z";
const plus = "M-3 -8 H3 V-3 H8 V3 H3 V8 H-3 V3 H-8 V-3 H-3 Z";
const square = "M-7 -7 H7 V7 H-7 Z";
const cross = "M-8 -4.5 L-4.5 -8 L0 -3.5 L4.5 -8 L8 -4.5 L3.5 0 L8 4.5 L4.5 8 L0 3.5 L-4.5 8 L-8 4.5 L-3.5 0 Z";
const bar = "M-9 -3.5 H9 V3.5 H-9 Z";
const pentagon = "M0 -9 L8.6 -2.8 L5.3 7.3 L-5.3 7.3 L-8.6 -2.8 Z";

/** Told apart by shape as well as by colour. Kinds that notify are filled. */
export const kinds: Readonly<Record<SessionEventKind, Kind>> = {
  HUMAN_DIRECT_MESSAGE: { title: "Human message", notifies: true, shape: disc },
  GOAL_CHANGED: { title: "Goal changed", notifies: true, shape: diamond },
  UPSTREAM_MISSING: { title: "Upstream missing", notifies: true, shape: triangle },
  CHILD_SPAWNED: { title: "Spawned", notifies: false, shape: plus },
  RUN_COMPLETED: { title: "Run completed", notifies: false, shape: square },
  RUN_FAILED: { title: "Run failed", notifies: false, shape: cross },
  COMPACTED: { title: "Compacted", notifies: false, shape: bar },
  ADOPTED: { title: "Adopted", notifies: false, shape: pentagon },
};

export function kindClass(kind: SessionEventKind): string {
  return `kind ${kind.toLowerCase().replaceAll("_", "-")} ${kinds[kind].notifies ? "filled" : "hollow"}`;
}

export function KindMark({ kind }: { kind: SessionEventKind }) {
  return (
    <svg className="mark" viewBox="-11 -11 22 22" width="18" height="18" aria-hidden="true">
      <path d={kinds[kind].shape} className={kindClass(kind)} />
    </svg>
  );
}

/** The kind of an event, as mark and word. */
export function KindName({ kind }: { kind: SessionEventKind }) {
  return (
    <span className="kind-name">
      <KindMark kind={kind} />
      {kinds[kind].title}
    </span>
  );
}
