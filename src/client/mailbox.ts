import { SlotMailbox } from "./slotMailbox.js";
import type { StaleNotice } from "./types.js";

/** Notices the consumer has not taken yet: one slot per pair. */
export class NoticeMailbox extends SlotMailbox<StaleNotice> {
  constructor() {
    super(pairOf);
  }
}

/** JSON, because keys may contain any separator. */
function pairOf({ watcherSessionKey, targetSessionKey, targetAgentId }: StaleNotice): string {
  return JSON.stringify([watcherSessionKey, targetSessionKey, targetAgentId]);
}
