import { join } from "node:path";
import { CodexReader } from "./codexReader.js";
import { isRecord } from "./records.js";
import { entriesOf, type ThreadFile, type Tool } from "./tool.js";

/**
 * Codex: `YYYY/MM/DD/rollout-<time>-<thread>.jsonl`. A thread that is reverted goes on in a new file of the same thread,
 * `rollout-<time>-<thread>_<rollout>.jsonl`, while the old one stays as it is: the file of the latest time is the thread.
 */

const datePart = /^\d{2,4}$/;
const fileName =
  /^rollout-(\d{4}-\d{2}-\d{2}T\d{2}-\d{2}-\d{2})-([A-Za-z0-9][A-Za-z0-9-]{0,127})(?:_[A-Za-z0-9-]+)?\.jsonl$/;

export const codex: Tool = {
  async threads(root) {
    const latest = new Map<string, ThreadFile & { time: string }>();
    for (const day of await folders(root, 3)) {
      for (const entry of await entriesOf(join(root, day))) {
        const [, time = "", threadId = ""] = fileName.exec(entry.name) ?? [];
        if (threadId === "" || (latest.get(threadId)?.time ?? "") > time) continue;
        latest.set(threadId, { threadId, time, path: join(day, entry.name), plain: entry.isFile() });
      }
    }
    return [...latest.values()];
  },

  reader: (threadId, state) => new CodexReader(threadId, state),

  mayTell: (row) =>
    row.includes('"user') ||
    row.includes("UserMessage") ||
    row.includes("session_meta") ||
    row.includes("task_started"),

  workingDirectory: (record) => (isRecord(record.payload) ? record.payload.cwd : record.cwd),
};

/** The folders `depth` levels down that are named like parts of a date, as paths below `root`. */
async function folders(root: string, depth: number): Promise<string[]> {
  let level = [""];
  for (let down = 0; down < depth; down += 1) {
    const lists = level.map(async (folder) => {
      const entries = await entriesOf(join(root, folder));
      return entries
        .filter((entry) => datePart.test(entry.name) && !entry.isFile())
        .map(({ name }) => join(folder, name));
    });
    level = (await Promise.all(lists)).flat();
  }
  return level;
}
