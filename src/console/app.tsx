import { useEffect, useMemo } from "react";
import { ConnectionBar } from "./parts/connectionBar.js";
import { Failure } from "./parts/failure.js";
import { connection, door, knock } from "./store/app.js";
import { useObservable } from "./store/observable.js";
import { hrefOf, useRoute, type ViewName } from "./store/route.js";
import { followSessions, forgetSessions, sessionList } from "./store/sessions.js";
import { CatalogView } from "./views/catalog.js";
import { DeltasView } from "./views/deltas.js";
import { FirstStart } from "./views/firstStart.js";
import { GraphView } from "./views/graph.js";
import { NoticesView } from "./views/notices.js";
import { OverviewView } from "./views/overview.js";
import { SessionView } from "./views/session.js";
import { SignedOut } from "./views/signedOut.js";

const tabs: readonly [ViewName, string][] = [
  ["overview", "Sessions"],
  ["notices", "Notices"],
  ["graph", "Graph"],
  ["deltas", "Deltas"],
  ["catalog", "Catalog"],
];

export function App() {
  const state = useObservable(door);
  const isOpen = state.state === "open";
  const who = isOpen ? state.viewer : null;
  useEffect(() => {
    if (who === null) return;
    const gone = new AbortController();
    void followSessions(gone.signal);
    return () => {
      gone.abort();
      forgetSessions();
    };
  }, [who]);
  return (
    <>
      <Header />
      <ConnectionBar />
      <main id="content">
        {state.state === "open" && <View />}
        {state.state === "signedOut" && <SignedOut before={state.before} />}
        {state.state === "knocking" && <Opening />}
      </main>
    </>
  );
}

function Header() {
  const { view } = useRoute();
  const state = useObservable(door);
  const { sessions } = useObservable(sessionList);
  // Every target of a watch is listed, but not every watcher: so what is pending is counted where it is about.
  const pending = useMemo(
    () => [...sessions.values()].reduce((sum, each) => sum + each.pendingWatcherCount, 0),
    [sessions],
  );
  useEffect(() => {
    document.title = pending > 0 ? `(${pending}) headsup` : "headsup";
  }, [pending]);
  const shown = view === "session" ? "overview" : view;
  return (
    <header className="top">
      <a className="brand" href="#/">
        <svg viewBox="0 0 16 16" width="22" height="22" aria-hidden="true">
          <circle cx="7.5" cy="8.5" r="6" className="brand-head" />
          <circle cx="12" cy="4" r="3.5" className="brand-dot" />
        </svg>
        headsup
      </a>
      <nav aria-label="Views">
        {tabs.map(([name, title]) => (
          <a key={name} href={hrefOf(name)} aria-current={name === shown ? "page" : undefined}>
            {title}
            {name === "notices" && <Count pending={pending} />}
          </a>
        ))}
      </nav>
      <span className="who">{state.state === "open" ? state.viewer.name : ""}</span>
    </header>
  );
}

/** Its place is kept while there is nothing to count. */
function Count({ pending }: { pending: number }) {
  if (pending === 0) return <span className="badge nothing-pending" aria-hidden="true" />;
  return (
    <span className="badge" title={`${pending} pending`}>
      {pending > 99 ? "99+" : pending}
    </span>
  );
}

function View() {
  const { view, session } = useRoute();
  const { sessions, extent, error } = useObservable(sessionList);
  const isEmpty = extent === "whole" && sessions.size === 0;
  if (error !== null && sessions.size === 0) return <Failure error={error} retry={() => location.reload()} />;
  switch (view) {
    case "overview":
      return isEmpty ? <FirstStart /> : <OverviewView />;
    case "notices":
      return <NoticesView />;
    case "graph":
      return isEmpty ? <FirstStart /> : <GraphView />;
    case "catalog":
      return <CatalogView />;
    case "deltas":
      return <DeltasView key={location.hash} session={session} />;
    case "session":
      return session === null ? <OverviewView /> : <SessionView key={location.hash} session={session} />;
  }
}

function Opening() {
  const isLost = useObservable(connection) === "reconnecting";
  return (
    <p className="quiet opening" role="status">
      {isLost ? "The server does not answer yet. It is tried again every second." : "Opening…"}
      {isLost && (
        <button type="button" onClick={() => void knock()}>
          Try now
        </button>
      )}
    </p>
  );
}
