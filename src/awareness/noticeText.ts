import { agentOf } from "./sessionKey.js";

export const noticeLocales = ["EN", "ES", "PT_BR", "RU"] as const;
export type NoticeLocale = (typeof noticeLocales)[number];

/** One sentence per language. `call` is what the agent runs: it stands as it is in all of them. */
const sentences: Readonly<Record<NoticeLocale, (key: string, call: string) => string>> = {
  EN: (key, call) => `Session "${key}" changed (other actor). Reconcile before acting: ${call}.`,
  ES: (key, call) => `La sesión "${key}" ha cambiado (otro actor). Reconcilia antes de actuar: ${call}.`,
  PT_BR: (key, call) => `A sessão "${key}" mudou (outro ator). Reconcilie antes de agir: ${call}.`,
  RU: (key, call) =>
    `Сессия "${key}" изменилась (другой участник). Сверьте состояние, прежде чем действовать: ${call}.`,
};

/**
 * The line a watcher is shown (contract, section 6, "Text"). It is made of the target's identity and a number alone: no
 * summary, label or actor. A key holds no quote and no line break (section 2), so it cannot break out of its place.
 */
export function noticeText(
  locale: NoticeLocale,
  notice: { targetSessionKey: string; targetAgentId: string; changesSince: number },
): string {
  const { targetSessionKey: key, targetAgentId, changesSince } = notice;
  const agent = agentOf(key) === null ? ` agentId "${targetAgentId}"` : "";
  return sentences[locale](key, `session_status sessionKey "${key}"${agent} changesSince ${changesSince}`);
}
