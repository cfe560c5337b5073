import { useCallback, useMemo, useState } from "react";
import type { PendingWatch } from "../../client/index.js";
import { ActLine } from "../parts/actLine.js";
import { Failure } from "../parts/failure.js";
import { KeyLink } from "../parts/sessionLink.js";
import { client, door, whyNotActFor } from "../store/app.js";
import { Observable, useObservable } from "../store/observable.js";
import { type Act, useAct } from "../store/useAct.js";
import { useLive } from "../store/useLive.js";
import { type Language, languages, NoticeCard } from "./noticeCard.js";
import { drain } from "./watcherTable.js";

const pageSize = 200;
const language = new Observable<Language>("textEn");
const always = () => true;

/** What is pending, for whom and since when. */
export function NoticesView() {
  const [pages, setPages] = useState(1);
  const read = useCallback((signal: AbortSignal) => readPages(pages, signal), [pages]);
  const { data, error, refresh } = useLive(read, always);
  const groups = useMemo(() => groupByWatcher(data?.watches ?? []), [data]);
  const act = useAct();
  const chosen = useObservable(language);
  return (
    <section className="notices" aria-labelledby="notices-title">
      <div className="title-row">
        <h1 id="notices-title">Pending notices</h1>
        <label className="inline">
          <span>Text in</span>
          <select
            value={chosen}
            onChange={({ target }) => language.set(languages.find(([name]) => name === target.value)?.[0] ?? "textEn")}
          >
            {languages.map(([name, title]) => (
              <option key={name} value={name}>
                {title}
              </option>
            ))}
          </select>
        </label>
      </div>
      <ActLine act={act} />
      {error !== null && <Failure error={error} retry={refresh} />}
      {data === null && error === null && <p className="quiet placeholder">Reading…</p>}
      {data !== null && groups.length === 0 && (
        <div className="card narrow">
          <h2>Nothing is pending</h2>
          <p className="quiet">
            A notice opens when a session that somebody watches changes by another hand. There is never more than one
            for a pair, however often the session changes.
          </p>
        </div>
      )}
      {groups.map(([watcher, watches]) => (
        <WatcherGroup key={watcher} {...{ watcher, watches, act, refresh }} language={chosen} />
      ))}
      {data?.more && (
        <button type="button" onClick={() => setPages(pages + 1)}>
          Show more
        </button>
      )}
    </section>
  );
}

async function readPages(pages: number, signal: AbortSignal) {
  const watches: PendingWatch[] = [];
  let after: string | null = null;
  for (let page = 0; page < pages; page += 1) {
    const found: Awaited<ReturnType<typeof client.pendingWatches>> = await client.pendingWatches(
      { first: pageSize, after },
      { signal },
    );
    watches.push(...found.nodes);
    after = found.pageInfo.hasNextPage ? found.pageInfo.endCursor : null;
    if (after === null) break;
  }
  return { watches, more: after !== null };
}

/** Whoever waits longest first; for each watcher its oldest notice first, as a drain would take them. */
function groupByWatcher(watches: readonly PendingWatch[]): [string, PendingWatch[]][] {
  const groups = new Map<string, PendingWatch[]>();
  const openedAt = (watch: PendingWatch) => watch.notice?.openedAt ?? "";
  for (const watch of [...watches].sort((a, b) => (openedAt(a) < openedAt(b) ? -1 : 1))) {
    groups.set(watch.watcherSessionKey, [...(groups.get(watch.watcherSessionKey) ?? []), watch]);
  }
  return [...groups];
}

type GroupProps = {
  watcher: string;
  watches: readonly PendingWatch[];
  act: Act;
  refresh: () => void;
  language: Language;
};

function WatcherGroup({ watcher, watches, act, refresh, language: chosen }: GroupProps) {
  const state = useObservable(door);
  const reason = state.state === "open" ? whyNotActFor(state.viewer, watcher) : "You are not logged in.";
  return (
    <section className="card group" aria-label={`Pending for ${watcher}`}>
      <div className="title-row">
        <h2>
          <span className="quiet">for</span> <KeyLink sessionKey={watcher} />
        </h2>
        {reason === null && (
          <button type="button" disabled={act.busy} onClick={() => act.run(() => drain(watcher, refresh))}>
            Drain {watches.length === 1 ? "it" : `all ${watches.length}`}
          </button>
        )}
      </div>
      {reason !== null && <p className="quiet reason">{reason}</p>}
      <ul className="plain">
        {watches.map((watch) => (
          <NoticeCard
            key={`${watch.targetAgentId} ${watch.targetSessionKey}`}
            {...{ watch, act, refresh }}
            language={chosen}
            mayAct={reason === null}
          />
        ))}
      </ul>
    </section>
  );
}
