export type AppendFate = "recorded" | "duplicate" | "not_watched" | "storage_unavailable";

/** Somebody who counts what happens. Called on the way of every append: it must cost next to nothing and never throw. */
export type Observer = {
  appended(fate: AppendFate, events: number): void;
  /** A batch of appends was committed; `ms` from its begin to its commit, waiting for the lock included. */
  committed(events: number, ms: number): void;
  /** A notice was handed to a subscriber. */
  delivered(): void;
  /** Retention has removed so many events. */
  pruned(events: number): void;
};

export const nobody: Observer = {
  appended: () => undefined,
  committed: () => undefined,
  delivered: () => undefined,
  pruned: () => undefined,
};
