import { stat } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { withFolder } from "../database.js";
import { alternate } from "../measure.js";
import type { Row } from "../row.js";
import { openTranscripts, writeThreads } from "../transcripts.js";

/** As many as the monitor looks at together. */
const looksAtOnce = 64;
/** Until what followed the first rounds, a hint for each file that is new to the watcher, has been looked into. */
const settleMs = 3_000;

export const upstreamRound: Row = {
  name: "upstream: one round over 1,000 idle links",
  what:
    "CPU time of the process, all its threads, for one round of the monitor over 1,000 adopted and watched threads " +
    "whose files nobody touches, in 20 folders, files followed as in the service and the links in SQLite, against " +
    "`stat` of the same 1,000 files, 64 at a time. The goal is a round's own: below 50 ms of CPU, once a minute.",
  run: (scale) =>
    withFolder(async (folder) => {
      const count = scale.quick ? 200 : 1_000;
      const claudeDir = join(folder, "claude");
      const threads = await writeThreads(claudeDir, { count, perProject: 50 });
      const transcripts = await openTranscripts(folder, claudeDir);
      for (const some of inParts(threads)) {
        await Promise.all(some.map(({ threadId }) => transcripts.follow(threadId)));
      }
      for (let round = 0; round < 2; round += 1) {
        await transcripts.round();
        await sleep(settleMs);
      }
      const samples = await alternate(Math.max(scale.samples, 10), {
        ours: () => cpuMs(() => transcripts.round()),
        theirs: () =>
          cpuMs(async () => {
            for (const some of inParts(threads)) await Promise.all(some.map(({ path }) => stat(path)));
          }),
      });
      const links = await transcripts.domain.monitoring.linksToCheck("local");
      const checked = links.filter(({ lastCheckedAt }) => (lastCheckedAt?.getTime() ?? 0) > Date.now() + settleMs);
      if (checked.length !== count) throw new Error(`the rounds looked at ${checked.length} links`);
      await transcripts.stop();
      return [
        {
          ...samples,
          row: upstreamRound.name,
          comparator: "stat of the same 1,000 files",
          unit: "ms of CPU",
          goal: { oursBelow: 50 },
        },
      ];
    }),
};

function inParts<T>(all: readonly T[]): T[][] {
  const parts: T[][] = [];
  for (let from = 0; from < all.length; from += looksAtOnce) parts.push(all.slice(from, from + looksAtOnce));
  return parts;
}

async function cpuMs(work: () => Promise<void>): Promise<number> {
  const before = process.cpuUsage();
  await work();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1_000;
}
