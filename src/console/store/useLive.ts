import { useCallback, useEffect, useRef, useState } from "react";
import { onSessionsChanged } from "./sessions.js";

export type Live<Data> = { data: Data | null; error: unknown; refresh: () => void };

/** Between two reads, so that a busy log does not keep the server busy with this page. */
const restMs = 200;

/**
 * Data that is read again whenever a session changes that `concerns` it. One read at a time: what changes meanwhile is
 * read once more afterwards. An error leaves what is shown.
 */
export function useLive<Data>(
  read: (signal: AbortSignal) => Promise<Data>,
  concerns: (changed: ReadonlySet<string> | null) => boolean,
): Live<Data> {
  const [shown, setShown] = useState<{ data: Data | null; error: unknown }>({ data: null, error: null });
  const refreshing = useRef<() => void>(() => {});
  const refresh = useCallback(() => refreshing.current(), []);
  useEffect(() => {
    const gone = new AbortController();
    let running = false;
    let again = false;
    const run = async () => {
      if (running) {
        again = true;
        return;
      }
      running = true;
      do {
        again = false;
        try {
          const data = await read(gone.signal);
          if (!gone.signal.aborted) setShown({ data, error: null });
        } catch (error) {
          if (!gone.signal.aborted) setShown(({ data }) => ({ data, error }));
        }
        await new Promise((resolve) => setTimeout(resolve, restMs));
      } while (again && !gone.signal.aborted);
      running = false;
    };
    refreshing.current = () => void run();
    void run();
    const forget = onSessionsChanged((changed) => {
      if (concerns(changed)) void run();
    });
    return () => {
      gone.abort();
      forget();
    };
  }, [read, concerns]);
  return { ...shown, refresh };
}
