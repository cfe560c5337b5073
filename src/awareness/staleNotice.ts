import { toNotice } from "../storage/pending.js";
import type { NoticeRecord, WatchRecord } from "../storage/records.js";
import type { StaleNotice } from "./awareness.js";
import { noticeId } from "./noticeId.js";
import { isSubagent } from "./sessionKey.js";

/** A pending notice as its watcher sees it (contract, section 6). */
export function toStaleNotice(notice: NoticeRecord): StaleNotice {
  return {
    ...notice,
    id: noticeId(notice),
    delivery: isSubagent(notice.watcherSessionKey) ? "NEXT_TURN" : "IMMEDIATE",
  };
}

/** The notices pending on these cursors, in their order. */
export function staleNotices(watches: readonly WatchRecord[]): StaleNotice[] {
  return watches.flatMap(toNotice).map(toStaleNotice);
}
