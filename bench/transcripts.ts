import { once } from "node:events";
import { createWriteStream } from "node:fs";
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { pino } from "pino";
import { newDatabase } from "./database.js";
import { type Domain, startDomain } from "./domain.js";
import { loadConfig, loadMonitor, loadSources } from "./product.js";

/** Claude Code's transcripts and a domain that reads them, with rounds of the monitor that the row asks for. */
export type Transcripts = {
  domain: Domain;
  /** One cadence, a minute later than the one before. */
  round(): Promise<void>;
  /** Adopts a thread and has a coordinator watch it; the link's number comes back. */
  follow(threadId: string): Promise<number>;
  stop(): Promise<void>;
};

const intervalMs = 60_000;
const agentId = "bench";

/** On the transcripts below `claudeDir`. The database is in `folder`. */
export async function openTranscripts(folder: string, claudeDir: string): Promise<Transcripts> {
  const [{ createSources }, { Monitor }, { limits }] = await Promise.all([loadSources(), loadMonitor(), loadConfig()]);
  let laterMs = 0;
  const clock = { now: () => new Date(Date.now() + laterMs) };
  const sources = createSources({ claudeDir, codexDir: join(folder, "codex") });
  const domain = await startDomain(await newDatabase(folder, "bench.db"), { sources, clock });
  const { monitoring: desk, onLinksChanged } = domain;
  const log = pino({ level: "warn" }, pino.destination(2));
  // Not started: nothing but the rounds asked for, and what files' changes bring forward.
  const monitor = new Monitor({
    ...{ desk, onLinksChanged, sources, clock, log, limits, intervalMs },
    ...{ nodeId: "local", firstMs: intervalMs },
  });
  return {
    domain,
    async round() {
      laterMs += intervalMs;
      await monitor.round();
    },
    async follow(threadId) {
      const source = { kind: "CLAUDE_CODE", nodeId: "local", threadId } as const;
      const { session } = await domain.adoptSession({ source, agentId });
      await domain.watch({ watcherSessionKey: "agent:bench:boss", targetSessionKey: session.sessionKey });
      const links = await desk.linksToCheck("local");
      const link = links.find((one) => one.threadId === threadId);
      if (link === undefined) throw new Error("a thread that is watched is not monitored");
      return link.id;
    },
    async stop() {
      await monitor.stop();
      await domain.stop();
    },
  };
}

/** Short threads, `perProject` in each project folder; their names and absolute paths come back. */
export async function writeThreads(
  claudeDir: string,
  { count, perProject }: { count: number; perProject: number },
): Promise<{ threadId: string; path: string }[]> {
  const threads = Array.from({ length: count }, (_, index) => {
    const threadId = `thread-${index}`;
    return { threadId, path: join(claudeDir, `project-${Math.floor(index / perProject)}`, `${threadId}.jsonl`) };
  });
  for (let from = 0; from < threads.length; from += perProject) {
    const some = threads.slice(from, from + perProject);
    await mkdir(join(claudeDir, `project-${from / perProject}`), { recursive: true });
    await Promise.all(some.map(({ path, threadId }) => writeFile(path, typed(threadId) + answer(threadId))));
  }
  return threads;
}

/**
 * A file of about this many bytes as a working thread has them: of twenty rows one that a person typed, nine with what
 * a tool answered (4 KB each) and ten of the agent (1.5 KB each).
 * How many a person typed comes back.
 */
export async function writeLongTranscript(path: string, bytes: number): Promise<number> {
  const file = createWriteStream(path);
  let turn = 0;
  for (let written = 0; written < bytes; turn += 1) {
    const rows = [typed(`turn-${turn}`)];
    for (let step = 0; step < 10; step += 1) {
      rows.push(answer(`turn-${turn}-${step}`));
      if (step < 9) rows.push(toolResult(`turn-${turn}-${step}`));
    }
    const text = rows.join("");
    written += Buffer.byteLength(text);
    if (!file.write(text)) await once(file, "drain");
  }
  file.end();
  await once(file, "close");
  return turn;
}

/** What a person typed. */
export function typed(id: string): string {
  return row("user", id, `please look at ${id}: ${"it does not do what it says ".repeat(6)}`);
}

function answer(id: string): string {
  return row("assistant", id, [{ type: "text", text: 'I read the file and changed "one" line.\n'.repeat(32) }]);
}

function toolResult(id: string): string {
  const content = '  const answer = await client.read("file"); // café\n'.repeat(75);
  return row("user", id, [{ type: "tool_result", tool_use_id: id, content }]);
}

function row(type: "user" | "assistant", id: string, content: unknown): string {
  const record = {
    ...{ parentUuid: null, isSidechain: false, userType: "external", cwd: "/home/person/project", version: "2.0.30" },
    ...{ type, message: { role: type, content }, uuid: `${type}-${id}`, timestamp: new Date().toISOString() },
  };
  return `${JSON.stringify(record)}\n`;
}
