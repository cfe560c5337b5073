/** A session's identity, as everywhere: key and agent together. */
export type SessionName = { readonly sessionKey: string; readonly agentId: string };

/** As one map key: keys never hold a line break. */
export function idOf({ sessionKey, agentId }: SessionName): string {
  return `${agentId}\n${sessionKey}`;
}

/** The agent that an agent-qualified key names; null for a bare key. */
export function agentOf(sessionKey: string): string | null {
  return /^agent:([^:]+):./.exec(sessionKey)?.[1] ?? null;
}

/** A session that a key alone names: a watcher or a parent. */
export function namedBy(sessionKey: string): SessionName | null {
  const agentId = agentOf(sessionKey);
  return agentId === null ? null : { sessionKey, agentId };
}

/** The call by which an agent reads what a notice is about, as its text has it. */
export function statusCall({ sessionKey, agentId }: SessionName, changesSince: number): string {
  const agent = agentOf(sessionKey) === null ? ` agentId "${agentId}"` : "";
  return `session_status sessionKey "${sessionKey}"${agent} changesSince ${changesSince}`;
}
