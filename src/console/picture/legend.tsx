import { KindName, kinds } from "./kinds.js";

const kindNames = Object.keys(kinds) as (keyof typeof kinds)[]; // the keys of a record of all kinds

export function Legend() {
  return (
    <details className="legend" open>
      <summary>Legend</summary>
      <ul aria-label="Kinds of events">
        {kindNames.map((kind) => (
          <li key={kind}>
            <KindName kind={kind} />
          </li>
        ))}
      </ul>
      <p className="quiet">Filled marks notify watchers; hollow ones are only logged.</p>
      <ul aria-label="Positions of a watcher">
        <li>
          <CursorSample part="seen" /> last seen: acknowledged
        </li>
        <li>
          <CursorSample part="notified" /> notified: what the pending notice covers, frozen
        </li>
        <li>
          <CursorSample part="material" /> material: the last event that concerns it
        </li>
        <li>
          <svg viewBox="0 0 34 18" width="34" height="18" aria-hidden="true">
            <path d="M3 9 H31" className="span pending" />
          </svg>
          pending
        </li>
        <li>
          <svg viewBox="0 0 34 18" width="34" height="18" aria-hidden="true">
            <path d="M3 9 H31" className="span rest" />
          </svg>
          more, for the next notice
        </li>
        <li>
          <svg viewBox="0 0 34 18" width="34" height="18" aria-hidden="true">
            <rect x="2" y="2" width="30" height="14" className="gap-fill" />
          </svg>
          history that was pruned
        </li>
      </ul>
    </details>
  );
}

function CursorSample({ part }: { part: "seen" | "notified" | "material" }) {
  return (
    <svg className="mark" viewBox="-11 -11 22 22" width="18" height="18" aria-hidden="true">
      <path d={cursorShapes[part]} className={`cursor ${part}`} />
    </svg>
  );
}

export const cursorShapes = {
  seen: "M-2.5 -9 H2.5 V9 H-2.5 Z",
  notified: "M-6 -8 L7 0 L-6 8 Z",
  material: "M0 -5 A5 5 0 1 1 0 5 A5 5 0 1 1 0 -5 Z",
} as const;
