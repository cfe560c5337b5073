import type { SessionName } from "../../src/awareness/awareness.js";

/** The few sessions that the property test plays with: few, so that operations meet. */
export const watchers = [
  "agent:main:main",
  "agent:main:review",
  "agent:helper:main",
  "agent:main:subagent:one",
  "agent:helper:main:subagent:two",
] as const;

/** One bare key under two agents: two sessions that share nothing. */
export const sessions: readonly SessionName[] = [
  ...watchers.map((sessionKey) => ({ sessionKey })),
  { sessionKey: "global", agentId: "main" },
  { sessionKey: "global", agentId: "helper" },
];
