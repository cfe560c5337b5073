import { renderGraphiQL } from "@graphql-yoga/render-graphiql";
import type { GraphiQLOptions } from "graphql-yoga";

/** What a newcomer finds in the editor: the whole story, one operation after the other. */
const story = `# headsup: be told, once, when a session changed behind your back.
# Run the operations from top to bottom (put the cursor into one and press Ctrl-Enter).
# To see notices arrive by themselves, run "listen" in a second tab first.

# 1. A coordinator watches a worker, from its present version on.
mutation watch {
  watch(input: { watcherSessionKey: "agent:coordinator:main", targetSessionKey: "agent:worker:main" }) {
    watched
    watch { lastSeen }
  }
}

# 2. A human writes to the worker directly. Run it as often as you like: there will be one notice, not many.
mutation humanWrites {
  append(
    input: {
      sessionKey: "agent:worker:main"
      kind: HUMAN_DIRECT_MESSAGE
      actor: { type: HUMAN, id: "ada" }
      summary: "Ada changed the plan"
    }
  ) {
    recorded
    event { sequence summary }
  }
}

# 3. The coordinator's next turn takes what is pending. That acknowledges it.
mutation drain {
  drainNotices(input: { watcherSessionKey: "agent:coordinator:main" }) {
    notices { text changesSince }
    remaining
  }
}

# 4. Before acting it reads exactly what it has missed.
query reconcile {
  sessionStatus(sessionKey: "agent:worker:main", changesSince: 0) {
    stateVersion
    stateChanges {
      historyGap
      truncated
      nextChangesSince
      events { sequence kind actorType actorId summary occurredAt }
    }
  }
}

# The same notices as a stream: what is pending first, then each as it opens.
subscription listen {
  staleNotice(watcherSessionKey: "agent:coordinator:main") {
    id
    text
    delivery
  }
}
`;

export const explorerOptions: GraphiQLOptions = {
  title: "headsup",
  defaultQuery: story,
  // Over WebSocket a page can hold many subscriptions; over HTTP/1.1 a browser allows six streams.
  subscriptionsProtocol: "WS",
};

let page: string | undefined;

/** The explorer's page with everything in it: it asks no other host for anything. Nine megabytes, so made once. */
export function explorerPage(): string {
  page ??= renderGraphiQL(explorerOptions);
  return page;
}
