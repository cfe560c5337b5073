import { describe, expect, test } from "vitest";
import { type NoticeLocale, noticeLocales, noticeText } from "../../src/awareness/noticeText.js";

const qualified = { targetSessionKey: "agent:main:chat", targetAgentId: "main", changesSince: 10 };
const bare = { targetSessionKey: "global", targetAgentId: "main", changesSince: 0 };

describe("section 6, text of a notice", () => {
  test("EN, agent-qualified key", () => {
    expect(noticeText("EN", qualified)).toBe(
      'Session "agent:main:chat" changed (other actor). Reconcile before acting: session_status sessionKey "agent:main:chat" changesSince 10.',
    );
  });

  test("EN, bare key: its agent follows the key in the call, and only there", () => {
    expect(noticeText("EN", bare)).toBe(
      'Session "global" changed (other actor). Reconcile before acting: session_status sessionKey "global" agentId "main" changesSince 0.',
    );
  });

  test.each<[NoticeLocale, string]>([
    ["ES", 'La sesión "agent:main:chat" ha cambiado (otro actor). Reconcilia antes de actuar: '],
    ["PT_BR", 'A sessão "agent:main:chat" mudou (outro ator). Reconcilie antes de agir: '],
    ["RU", 'Сессия "agent:main:chat" изменилась (другой участник). Сверьте состояние, прежде чем действовать: '],
  ])("%s says the same", (locale, sentence) => {
    expect(noticeText(locale, qualified)).toBe(
      `${sentence}session_status sessionKey "agent:main:chat" changesSince 10.`,
    );
  });

  test.each(noticeLocales)("the call is never translated: %s", (locale) => {
    expect(noticeText(locale, qualified)).toMatch(/: session_status sessionKey "agent:main:chat" changesSince 10\.$/);
    expect(noticeText(locale, bare)).toMatch(/: session_status sessionKey "global" agentId "main" changesSince 0\.$/);
  });

  test.each(noticeLocales)("a key is never read as a pattern, and big numbers are written out: %s", (locale) => {
    const text = noticeText(locale, {
      targetSessionKey: "$& $1 {key} %s",
      targetAgentId: "a",
      changesSince: 2 ** 53 - 1,
    });
    expect(text.split('"$& $1 {key} %s"')).toHaveLength(3);
    expect(text).toContain("changesSince 9007199254740991.");
    expect(text).not.toMatch(/\s{2}|[\r\n]/);
  });
});
