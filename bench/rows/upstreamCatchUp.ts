import { execFile } from "node:child_process";
import { readFile, rm, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { promisify } from "node:util";
import { withFolder } from "../database.js";
import { alternate, perSecond } from "../measure.js";
import type { Row } from "../row.js";
import { openTranscripts, type Transcripts, typed, writeLongTranscript, writeThreads } from "../transcripts.js";

const megabyte = 1_000_000;

export const upstreamCatchUp: Row = {
  name: "upstream: catching up on 100 MB of transcript",
  what:
    "From the monitor's round to the moment the database has the end of a watched thread as its position, after 100 MB " +
    "(1,747 turns of a person among 34,940 rows) were appended to it, a new thread for each sample, against " +
    "`wc -l` of the same file and then, in the same process, reading it and `JSON.parse` of each line.",
  run: (scale) =>
    withFolder(async (folder) => {
      const claudeDir = join(folder, "claude");
      const source = join(folder, "long.jsonl");
      const turns = await writeLongTranscript(source, (scale.quick ? 10 : 100) * megabyte);
      const { size } = await stat(source);
      await writeThreads(claudeDir, { count: 1, perProject: 1 });
      const transcripts = await openTranscripts(folder, claudeDir);
      let threads = 0;
      const samples = await alternate(Math.min(scale.samples, 5), {
        async ours() {
          threads += 1;
          const threadId = `long-${threads}`;
          const sessionKey = `agent:bench:claude-code:${threadId}`;
          const path = join(claudeDir, "project-0", `${threadId}.jsonl`);
          await writeFile(path, typed("the first turn"));
          const link = await transcripts.follow(threadId);
          await writeFile(path, await readFile(source), { flag: "a" });
          const rate = await perSecond(size / megabyte, async () => readToEnd(transcripts, link, path));
          await expectTurns(transcripts, sessionKey, turns);
          await rm(path);
          await transcripts.domain.deleteSession({ sessionKey });
          return rate;
        },
        theirs: () => perSecond(size / megabyte, () => countAndParse(source)),
      });
      await transcripts.stop();
      return [
        {
          ...samples,
          row: upstreamCatchUp.name,
          comparator: "wc -l, and JSON.parse of the same lines",
          unit: "MB/s",
          goal: { atLeast: 0.5 },
        },
      ];
    }),
};

/** What is longer than a check may take is read on at once, without another round. */
async function readToEnd({ domain, round }: Transcripts, link: number, path: string): Promise<void> {
  const { size } = await stat(path);
  await round();
  for (;;) {
    const state = await domain.monitoring.link(link);
    if (state === null) throw new Error("the link has gone");
    if (state.position === size) return;
    await sleep(5);
  }
}

/** Whether each thing that a person typed was found. */
async function expectTurns({ domain }: Transcripts, sessionKey: string, turns: number): Promise<void> {
  const { stateChanges } = await domain.sessionStatus({ sessionKey, changesSince: 0 });
  const told = (stateChanges?.events ?? []).filter(({ kind }) => kind === "HUMAN_DIRECT_MESSAGE");
  const found = told.reduce((sum, { payload }) => sum + Number(payload?.turns ?? 1), 0);
  if (found !== turns) throw new Error(`${found} turns were found of ${turns}`);
}

/** Line by line out of the bytes: one string of all of it would cost the comparator memory and time for nothing. */
async function countAndParse(path: string): Promise<void> {
  const { stdout } = await promisify(execFile)("wc", ["-l", path]);
  const bytes = await readFile(path);
  let parsed = 0;
  for (let from = 0, end = bytes.indexOf(10); end >= 0; from = end + 1, end = bytes.indexOf(10, from)) {
    if (JSON.parse(bytes.toString("utf8", from, end)) !== null) parsed += 1;
  }
  if (parsed !== Number.parseInt(stdout, 10)) throw new Error(`${parsed} lines were parsed of ${stdout}`);
}
