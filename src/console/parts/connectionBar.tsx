import { connection, door } from "../store/app.js";
import { useObservable } from "../store/observable.js";

/** Says in words when the page is not told of changes. It lies over the page, so that nothing moves. */
export function ConnectionBar() {
  const state = useObservable(connection);
  const isOpen = useObservable(door).state === "open";
  const isLost = isOpen && state === "reconnecting";
  return (
    <div className="connection" role="status">
      {isLost && (
        <p>
          <span className="pulse" aria-hidden="true" />
          Connection lost: reconnecting. What you see may be out of date and will be right again by itself.
        </p>
      )}
    </div>
  );
}
