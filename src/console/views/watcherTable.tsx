import { useEffect, useRef, useState } from "react";
import type { Watch } from "../../client/index.js";
import { ActLine } from "../parts/actLine.js";
import { KeyLink } from "../parts/sessionLink.js";
import { client, door, whyNotActFor } from "../store/app.js";
import type { SessionName } from "../store/names.js";
import { useObservable } from "../store/observable.js";
import { type Act, useAct } from "../store/useAct.js";

type Props = { session: SessionName; watches: readonly Watch[]; more: boolean; refresh: () => void };

/** The watchers' cursors as numbers, and what may be done about them. */
export function WatcherTable({ session, watches, more, refresh }: Props) {
  const act = useAct();
  const door_ = useObservable(door);
  const reasons = new Set(
    watches.flatMap(({ watcherSessionKey }) =>
      door_.state === "open" ? (whyNotActFor(door_.viewer, watcherSessionKey) ?? []) : [],
    ),
  );
  return (
    <section className="card" aria-labelledby="watchers-title">
      <h2 id="watchers-title">Watchers</h2>
      {watches.length === 0 ? (
        <p className="quiet">Nobody watches this session. A session that spawns another watches it by itself.</p>
      ) : (
        <div className="scroll-x" tabIndex={0} role="region" aria-label="Positions of the watchers">
          <table>
            <thead>
              <tr>
                <th scope="col">Watcher</th>
                <th scope="col">Last seen</th>
                <th scope="col">Notified</th>
                <th scope="col">Material</th>
                <th scope="col">State</th>
                <th scope="col">Moved</th>
                <th scope="col">
                  <span className="unseen">Acts</span>
                </th>
              </tr>
            </thead>
            <tbody>
              {watches.map((watch) => (
                <WatcherRow key={watch.watcherSessionKey} {...{ session, watch, act, refresh }} />
              ))}
            </tbody>
          </table>
        </div>
      )}
      {more && <p className="quiet">There are more than 200 watchers; the first 200 are shown.</p>}
      {[...reasons].map((reason) => (
        <p key={reason} className="quiet reason">
          {reason}
        </p>
      ))}
      <ActLine act={act} />
    </section>
  );
}

type RowProps = { session: SessionName; watch: Watch; act: Act; refresh: () => void };

function WatcherRow({ session, watch, act, refresh }: RowProps) {
  const state = useObservable(door);
  const { watcherSessionKey, pending, lastSeen, notified, material } = watch;
  const mayAct = state.state === "open" && whyNotActFor(state.viewer, watcherSessionKey) === null;
  const target = { targetSessionKey: session.sessionKey, targetAgentId: session.agentId };
  const reconcile = async () => {
    await client.reconcile({ watcherSessionKey, ...target, upTo: Math.max(notified, material) });
    refresh();
    return `${watcherSessionKey} has now seen everything up to #${Math.max(notified, material)}.`;
  };
  return (
    <tr className={pending ? "is-pending" : undefined}>
      <td>
        <KeyLink sessionKey={watcherSessionKey} />
      </td>
      <td className="number">{lastSeen}</td>
      <td className="number">{notified}</td>
      <td className="number">{material}</td>
      <td>
        <StateWord watch={watch} />
      </td>
      <td className="quiet small">
        <Moved watch={watch} />
      </td>
      <td className="buttons">
        {mayAct && pending && (
          <>
            <button type="button" disabled={act.busy} onClick={() => act.run(() => drain(watcherSessionKey, refresh))}>
              Drain
            </button>
            <button type="button" disabled={act.busy} onClick={() => act.run(reconcile)}>
              Reconcile
            </button>
          </>
        )}
      </td>
    </tr>
  );
}

/** Takes everything that is pending for a watcher, as its next turn would. */
export async function drain(watcherSessionKey: string, refresh: () => void): Promise<string> {
  const { notices, remaining } = await client.drainNotices({ watcherSessionKey });
  refresh();
  const taken = notices.length === 1 ? "1 notice" : `${notices.length} notices`;
  const rest = remaining === 0 ? "Nothing is left." : `${remaining} pending: for what came after the first change.`;
  return `${watcherSessionKey} has taken ${taken}. ${rest}`;
}

function StateWord({ watch: { pending, material, notified } }: { watch: Watch }) {
  if (!pending) return <span className="tone good">up to date</span>;
  return <span className="tone warn">{material > notified ? "pending, and more behind it" : "pending"}</span>;
}

/** What the last move of the cursor was, as long as the page has seen it. */
function Moved({ watch }: { watch: Watch }) {
  const { lastSeen, notified } = watch;
  const before = useRef({ lastSeen, notified });
  const [said, setSaid] = useState("");
  useEffect(() => {
    const { current } = before;
    if (current.lastSeen !== lastSeen) setSaid(`last seen ${current.lastSeen} → ${lastSeen}`);
    else if (current.notified !== notified) setSaid(`notified ${current.notified} → ${notified}`);
    before.current = { lastSeen, notified };
  }, [lastSeen, notified]);
  return said;
}
