const plainForm = /^(0|[1-9]\d{0,15})\.(0|[1-9]\d{0,15})$/;
/** Two numbers of 16 digits and a dot, in base64url. */
const idMaxChars = 44;

/**
 * The opaque id of a pending notice (contract, section 6). It names the watch and what was shown, so an id from before
 * the watch was made anew, or from an earlier notice of the pair, is never taken for the present one.
 */
export function noticeId(notice: { watchId: number; notified: number }): string {
  return Buffer.from(`${notice.watchId}.${notice.notified}`, "latin1").toString("base64url");
}

/** What `noticeId` put in; null for anything it cannot have made, in particular for a second spelling of an id. */
export function parseNoticeId(id: string): { watchId: number; notified: number } | null {
  if (id.length > idMaxChars) return null;
  const parts = plainForm.exec(Buffer.from(id, "base64url").toString("latin1"));
  if (parts === null) return null;
  const notice = { watchId: Number(parts[1]), notified: Number(parts[2]) };
  if (!Number.isSafeInteger(notice.watchId) || !Number.isSafeInteger(notice.notified)) return null;
  // Node's decoder skips what it does not know; only the exact spelling counts.
  return noticeId(notice) === id ? notice : null;
}
