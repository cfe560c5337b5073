/** What the load consists of: the same operations and inputs for every row. */

/** Used by every server under test; rights are not what is measured. */
export const adminToken = "token-of-the-bench-0123456789abcdefghij";

/** A GraphQL request as it travels. */
export type Operation = { query: string; variables: Record<string, unknown> };

export type AppendVariables = {
  sessionKey: string;
  kind: "GOAL_CHANGED";
  actor: { type: "AGENT"; id: string };
  summary: string;
  payload: { turns: number };
};

export const targetPrefix = "agent:bench:target-";
export const targetDigits = 5;

/** The target of this number, up to 99,999: all keys are of one length, and a generator finds the number in a notice. */
export const targetKey = (index: number): string => `${targetPrefix}${String(index).padStart(targetDigits, "0")}`;

/** One material event, of the size that events have. */
export function goalChanged(sessionKey: string, actorId: string): AppendVariables {
  return {
    sessionKey,
    kind: "GOAL_CHANGED",
    actor: { type: "AGENT", id: actorId },
    summary: "goal changed to a line of ordinary length for people to read",
    payload: { turns: 2 },
  };
}

/** `benchAppend` takes the same input and gives the same answer, but does nothing: see servers/extraFields.ts. */
export function appendOperation(input: AppendVariables, field: "append" | "benchAppend" = "append"): Operation {
  return {
    query: `mutation Append($input: AppendInput!) { ${field}(input: $input) { recorded event { sequence } } }`,
    variables: { input },
  };
}

export function appendManyOperation(inputs: AppendVariables[]): Operation {
  return {
    query:
      "mutation AppendMany($inputs: [AppendInput!]!) { appendMany(inputs: $inputs) { recorded event { sequence } } }",
    variables: { inputs },
  };
}

/** A mutation that does nothing: see servers/extraFields.ts. */
export const noOperation: Operation = { query: "mutation NoOperation { benchNothing }", variables: {} };

/** The exact delta as an agent reads it; `benchStatus` answers the same from memory. */
export function statusOperation(field: "sessionStatus" | "benchStatus", sessionKey: string): Operation {
  return {
    query: `query Status($key: ID!, $since: StateVersion!) { ${field}(sessionKey: $key, changesSince: $since) {
      stateVersion stateChanges { historyGap truncated nextChangesSince events {
        sequence kind actorType actorId runId outcome occurredAt summary payload } } } }`,
    variables: { key: sessionKey, since: 0 },
  };
}

export function noticeSubscription(watcherSessionKey: string): Operation {
  return {
    query: `subscription Notices($watcher: ID) { staleNotice(watcherSessionKey: $watcher) {
      id watcherSessionKey targetSessionKey targetAgentId changesSince notified delivery openedAt text } }`,
    variables: { watcher: watcherSessionKey },
  };
}

export function drainOperation(watcherSessionKey: string): Operation {
  return {
    query: "mutation Drain($input: DrainNoticesInput!) { drainNotices(input: $input) { remaining } }",
    variables: { input: { watcherSessionKey, limit: 500 } },
  };
}

/** Posts one operation outside of any measurement; throws what is wrong with the answer. */
export async function call(url: string, operation: Operation): Promise<Record<string, unknown>> {
  const response = await fetch(url, {
    method: "POST",
    headers: {
      "content-type": "application/json",
      accept: "application/json",
      authorization: `Bearer ${adminToken}`,
    },
    body: JSON.stringify(operation),
  });
  const answer = (await response.json()) as { data?: Record<string, unknown>; errors?: { message: string }[] };
  if (answer.data == null || answer.errors !== undefined) throw new Error(answer.errors?.[0]?.message ?? "no data");
  return answer.data;
}

/** Acknowledges whatever is pending for a watcher. */
export async function drainAll(url: string, watcherSessionKey: string): Promise<void> {
  for (;;) {
    const { drainNotices } = await call(url, drainOperation(watcherSessionKey));
    if ((drainNotices as { remaining: number }).remaining === 0) return;
  }
}
