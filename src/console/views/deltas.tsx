import { type FormEvent, useEffect, useState } from "react";
import type { SessionStateEvent } from "../../client/index.js";
import { Ago } from "../parts/ago.js";
import { CopyButton } from "../parts/copyButton.js";
import { Failure } from "../parts/failure.js";
import { KindName } from "../picture/kinds.js";
import { client } from "../store/app.js";
import { agentOf, type SessionName, statusCall } from "../store/names.js";

const pageSize = 50;

type Asked = { session: SessionName; since: number };
type Answer = {
  asked: Asked;
  events: SessionStateEvent[];
  historyGap: boolean;
  truncated: boolean;
  next: number;
  stateVersion: number;
};

/** What an agent reads when it reconciles: exactly what happened after a version. */
export function DeltasView({ session }: { session: SessionName | null }) {
  const [answer, setAnswer] = useState<Answer | null>(null);
  const [error, setError] = useState<unknown>(null);
  const ask = (asked: Asked, from: number, before: readonly SessionStateEvent[], gap: boolean) => {
    client
      .sessionStatus({ ...asked.session, changesSince: from, first: pageSize })
      .then(({ stateVersion, stateChanges }) => {
        setError(null);
        if (stateChanges === null) return;
        const { events, historyGap, truncated, nextChangesSince: next } = stateChanges;
        setAnswer({
          asked,
          events: [...before, ...events],
          historyGap: gap || historyGap,
          truncated,
          next,
          stateVersion,
        });
      }, setError);
  };
  return (
    <section className="deltas" aria-labelledby="deltas-title">
      <h1 id="deltas-title">Changes since a version</h1>
      <AskForm session={session} ask={(asked) => ask(asked, asked.since, [], false)} />
      {error !== null && <Failure error={error} />}
      {answer !== null && (
        <AnswerPart answer={answer} more={() => ask(answer.asked, answer.next, answer.events, answer.historyGap)} />
      )}
    </section>
  );
}

function AskForm({ session, ask }: { session: SessionName | null; ask: (asked: Asked) => void }) {
  const [key, setKey] = useState(session?.sessionKey ?? "");
  const [agent, setAgent] = useState(session?.agentId ?? "");
  const [since, setSince] = useState("0");
  const named = agentOf(key);
  const submit = (event?: FormEvent) => {
    event?.preventDefault();
    ask({ session: { sessionKey: key, agentId: named ?? agent }, since: Number(since) });
  };
  useEffect(() => {
    if (session !== null) submit();
  }, []);
  return (
    <form className="filters" onSubmit={submit}>
      <label className="grow">
        <span>Session key</span>
        <input value={key} required placeholder="agent:coder:main" onChange={({ target }) => setKey(target.value)} />
      </label>
      <label>
        <span>Agent</span>
        <input
          value={named ?? agent}
          readOnly={named !== null}
          required
          placeholder="of a bare key"
          onChange={({ target }) => setAgent(target.value)}
        />
      </label>
      <label>
        <span>Since version</span>
        <input
          className="number"
          inputMode="numeric"
          pattern="\d{1,16}"
          title="a whole number, 0 for all there is"
          required
          value={since}
          onChange={({ target }) => setSince(target.value)}
        />
      </label>
      <button type="submit" className="primary">
        Ask
      </button>
    </form>
  );
}

function AnswerPart({ answer, more }: { answer: Answer; more: () => void }) {
  const { asked, events, historyGap, truncated, next, stateVersion } = answer;
  const count = events.length === 1 ? "1 event" : `${events.length} events`;
  return (
    <div className="card">
      <p role="status">
        {truncated ? `The first ${count}` : events.length === 0 ? "Nothing has happened" : `${count}, all there are,`}{" "}
        after #{asked.since}. The session is at <b>#{stateVersion}</b>.{" "}
        <CopyButton text={statusCall(asked.session, asked.since)} label="Copy the call" />
      </p>
      {historyGap && (
        <p className="warning">
          <b>History gap.</b> Something that happened after #{asked.since} was pruned, or the session of this name was
          deleted since. These events are not the whole story: an agent should refresh the whole state of the session,
          and go on from #{stateVersion}.
        </p>
      )}
      {events.length > 0 && <EventTable events={events} />}
      {truncated && (
        <p className="buttons">
          <button type="button" onClick={more}>
            Next page, after #{next}
          </button>
        </p>
      )}
    </div>
  );
}

function EventTable({ events }: { events: readonly SessionStateEvent[] }) {
  return (
    <div className="scroll-x" tabIndex={0} role="region" aria-label="Events">
      <table>
        <thead>
          <tr>
            <th scope="col">#</th>
            <th scope="col">Kind</th>
            <th scope="col">Summary</th>
            <th scope="col">Actor</th>
            <th scope="col">When</th>
          </tr>
        </thead>
        <tbody>
          {events.map(({ sequence, kind, summary, actorId, actorType, occurredAt }) => (
            <tr key={sequence}>
              <td className="number">{sequence}</td>
              <td>
                <KindName kind={kind} />
              </td>
              <td className="summary">{summary}</td>
              <td className="key">{actorId ?? actorType.toLowerCase()}</td>
              <td className="when">
                <Ago at={occurredAt} />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
