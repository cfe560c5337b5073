import type { BigIntStats } from "node:fs";
import type { FileHandle } from "node:fs/promises";
import type { LinkState } from "../awareness/upstreamSources.js";
import { type Fingerprint, fingerprint, identityOf, sameFingerprint } from "./fingerprints.js";
import { RowScan } from "./rows.js";

/** What is kept of one row is a few megabytes. */
const keptMax = 4;
/** A place that was not asked for so long is given away. */
const forgottenMs = 300_000;

type OpenFile = { file: FileHandle; stat: BigIntStats };
type Kept = { scan: RowScan; fileIdentity: string; position: number; edges: Fingerprint; keptAt: number };

/**
 * Rows that take longer than one check: the next check goes on within them, so that each one ends (contract, section
 * 9). In memory alone; after a restart such a row begins anew.
 */
export class LongRows {
  readonly #kept = new Map<number, Kept>();

  /** Where to go on: within a row if the file is still the same up to there, else at the link's position. */
  async take({ id, position }: LinkState, { file, stat }: OpenFile): Promise<RowScan> {
    const kept = this.#kept.get(id);
    this.#kept.delete(id);
    const isSame =
      kept !== undefined &&
      kept.position === position &&
      kept.fileIdentity === identityOf(stat) &&
      Number(stat.size) >= kept.scan.at &&
      sameFingerprint(await fingerprint(file, kept.scan.at), kept.edges);
    return isSame ? kept.scan : new RowScan(position);
  }

  /** Keeps a scan that is within the row that begins at `position`. False when there is no room for it now. */
  async keep(id: number, scan: RowScan, position: number, { file, stat }: OpenFile): Promise<boolean> {
    const keptAt = performance.now();
    for (const [other, kept] of this.#kept) if (keptAt - kept.keptAt > forgottenMs) this.#kept.delete(other);
    if (this.#kept.size >= keptMax) return false;
    const edges = await fingerprint(file, scan.at);
    this.#kept.set(id, { scan, fileIdentity: identityOf(stat), position, edges, keptAt });
    return true;
  }
}
