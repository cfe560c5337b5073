import { useDeferredValue, useEffect, useMemo } from "react";
import { Failure } from "../parts/failure.js";
import { type Filter, filter, listRows, type Order } from "../store/listing.js";
import { useObservable } from "../store/observable.js";
import { searchServer, sessionList } from "../store/sessions.js";
import { SessionTable } from "./sessionTable.js";

const orders: readonly [Order, string][] = [
  ["change", "Last change"],
  ["key", "Key"],
  ["tree", "Spawn tree"],
];

/** All sessions, live. */
export function OverviewView() {
  const { sessions, extent, error } = useObservable(sessionList);
  const asked = useObservable(filter);
  const settled = useDeferredValue(asked);
  const rows = useMemo(() => listRows(sessions, settled), [sessions, settled]);
  const agents = useMemo(() => [...new Set([...sessions.values()].map((each) => each.agentId))].sort(), [sessions]);
  useServerSearch(extent === "part" ? settled : null);
  return (
    <section className="overview" aria-labelledby="overview-title">
      <h1 id="overview-title" className="unseen">
        Sessions
      </h1>
      <FilterBar asked={asked} agents={agents} />
      <p className="count quiet" role="status">
        {countInWords(rows.length, sessions.size, extent)}
      </p>
      {error !== null && <Failure error={error} />}
      <SessionTable rows={rows} busy={extent === "reading" && sessions.size === 0} />
    </section>
  );
}

function countInWords(shown: number, held: number, extent: "reading" | "whole" | "part"): string {
  const number = (value: number) => value.toLocaleString("en");
  if (extent === "reading") return held === 0 ? "Reading the sessions…" : `${number(held)} sessions so far…`;
  const all = extent === "part" ? `the ${number(held)} changed last; search to find others` : number(held);
  if (shown === held) return extent === "part" ? `Sessions: ${all}` : `${all} ${held === 1 ? "session" : "sessions"}`;
  return `${number(shown)} of ${all}`;
}

/** Where the page does not hold all sessions, the server knows the others. */
function useServerSearch(asked: Filter | null): void {
  const search = asked?.search.trim() ?? "";
  const agent = asked?.agent ?? "";
  useEffect(() => {
    if (search === "" && agent === "") return;
    const gone = new AbortController();
    const timer = setTimeout(() => {
      searchServer(search, agent === "" ? null : agent, gone.signal).catch(() => undefined); // what is held is shown
    }, 300);
    return () => {
      clearTimeout(timer);
      gone.abort();
    };
  }, [search, agent]);
}

function FilterBar({ asked, agents }: { asked: Filter; agents: readonly string[] }) {
  const change = (part: Partial<Filter>) => filter.set({ ...asked, ...part });
  return (
    <search className="filters">
      <label className="grow">
        <span>Search</span>
        <input
          type="search"
          value={asked.search}
          placeholder="Key or label"
          onChange={({ target }) => change({ search: target.value })}
        />
      </label>
      <label>
        <span>Agent</span>
        <select value={asked.agent} onChange={({ target }) => change({ agent: target.value })}>
          <option value="">All agents</option>
          {(agents.includes(asked.agent) || asked.agent === "" ? agents : [asked.agent, ...agents]).map((agent) => (
            <option key={agent}>{agent}</option>
          ))}
        </select>
      </label>
      <label>
        <span>Order</span>
        <select
          value={asked.order}
          onChange={({ target }) => change({ order: orders.find(([name]) => name === target.value)?.[0] ?? "change" })}
        >
          {orders.map(([name, title]) => (
            <option key={name} value={name}>
              {title}
            </option>
          ))}
        </select>
      </label>
      <label className="check">
        <input
          type="checkbox"
          checked={asked.pendingOnly}
          onChange={({ target }) => change({ pendingOnly: target.checked })}
        />
        <span>Only with something pending</span>
      </label>
    </search>
  );
}
