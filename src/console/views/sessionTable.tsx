import { useVirtualizer } from "@tanstack/react-virtual";
import { type KeyboardEvent, useRef, useSyncExternalStore } from "react";
import { Ago } from "../parts/ago.js";
import { KeyLink, SessionLink } from "../parts/sessionLink.js";
import { UpstreamState } from "../parts/upstreamState.js";
import type { Row } from "../store/listing.js";

const narrow = matchMedia("(max-width: 760px)");
const rowHeight = { wide: 52, narrow: 92 };

function useIsNarrow(): boolean {
  return useSyncExternalStore(
    (listener) => {
      narrow.addEventListener("change", listener);
      return () => narrow.removeEventListener("change", listener);
    },
    () => narrow.matches,
  );
}

/** Only the rows in sight are in the page, however many there are. */
export function SessionTable({ rows, busy }: { rows: readonly Row[]; busy: boolean }) {
  const scroller = useRef<HTMLDivElement>(null);
  const height = useIsNarrow() ? rowHeight.narrow : rowHeight.wide;
  const virtual = useVirtualizer({
    count: rows.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => height,
    getItemKey: (index) => rows[index]?.id ?? index,
    overscan: 8,
  });
  const move = (event: KeyboardEvent) => {
    const step = event.key === "ArrowDown" ? 1 : event.key === "ArrowUp" ? -1 : 0;
    const from =
      event.target instanceof Element ? event.target.closest("[data-index]")?.getAttribute("data-index") : null;
    if (step === 0 || from == null) return;
    event.preventDefault();
    const to = Math.min(Math.max(Number(from) + step, 0), rows.length - 1);
    virtual.scrollToIndex(to);
    requestAnimationFrame(() => scroller.current?.querySelector<HTMLElement>(`[data-index="${to}"] a`)?.focus());
  };
  return (
    <div className="table" role="table" aria-label="Sessions" aria-rowcount={rows.length + 1} aria-busy={busy}>
      <div className="scroller" ref={scroller} onKeyDown={move}>
        <div role="rowgroup" className="head">
          <div role="row" aria-rowindex={1} className="row">
            {["Session", "Version", "Spawned by", "Watchers", "To drain", "Upstream", "Last change"].map((title) => (
              <span key={title} role="columnheader">
                {title}
              </span>
            ))}
          </div>
        </div>
        {rows.length === 0 && !busy && <p className="quiet nothing">No session fits these filters.</p>}
        <div role="rowgroup" className="rows" style={{ height: virtual.getTotalSize() }}>
          {virtual.getVirtualItems().map(({ index, key, start }) => {
            const row = rows[index];
            return row && <SessionRow key={key} row={row} index={index} top={start} height={height} />;
          })}
        </div>
      </div>
    </div>
  );
}

function SessionRow({ row, index, top, height }: { row: Row; index: number; top: number; height: number }) {
  const { session, depth, children } = row;
  const { watcherCount, pendingWatcherCount, pendingCount, stateVersion } = session;
  return (
    <div
      role="row"
      className="row"
      aria-rowindex={index + 2}
      data-index={index}
      style={{ transform: `translateY(${top}px)`, height }}
    >
      <span role="cell" className="name" style={{ paddingInlineStart: `${Math.min(depth, 8) * 1.25}rem` }}>
        {depth > 0 && (
          <span className="branch" aria-hidden="true">
            └
          </span>
        )}
        <SessionLink session={session} label={session.label} />
        {children > 0 && (
          <span className="chip" title={`It spawned ${children}`}>
            {children} spawned
          </span>
        )}
      </span>
      <span role="cell" className="number" data-title="Version">
        {stateVersion === null ? <span className="quiet">none</span> : `#${stateVersion}`}
      </span>
      <span role="cell" data-title="Spawned by" className={session.spawnedBy === null ? "unset" : undefined}>
        {session.spawnedBy === null ? (
          <span className="quiet none">nobody</span>
        ) : (
          <KeyLink sessionKey={session.spawnedBy} />
        )}
      </span>
      <span role="cell" className="number" data-title="Watchers">
        {watcherCount}
        {pendingWatcherCount > 0 && (
          <span
            className="pending-mark"
            title={`${pendingWatcherCount} of its watchers have a notice about it pending`}
          >
            {pendingWatcherCount} pending
          </span>
        )}
      </span>
      <span role="cell" className={pendingCount === 0 ? "number nought" : "number"} data-title="To drain">
        {pendingCount === 0 ? <span className="quiet">0</span> : <b className="badge">{pendingCount}</b>}
      </span>
      <span role="cell" data-title="Upstream" className={session.upstream === null ? "unset" : undefined}>
        <UpstreamState link={session.upstream} />
      </span>
      <span role="cell" className="when" data-title="Changed">
        <Ago at={session.updatedAt} />
      </span>
    </div>
  );
}
