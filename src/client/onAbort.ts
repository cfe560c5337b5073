const listeners = new WeakMap<AbortSignal, Set<() => void>>();

/**
 * Calls `end` when `signal` aborts, at once when it has; returns how to stop listening. All calls share one listener:
 * an agent's one signal may end hundreds of calls and subscriptions, and Node warns of a leak at the eleventh listener.
 * (Not `AbortSignal.any`: on Node 20 every call would leave something behind on a signal that lives as long as the agent.)
 */
export function onAbort(signal: AbortSignal, end: () => void): () => void {
  if (signal.aborted) {
    end();
    return () => {};
  }
  const ends = listeners.get(signal) ?? listenOnce(signal);
  ends.add(end);
  return () => ends.delete(end);
}

function listenOnce(signal: AbortSignal): Set<() => void> {
  const ends = new Set<() => void>();
  listeners.set(signal, ends);
  signal.addEventListener(
    "abort",
    () => {
      for (const end of ends) end();
    },
    { once: true },
  );
  return ends;
}
