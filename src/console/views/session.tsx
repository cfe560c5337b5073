import { useCallback, useMemo, useState } from "react";
import { Ago } from "../parts/ago.js";
import { Failure } from "../parts/failure.js";
import { KeyLink } from "../parts/sessionLink.js";
import { UpstreamState } from "../parts/upstreamState.js";
import { Legend } from "../picture/legend.js";
import { TimeLine } from "../picture/timeLine.js";
import { client } from "../store/app.js";
import { idOf, type SessionName } from "../store/names.js";
import { useObservable } from "../store/observable.js";
import { hrefOf } from "../store/route.js";
import { sessionList } from "../store/sessions.js";
import { useLive } from "../store/useLive.js";
import { WatcherTable } from "./watcherTable.js";

const eventsShown = 60;
const eventsMost = 200;
const lanesMost = 12;

/** The picture of one session: what happened to it, and how far its watchers have come. */
export function SessionView({ session }: { session: SessionName }) {
  const { sessionKey, agentId } = session;
  const id = idOf(session);
  const [limit, setLimit] = useState(eventsShown);
  const read = useCallback(
    async (signal: AbortSignal) => {
      const target = { targetSessionKey: sessionKey, targetAgentId: agentId };
      const [status, watches] = await Promise.all([
        client.latestEvents({ sessionKey, agentId, limit }, { signal }),
        client.watches({ ...target, first: 200 }, { signal }),
      ]);
      return { status, watches: watches.nodes, moreWatches: watches.pageInfo.hasNextPage };
    },
    [sessionKey, agentId, limit],
  );
  const concerns = useCallback((changed: ReadonlySet<string> | null) => changed === null || changed.has(id), [id]);
  const { data, error, refresh } = useLive(read, concerns);
  const events = data?.status.latestEvents ?? [];
  const isFull = events.length >= limit;
  // What needs attention first; each group in the order in which the watches were made.
  const watches = useMemo(
    () => [...(data?.watches ?? [])].sort((a, b) => Number(b.pending) - Number(a.pending)),
    [data],
  );
  return (
    <section className="picture" aria-labelledby="session-title">
      <SessionHead session={session} stateVersion={data?.status.stateVersion ?? null} />
      {error !== null && <Failure error={error} retry={refresh} />}
      {data === null ? (
        <p className="card quiet placeholder">Reading…</p>
      ) : (
        <>
          <div className="card">
            <TimeLine
              events={events}
              watches={watches.slice(0, lanesMost)}
              prunedUpTo={data.status.prunedUpTo}
              hasEarlier={isFull}
            />
            <p className="quiet small buttons">
              {isFull && limit < eventsMost && (
                <button type="button" onClick={() => setLimit(eventsMost)}>
                  Show the last {eventsMost}
                </button>
              )}
              {watches.length > lanesMost && (
                <span>
                  The first {lanesMost} of {watches.length} watchers are drawn; all are below.
                </span>
              )}
              <a href={hrefOf("deltas", session)}>Read exact changes since a version</a>
            </p>
            <Legend />
          </div>
          <WatcherTable session={session} watches={watches} more={data.moreWatches} refresh={refresh} />
        </>
      )}
    </section>
  );
}

function SessionHead({ session, stateVersion }: { session: SessionName; stateVersion: number | null }) {
  const { sessions } = useObservable(sessionList);
  const listed = sessions.get(idOf(session));
  return (
    <div className="session-head">
      <p className="quiet small">
        <a href="#/">Sessions</a> / {session.agentId}
      </p>
      <h1 id="session-title">
        {listed?.label != null && <span>{listed.label}</span>}
        <span className="key">{session.sessionKey}</span>
      </h1>
      <dl className="facts">
        <div>
          <dt>Version</dt>
          <dd className="number">{stateVersion === null ? "…" : `#${stateVersion}`}</dd>
        </div>
        <div>
          <dt>Watchers</dt>
          <dd className="number">{listed?.watcherCount ?? 0}</dd>
        </div>
        <div>
          <dt>Pending about it</dt>
          <dd className="number">{listed?.pendingWatcherCount ?? 0}</dd>
        </div>
        <div>
          <dt>To drain by it</dt>
          <dd className="number">{listed?.pendingCount ?? 0}</dd>
        </div>
        <div>
          <dt>Spawned by</dt>
          <dd>{listed?.spawnedBy == null ? "nobody" : <KeyLink sessionKey={listed.spawnedBy} />}</dd>
        </div>
        <div>
          <dt>Upstream</dt>
          <dd>
            <UpstreamState link={listed?.upstream ?? null} />
          </dd>
        </div>
        <div>
          <dt>Last change</dt>
          <dd>{listed === undefined ? "…" : <Ago at={listed.updatedAt} />}</dd>
        </div>
      </dl>
    </div>
  );
}
