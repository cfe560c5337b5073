import type { Act } from "../store/useAct.js";

/** What became of the last act. There from the start, so that nothing moves and screen readers hear of it. */
export function ActLine({ act }: { act: Act }) {
  return (
    <p className={act.failed ? "act failed" : "act"} role="status">
      {act.said}
    </p>
  );
}
