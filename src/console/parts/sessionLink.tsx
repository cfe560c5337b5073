import { namedBy, type SessionName } from "../store/names.js";
import { hrefOf } from "../store/route.js";

/** A session's key as the way to its picture. Long keys are cut by the page, and whole for whoever points at them. */
export function SessionLink({ session, label }: { session: SessionName; label?: string | null }) {
  return (
    <a className="session" href={hrefOf("session", session)} title={`${session.sessionKey} (${session.agentId})`}>
      {label != null && <b>{label}</b>}
      <span className="key">{session.sessionKey}</span>
    </a>
  );
}

/** A session that only a key names; a bare one leads nowhere. */
export function KeyLink({ sessionKey }: { sessionKey: string }) {
  const session = namedBy(sessionKey);
  return session === null ? <span className="key">{sessionKey}</span> : <SessionLink session={session} />;
}
