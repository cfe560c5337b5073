import { readdir, stat } from "node:fs/promises";
import { join } from "node:path";
import { withFolder } from "../database.js";
import { alternate } from "../measure.js";
import type { Row } from "../row.js";
import { openTranscripts, writeThreads } from "../transcripts.js";

/** As many as the catalog looks at together. */
const statsAtOnce = 64;
const pageSize = 50;

export const upstreamCatalog: Row = {
  name: "upstream: a page of the catalog over 10,000 files",
  what:
    "The domain's `upstreamCatalog` for its first page of 50, over 10,000 transcripts in 50 folders, nothing kept from " +
    "one call to the next, against `readdir` of the same folders and `stat` of the same files, 64 at a time, in the same " +
    "process. The page also sorts, reads 50 working directories and asks the database who has adopted what.",
  run: (scale) =>
    withFolder(async (folder) => {
      const count = scale.quick ? 2_000 : 10_000;
      const claudeDir = join(folder, "claude");
      await writeThreads(claudeDir, { count, perProject: 200 });
      const { domain, stop } = await openTranscripts(folder, claudeDir);
      const samples = await alternate(scale.samples, {
        ours: () =>
          elapsed(async () => {
            const { edges } = await domain.upstreamCatalog({ kind: "CLAUDE_CODE", first: pageSize });
            if (edges.length !== pageSize) throw new Error(`the page has ${edges.length} threads`);
          }),
        theirs: () =>
          elapsed(async () => {
            const seen = await statAll(claudeDir);
            if (seen !== count) throw new Error(`${seen} files were looked at`);
          }),
      });
      await stop();
      return [
        {
          ...samples,
          row: upstreamCatalog.name,
          comparator: "readdir and stat of the same files",
          unit: "ms",
          goal: null,
        },
      ];
    }),
};

async function statAll(root: string): Promise<number> {
  const projects = await readdir(root);
  const lists = await Promise.all(
    projects.map(async (project) => (await readdir(join(root, project))).map((name) => join(root, project, name))),
  );
  const paths = lists.flat();
  let seen = 0;
  for (let from = 0; from < paths.length; from += statsAtOnce) {
    seen += (await Promise.all(paths.slice(from, from + statsAtOnce).map((path) => stat(path)))).length;
  }
  return seen;
}

/** In milliseconds. */
async function elapsed(work: () => Promise<void>): Promise<number> {
  const start = performance.now();
  await work();
  return performance.now() - start;
}
