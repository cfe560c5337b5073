import type { SessionStateEvent } from "../../client/index.js";
import { Ago } from "../parts/ago.js";
import { KindName } from "./kinds.js";

/** What is known of the event under the pointer or the focus. As high with an event as without. */
export function EventDetails({ event, isLast }: { event: SessionStateEvent | null; isLast: boolean }) {
  if (event === null) return <p className="event-details quiet">Nothing has been logged for this session.</p>;
  const { sequence, kind, actorId, actorType, occurredAt, summary, payload, runId } = event;
  return (
    <div className="event-details">
      <p className="event-line">
        <b className="number">#{sequence}</b> <KindName kind={kind} />
        <span className="quiet">
          by {actorType.toLowerCase()}
          {actorId === null ? "" : ` ${actorId}`}, <Ago at={occurredAt} />
          {isLast ? ", the last event" : ""}
        </span>
      </p>
      <p className="summary">{summary}</p>
      <p className="quiet small">
        {runId !== null && `run ${runId} `}
        {payload !== null && <code>{JSON.stringify(payload)}</code>}
      </p>
    </div>
  );
}
