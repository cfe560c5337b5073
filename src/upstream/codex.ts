import { basename, join } from "node:path";
import { CodexReader } from "./codexReader.js";
import { isRecord } from "./records.js";
import { entriesOf, foldersIn, type ThreadFile, type Tool } from "./tool.js";

/**
 * Codex: `YYYY/MM/DD/rollout-<time>-<thread>.jsonl`. A thread that is reverted goes on in a new file of the same thread,
 * `rollout-<time>-<thread>_<rollout>.jsonl`, while the old one stays as it is: the file of the latest time is the thread.
 */

const datePart = /^\d{2,4}$/;
const fileName =
  /^rollout-(\d{4}-\d{2}-\d{2}T\d{2}-\d{2}-\d{2})-([A-Za-z0-9][A-Za-z0-9-]{0,127})(?:_[A-Za-z0-9-]+)?\.jsonl$/;

/** A thread that has not been used for a while is compressed, and written out again when it is. */
const compressed = ".zst";

/** The compressed threads, by the paths of what they were: of several the one of the latest time. */
export async function threadsAtRest(root: string): Promise<Map<string, string>> {
  const latest = new Map<string, { time: string; path: string }>();
  for (const { path: day } of await days(root)) {
    for (const { name } of await entriesOf(join(root, day))) {
      if (!name.endsWith(compressed)) continue;
      const was = name.slice(0, -compressed.length);
      const [, time = "", threadId = ""] = fileName.exec(was) ?? [];
      if (threadId === "" || (latest.get(threadId)?.time ?? "") > time) continue;
      latest.set(threadId, { time, path: join(day, was) });
    }
  }
  return new Map([...latest].map(([threadId, { path }]) => [threadId, path]));
}

export const codex: Tool = {
  async threads(root) {
    const latest = new Map<string, ThreadFile & { time: string }>();
    for (const { path: day, outside } of await days(root)) {
      for (const entry of await entriesOf(join(root, day))) {
        const [, time = "", threadId = ""] = fileName.exec(entry.name) ?? [];
        if (threadId === "" || (latest.get(threadId)?.time ?? "") > time) continue;
        latest.set(threadId, { threadId, time, path: join(day, entry.name), plain: entry.isFile() && !outside });
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

/** The folders three levels down that are named like parts of a date. */
async function days(root: string): Promise<{ path: string; outside: boolean }[]> {
  let level = [{ path: "", outside: false }];
  for (let down = 0; down < 3; down += 1) {
    const lists = level.map(async ({ path, outside }) => {
      const folders = (await foldersIn(root, path)).filter((folder) => datePart.test(basename(folder.path)));
      return folders.map((folder) => ({ ...folder, outside: outside || folder.outside }));
    });
    level = (await Promise.all(lists)).flat();
  }
  return level;
}
