import { expect } from "vitest";
import { startTestService, type TestService } from "../support/server.js";

/** A service and the few operations that most stories about it begin with. */
export type Speaker = {
  service: TestService;
  /** Runs an operation that is expected to work, and returns its data. */
  // biome-ignore lint/suspicious/noExplicitAny: a test asserts on what it asked for itself
  ask(query: string, variables?: Record<string, unknown>): Promise<any>;
  watch(watcherSessionKey: string, targetSessionKey: string): Promise<void>;
  /** Logs a changed goal by a human and returns its sequence. */
  changeGoal(sessionKey: string, rest?: object): Promise<number>;
};

export async function startSpeaker(): Promise<Speaker> {
  const service = await startTestService();
  const ask: Speaker["ask"] = async (query, variables) => {
    const { data, errors } = await service.gql(query, variables);
    expect(errors).toBeUndefined();
    return data;
  };
  return {
    service,
    ask,
    async watch(watcherSessionKey, targetSessionKey) {
      const input = { watcherSessionKey, targetSessionKey };
      await ask("mutation ($input: WatchInput!) { watch(input: $input) { watched } }", { input });
    },
    async changeGoal(sessionKey, rest) {
      const { append } = await ask(appendOperation, { input: goal(sessionKey, rest) });
      return append.event.sequence;
    },
  };
}

export const appendOperation = `mutation ($input: AppendInput!) {
  append(input: $input) {
    recorded duplicate reason
    event {
      sequence sessionKey agentId sessionId kind actorType actorId runId outcome occurredAt summary payload
    }
  }
}`;

export function goal(sessionKey: string, rest: object = {}) {
  return { sessionKey, kind: "GOAL_CHANGED", actor: { type: "HUMAN" }, ...rest };
}

export const iso = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
