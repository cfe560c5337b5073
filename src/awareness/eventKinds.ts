import type { SessionEventKind } from "../storage/records.js";

export type EventKindRule = {
  /** Material: watchers are told. */
  readonly notifies: boolean;
  /** Logged only while somebody watches the session; else `NOT_WATCHED`. */
  readonly onlyWhileWatched: boolean;
  /** Sets `spawnedBy` and starts the actor's cursor at this version. */
  readonly seedsCursor: boolean;
  /** `outcome` is required, and kept in the payload. */
  readonly needsOutcome: boolean;
  /** The line of an event whose summary is absent or empty. */
  readonly defaultSummary: string;
};

const logOnly = { notifies: false, onlyWhileWatched: false, seedsCursor: false, needsOutcome: false } as const;
const material = { ...logOnly, notifies: true } as const;

/** Every kind and what it does (contract, section 3). A new kind is one row here. */
export const eventKinds: Readonly<Record<SessionEventKind, EventKindRule>> = {
  HUMAN_DIRECT_MESSAGE: { ...material, onlyWhileWatched: true, defaultSummary: "human message" },
  GOAL_CHANGED: { ...material, defaultSummary: "goal changed" },
  UPSTREAM_MISSING: { ...material, defaultSummary: "upstream source is missing" },
  CHILD_SPAWNED: { ...logOnly, seedsCursor: true, defaultSummary: "child session spawned" },
  RUN_COMPLETED: { ...logOnly, defaultSummary: "run completed" },
  RUN_FAILED: { ...logOnly, needsOutcome: true, defaultSummary: "run failed" },
  COMPACTED: { ...logOnly, defaultSummary: "history compacted" },
  ADOPTED: { ...logOnly, defaultSummary: "session adopted" },
};
