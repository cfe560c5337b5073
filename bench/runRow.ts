import { rows } from "./rows/index.js";
import { serve } from "./worker.js";

/** Measures one row in a process of its own, so that no row inherits another's heap or open files. */
serve({
  async measure({ name, quick, samples }: { name: string; quick: boolean; samples: number }) {
    const row = rows.find((each) => each.name === name);
    if (row === undefined) throw new Error(`no row ${name}`);
    return row.run({ quick, samples });
  },
});
