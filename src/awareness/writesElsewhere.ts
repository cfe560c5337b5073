import type { Clock } from "../clock.js";
import type { Database } from "../storage/database.js";
import { endingsKeptMs } from "../storage/endings.js";
import {
  type Changed,
  issuedSequence,
  type LookPlace,
  loggedBetween,
  type Touched,
  touchedSince,
} from "../storage/sessionChanges.js";

type Options = {
  database: Database;
  clock: Clock;
  /** A write may become visible that long after the time that it carries. */
  overlapMs: number;
};

/** Finds what other processes have written about sessions since the last look; what this one has written too. */
export class WritesElsewhere {
  readonly #options: Options;
  /** Where the next look begins. Null: nobody knows, so there is no saying what has been missed. */
  #from: LookPlace | null = null;
  /** What has been seen of the time shortly before. */
  #seen = new Map<string, string>();

  constructor(options: Options) {
    this.#options = options;
  }

  /** Whatever is committed from now on is found. Rejects with `StorageError`; then the first look finds "too much". */
  async begin(): Promise<void> {
    this.#from = null;
    const present = await this.#present();
    await this.#touchedSince(present.at);
    this.#from = present;
  }

  /** What was written since; null for more than can be named. Rejects with `StorageError`; then the next look does it. */
  async look(): Promise<Changed | null> {
    const { database } = this.#options;
    const from = this.#from;
    const present = await this.#present();
    if (from === null || present.at.getTime() - from.at.getTime() > endingsKeptMs / 2) {
      await this.#touchedSince(present.at);
      this.#from = present;
      return null;
    }
    const logged =
      database.kind === "sqlite" ? await loggedBetween(database.read, from.sequence, present.sequence) : [];
    const changed = toChanged(await this.#touchedSince(from.at));
    this.#from = present;
    return changed && { ...changed, sessions: [...changed.sessions, ...logged] };
  }

  /** What has been written since that was not there yet at the last call. */
  async #touchedSince(at: Date): Promise<Touched[]> {
    const { database, overlapMs } = this.#options;
    const touched = await touchedSince(database.read, new Date(at.getTime() - overlapMs));
    const fresh = touched.filter((each) => this.#seen.get(nameOf(each)) !== each.mark);
    this.#seen = new Map(touched.map((each) => [nameOf(each), each.mark]));
    return fresh;
  }

  /** Read before anything else: what comes later is found twice rather than never. */
  async #present(): Promise<LookPlace> {
    const at = this.#options.clock.now();
    return { at, sequence: await issuedSequence(this.#options.database.read) };
  }
}

function toChanged(touched: readonly Touched[]): Changed | null {
  const changed: Changed = { sessions: [], pairs: [] };
  for (const { watcherSessionKey, sessionKey, agentId } of touched) {
    if (sessionKey === null || agentId === null) return null;
    if (watcherSessionKey === null) changed.sessions.push({ sessionKey, agentId });
    else changed.pairs.push({ watcherSessionKey, targetSessionKey: sessionKey, targetAgentId: agentId });
  }
  return changed;
}

function nameOf({ watcherSessionKey, sessionKey, agentId }: Touched): string {
  return `${watcherSessionKey ?? ""}\n${agentId ?? ""}\n${sessionKey ?? ""}`;
}
