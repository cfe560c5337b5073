import type { PendingWatch } from "../../client/index.js";
import { Ago } from "../parts/ago.js";
import { CopyButton } from "../parts/copyButton.js";
import { SessionLink } from "../parts/sessionLink.js";
import { client } from "../store/app.js";
import { statusCall } from "../store/names.js";
import type { Act } from "../store/useAct.js";

type Notice = NonNullable<PendingWatch["notice"]>;
export type Language = "textEn" | "textEs" | "textPtBr" | "textRu";

export const languages: readonly [Language, string, string][] = [
  ["textEn", "English", "en"],
  ["textEs", "Español", "es"],
  ["textPtBr", "Português", "pt-BR"],
  ["textRu", "Русский", "ru"],
];

type Props = { watch: PendingWatch; act: Act; refresh: () => void; language: Language; mayAct: boolean };

/** One pending notice. */
export function NoticeCard({ watch, act, refresh, language, mayAct }: Props) {
  const { notice, targetSessionKey, targetAgentId, material, notified } = watch;
  if (notice === null) return null; // it was taken while the page was read
  const target = { sessionKey: targetSessionKey, agentId: targetAgentId };
  const tag = languages.find(([name]) => name === language)?.[2];
  return (
    <li className="notice">
      <p className="notice-line">
        <SessionLink session={target} /> <span>changed</span>
        <span className="quiet">
          since #{notice.changesSince}, told <Ago at={notice.openedAt} />,{" "}
          {notice.delivery === "IMMEDIATE" ? "wakes it now" : "waits for its next turn"}
          {material > notified && "; more has happened since"}
        </span>
      </p>
      <p className="text" lang={tag}>
        {notice[language]}
      </p>
      <p className="buttons">
        <CopyButton text={statusCall(target, notice.changesSince)} label="Copy the call" />
        {mayAct && (
          <button type="button" disabled={act.busy} onClick={() => act.run(() => acknowledge(watch, notice, refresh))}>
            Acknowledge
          </button>
        )}
      </p>
    </li>
  );
}

async function acknowledge(watch: PendingWatch, { id }: Notice, refresh: () => void): Promise<string> {
  const { watcherSessionKey, targetSessionKey } = watch;
  const { results } = await client.acknowledgeNotices({ watcherSessionKey, noticeIds: [id] });
  refresh();
  const [result] = results;
  if (result?.outcome === "ALREADY_ACKNOWLEDGED") return "Somebody else has acknowledged it before.";
  if (result?.outcome !== "ACKNOWLEDGED") return "This notice is gone: the watch has ended.";
  if (result.reopened === null) return `${watcherSessionKey} is up to date with ${targetSessionKey}.`;
  return `Acknowledged. One new notice is open for what came after: changesSince ${result.reopened.changesSince}.`;
}
