import { type KeyboardEvent, useEffect, useLayoutEffect, useRef, useState } from "react";
import type { SessionStateEvent, Watch } from "../../client/index.js";
import { agoInWords, exactTime } from "../parts/ago.js";
import { EventDetails } from "./eventDetails.js";
import { kindClass, kinds } from "./kinds.js";
import { Lane } from "./lane.js";
import { createScale, eventsHeight, gapWidth, laneHeight, type Scale, step } from "./scale.js";

type Props = {
  events: readonly SessionStateEvent[];
  watches: readonly Watch[];
  /** The highest pruned version; 0 when none was. */
  prunedUpTo: number;
  /** Older events are there, but not shown. */
  hasEarlier: boolean;
};

/** The events in their order, and below them how far each watcher has come. */
export function TimeLine({ events, watches, prunedUpTo, hasEarlier }: Props) {
  const isCut = prunedUpTo > 0 || hasEarlier;
  const scale = createScale(events, isCut);
  const height = eventsHeight + watches.length * laneHeight + 8;
  const [chosen, setChosen] = useState<number | null>(null);
  const last = events.at(-1)?.sequence ?? null;
  const current = events.find(({ sequence }) => sequence === chosen) ?? events.at(-1) ?? null;
  const scroller = useStickToEnd(last);
  return (
    <>
      <div className="timeline">
        <div className="lane-names" aria-hidden="true">
          <span className="lane-name events-name" style={{ height: eventsHeight }}>
            Events
          </span>
          {watches.map((watch) => (
            <span key={watch.watcherSessionKey} className="lane-name" style={{ height: laneHeight }}>
              <span title={watch.watcherSessionKey}>
                <bdi>{watch.watcherSessionKey}</bdi>
              </span>
            </span>
          ))}
        </div>
        <section className="strip" ref={scroller} tabIndex={0} aria-label="Time line">
          <svg width={scale.width} height={height} role="group" aria-label={`${events.length} events, oldest first`}>
            {isCut && <Gap height={height} pruned={prunedUpTo} hasEarlier={hasEarlier} />}
            <path d={`M${isCut ? gapWidth : 8} 34 H${scale.width - 8}`} className="axis" />
            {watches.map((watch, index) => (
              <Lane key={watch.watcherSessionKey} watch={watch} scale={scale} y={eventsHeight + index * laneHeight} />
            ))}
            <Marks events={events} scale={scale} current={current} choose={setChosen} />
          </svg>
        </section>
      </div>
      <EventDetails event={current} isLast={current?.sequence === last} />
    </>
  );
}

/** At the newest event when it comes, unless somebody has scrolled back. */
function useStickToEnd(last: number | null) {
  const scroller = useRef<HTMLElement>(null);
  const sticks = useRef(true);
  useEffect(() => {
    const element = scroller.current;
    if (element === null) return;
    const look = () => {
      sticks.current = element.scrollLeft + element.clientWidth > element.scrollWidth - step;
    };
    element.addEventListener("scroll", look, { passive: true });
    return () => element.removeEventListener("scroll", look);
  }, []);
  useLayoutEffect(() => {
    if (last !== null && sticks.current) scroller.current?.scrollTo({ left: scroller.current.scrollWidth });
  }, [last]);
  return scroller;
}

function Gap({ height, pruned, hasEarlier }: { height: number; pruned: number; hasEarlier: boolean }) {
  const earlier = hasEarlier ? "Earlier events may be there that are not shown" : "";
  const words = [earlier, pruned > 0 ? `History up to #${pruned} was pruned` : ""].filter(Boolean).join("; ");
  const teeth = Array.from(
    { length: Math.ceil(height / 12) },
    (_, index) => `L${index % 2 === 0 ? 50 : 42} ${index * 12 + 12}`,
  );
  return (
    <g role="img" aria-label={words}>
      <title>{words}</title>
      <path d={`M0 0 L42 0 ${teeth.join(" ")} L0 ${height} Z`} className={pruned > 0 ? "gap-fill" : "cut-fill"} />
      <text x="8" y="20" className="gap-text">
        {pruned > 0 ? "pruned" : "earlier"}
      </text>
    </g>
  );
}

type MarksProps = {
  events: readonly SessionStateEvent[];
  scale: Scale;
  current: SessionStateEvent | null;
  choose: (sequence: number) => void;
};

/** One stop for Tab; the arrow keys go from event to event. */
function Marks({ events, scale, current, choose }: MarksProps) {
  const group = useRef<SVGGElement>(null);
  const move = (event: KeyboardEvent) => {
    const at = events.findIndex(({ sequence }) => sequence === current?.sequence);
    const to = { ArrowLeft: at - 1, ArrowRight: at + 1, Home: 0, End: events.length - 1 }[event.key];
    const next = to === undefined ? undefined : events[to];
    if (next === undefined || to === undefined) return;
    event.preventDefault();
    choose(next.sequence);
    const mark = group.current?.children[to];
    if (mark instanceof SVGElement) mark.focus();
  };
  return (
    <g ref={group} onKeyDown={move}>
      {events.map((event, index) => (
        <g
          key={event.sequence}
          className={event === current ? "event current" : "event"}
          transform={`translate(${scale.start + index * step} 34)`}
          role="button"
          aria-pressed={event === current}
          tabIndex={event === current ? 0 : -1}
          aria-label={nameOf(event)}
          onFocus={() => choose(event.sequence)}
          onMouseEnter={() => choose(event.sequence)}
          onClick={() => choose(event.sequence)}
        >
          <rect x={-step / 2} y="-30" width={step} height="66" className="hit" />
          <path d={kinds[event.kind].shape} className={kindClass(event.kind)} />
          <text y="29" className="sequence">
            {event.sequence}
          </text>
        </g>
      ))}
    </g>
  );
}

function nameOf({ sequence, kind, actorId, actorType, summary, occurredAt }: SessionStateEvent): string {
  const actor = actorId ?? actorType.toLowerCase();
  return `#${sequence} ${kinds[kind].title} by ${actor}: ${summary}, ${agoInWords(occurredAt, Date.now())}, ${exactTime(occurredAt)}`;
}
