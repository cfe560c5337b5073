import { useCallback, useState } from "react";
import type { CatalogEntry, UpstreamKind } from "../../client/index.js";
import { ActLine } from "../parts/actLine.js";
import { Ago } from "../parts/ago.js";
import { Failure } from "../parts/failure.js";
import { SessionLink } from "../parts/sessionLink.js";
import { isLocal, toolName, UpstreamState } from "../parts/upstreamState.js";
import { client, door } from "../store/app.js";
import { useObservable } from "../store/observable.js";
import { type Act, useAct } from "../store/useAct.js";
import { useLive } from "../store/useLive.js";

const pageSize = 50;
const allOnly = (changed: ReadonlySet<string> | null) => changed === null;

/** Threads of other tools on the server's machine and on its nodes, and the sessions that they are. */
export function CatalogView() {
  const [kind, setKind] = useState<UpstreamKind | null>(null);
  const [first, setFirst] = useState(pageSize);
  const read = useCallback(
    (signal: AbortSignal) => client.upstreamCatalog({ kind, first: Math.min(first, 200) }, { signal }),
    [kind, first],
  );
  const { data, error, refresh } = useLive(read, allOnly);
  const act = useAct();
  const state = useObservable(door);
  const mayAdopt = state.state === "open" && state.viewer.scopes.includes("ADMIN");
  return (
    <section className="catalog" aria-labelledby="catalog-title">
      <div className="title-row">
        <h1 id="catalog-title">Catalog</h1>
        <label className="inline">
          <span>Tool</span>
          <select
            value={kind ?? ""}
            onChange={({ target: { value } }) => setKind(value === "CODEX" || value === "CLAUDE_CODE" ? value : null)}
          >
            <option value="">All tools</option>
            <option value="CLAUDE_CODE">Claude Code</option>
            <option value="CODEX">Codex</option>
          </select>
        </label>
      </div>
      {!mayAdopt && (
        <p className="quiet reason">Adopting a thread needs a token with the scope admin; yours shows what there is.</p>
      )}
      <ActLine act={act} />
      {error !== null && <Failure error={error} retry={refresh} />}
      {data?.nodes.length === 0 && (
        <div className="card narrow">
          <h2>No threads found</h2>
          <p className="quiet">
            The server looks below <code>HEADSUP_CLAUDE_DIR</code> and <code>HEADSUP_CODEX_DIR</code> for threads of
            Claude Code and Codex on its own machine; <code>headsup node</code> adds those of another one.
          </p>
        </div>
      )}
      <ul className="plain">
        {data?.nodes.map((entry) => (
          <Entry key={`${entry.nodeId} ${entry.kind} ${entry.threadId}`} {...{ entry, act, refresh, mayAdopt }} />
        ))}
      </ul>
      {data?.pageInfo.hasNextPage && first < 200 && (
        <button type="button" onClick={() => setFirst(200)}>
          Show up to 200
        </button>
      )}
    </section>
  );
}

type EntryProps = { entry: CatalogEntry; act: Act; refresh: () => void; mayAdopt: boolean };

function Entry({ entry, act, refresh, mayAdopt }: EntryProps) {
  const { kind, nodeId, threadId, workingDirectory, updatedAt, adoptedBy } = entry;
  return (
    <li className="card entry">
      <div className="entry-head">
        <span className={`tool ${kind.toLowerCase().replace("_", "-")}`}>{toolName(kind)}</span>
        <span className="key" title={threadId}>
          {threadId}
        </span>
        {!isLocal(nodeId) && <span className="quiet">on {nodeId}</span>}
        <span className="quiet">
          written <Ago at={updatedAt} />
        </span>
      </div>
      <p className="quiet small key">{workingDirectory ?? "working directory unknown"}</p>
      {adoptedBy.map((session) => (
        <p key={`${session.agentId} ${session.sessionKey}`} className="adopted">
          <span className="quiet">is</span> <SessionLink session={session} label={session.label} />
          <UpstreamState link={session.upstream} />
          <span className="quiet small">
            {session.upstream !== null &&
              `${session.upstream.skippedRows} rows skipped, ${session.upstream.missedChecks} checks missed`}
          </span>
        </p>
      ))}
      {mayAdopt && <AdoptForm {...{ entry, act, refresh }} />}
    </li>
  );
}

function AdoptForm({ entry, act, refresh }: Omit<EntryProps, "mayAdopt">) {
  const [agent, setAgent] = useState(entry.adoptedBy[0]?.agentId ?? "");
  const isContinued = entry.adoptedBy.some(({ agentId }) => agentId === agent.trim());
  const adopt = async () => {
    const { kind, nodeId, threadId } = entry;
    const source = { kind, nodeId, threadId };
    const { created, session } = await client.adoptSession({ source, agentId: agent.trim() });
    refresh();
    return created ? `Adopted as ${session.sessionKey}.` : `Continued ${session.sessionKey} from its present end.`;
  };
  return (
    <form
      className="buttons"
      onSubmit={(event) => {
        event.preventDefault();
        act.run(adopt);
      }}
    >
      <label className="inline">
        <span>{isContinued ? "Continue for agent" : "Adopt for agent"}</span>
        <input
          value={agent}
          required
          pattern="[A-Za-z0-9][A-Za-z0-9_\-]{0,63}"
          title="letters, digits, _ and -"
          onChange={({ target }) => setAgent(target.value)}
        />
      </label>
      <button type="submit" disabled={act.busy}>
        {isContinued ? "Continue" : "Adopt"}
      </button>
    </form>
  );
}
