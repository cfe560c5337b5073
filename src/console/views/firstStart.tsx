import { CopyButton } from "../parts/copyButton.js";

/** What is sent: an event that is logged whoever watches. */
function curlLine(): string {
  const query =
    'mutation { append(input: { sessionKey: \\"agent:coder:main\\", kind: GOAL_CHANGED, actor: { type: HUMAN, id: \\"me\\" }, summary: \\"My first event\\" }) { recorded event { sequence } } }';
  return [
    `curl -s ${location.origin}/graphql`,
    `-H 'content-type: application/json'`,
    `-H "authorization: Bearer $HEADSUP_TOKEN"`,
    `-d '{"query":"${query}"}'`,
  ].join(" \\\n  ");
}

/** The first thing that anybody sees: how to get something to see. */
export function FirstStart() {
  return (
    <section className="card narrow first-start">
      <h1>Nothing here yet</h1>
      <p>
        A session is listed once something has been logged for it, or once it has been registered or watched. Send the
        first event from a terminal; this page shows it by itself. <code>HEADSUP_TOKEN</code> holds a token with the
        scope write: <code>headsup token create --name me --scope write</code> makes one.
      </p>
      <pre className="code" tabIndex={0}>
        {curlLine()}
      </pre>
      <p className="buttons">
        <CopyButton text={curlLine()} label="Copy the command" />
        <a className="button" href="/graphql">
          Or try it in GraphiQL
        </a>
      </p>
    </section>
  );
}
