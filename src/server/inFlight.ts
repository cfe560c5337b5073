/** Counts operations that have been started and not yet answered, so that closing can wait for them. */
export type InFlight = {
  /** One more. The function that comes back ends it; calling that twice is harmless. */
  begin(): () => void;
  /** Resolves as soon as none is left; at once when there is none. */
  idle(): Promise<void>;
};

export function createInFlight(): InFlight {
  const open = new Set<symbol>();
  let waiting: (() => void)[] = [];

  return {
    begin() {
      const one = Symbol();
      open.add(one);
      return () => {
        open.delete(one);
        if (open.size > 0) return;
        for (const resolve of waiting) resolve();
        waiting = [];
      };
    },
    idle() {
      if (open.size === 0) return Promise.resolve();
      return new Promise((resolve) => waiting.push(resolve));
    },
  };
}
