import type { Watch } from "../../client/index.js";
import { cursorShapes } from "./legend.js";
import { laneHeight, type Scale } from "./scale.js";

/**
 * One watcher's cursor. The marks move where the positions move, so that a drain is seen: the bar of what is pending
 * shrinks from the left.
 */
export function Lane({ watch, scale, y }: { watch: Watch; scale: Scale; y: number }) {
  const middle = y + laneHeight / 2;
  const seen = scale.x(watch.lastSeen);
  const notified = scale.x(watch.notified);
  const material = scale.x(Math.max(watch.material, watch.notified));
  return (
    <g role="img" aria-label={inWords(watch)}>
      <title>{inWords(watch)}</title>
      <path d={`M8 ${middle} H${scale.width - 8}`} className="axis lane" />
      <Span className="span done" from={8} to={seen} y={middle} />
      {material > notified && watch.pending && <Span className="span rest" from={notified} to={material} y={middle} />}
      {watch.pending && <Span className="span pending" from={seen} to={notified} y={middle} />}
      <Mark part="material" x={material} y={middle} />
      {watch.pending && <Mark part="notified" x={notified} y={middle} />}
      <Mark part="seen" x={seen} y={middle} />
    </g>
  );
}

/** Drawn at unit length and stretched, because only transforms move smoothly. */
function Span({ className, from, to, y }: { className: string; from: number; to: number; y: number }) {
  const style = { transform: `translate(${from}px, ${y}px) scaleX(${Math.max(to - from, 0)})` };
  return <rect x="0" y="-4" width="1" height="8" className={className} style={style} />;
}

function Mark({ part, x, y }: { part: keyof typeof cursorShapes; x: number; y: number }) {
  return (
    <path d={cursorShapes[part]} className={`cursor ${part}`} style={{ transform: `translate(${x}px, ${y}px)` }} />
  );
}

export function inWords({ watcherSessionKey, lastSeen, notified, material, pending }: Watch): string {
  const where = `last seen ${lastSeen}, notified ${notified}, material ${material}`;
  return `${watcherSessionKey}: ${pending ? "a notice is pending" : "nothing pending"}; ${where}`;
}
