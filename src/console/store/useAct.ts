import { useState } from "react";
import { inWords } from "./errors.js";

/** What became of the last act of a person: one line to read, and whether one is under way. */
export type Act = {
  readonly busy: boolean;
  readonly said: string;
  readonly failed: boolean;
  run(act: () => Promise<string>): void;
};

export function useAct(): Act {
  const [state, setState] = useState({ busy: false, said: "", failed: false });
  return {
    ...state,
    run(act) {
      setState((before) => ({ ...before, busy: true }));
      act().then(
        (said) => setState({ busy: false, said, failed: false }),
        (error: unknown) => setState({ busy: false, said: inWords(error), failed: true }),
      );
    },
  };
}
