import { randomUUID } from "node:crypto";
import { appendFile, mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { HeadsupClient } from "../src/client/index.js";
import { spell } from "./cast.js";
import type { Narrator } from "./narrator.js";
import type { Claude, Stage } from "./stage.js";

const patienceMs = 20_000;
const workingDirectory = "/home/person/parser";

/**
 * A coordinator watches a thread of Claude Code: no hook, no word from the tool, only its transcript. The round of the
 * monitor is a minute away, so that what is shown is a file's change that was noticed.
 */
export async function typedIntoTranscript({ client, claude, key }: Stage, narrator: Narrator): Promise<void> {
  if (claude === null) {
    narrator.shows("left out: it writes transcripts into a folder that its own server reads");
    return;
  }
  const coordinator = key("agent:lead:terminal");
  const threadId = randomUUID();
  const transcript = join(claude.folder, "-home-person-parser", `${threadId}.jsonl`);
  await mkdir(join(transcript, ".."));
  await writeFile(transcript, record("user", "sort out the parser") + record("assistant", "it is sorted out"));

  const sessionKey = await adopts({ client, claude, narrator, threadId });
  const since = await watches({ client, narrator, coordinator, sessionKey });
  await isTold({ client, narrator, coordinator, sessionKey, transcript, since });
}

type Found = { client: HeadsupClient; claude: Claude; narrator: Narrator; threadId: string };

async function adopts({ client, claude, narrator, threadId }: Found): Promise<string> {
  narrator.step("A thread of Claude Code stands in the catalog");
  const { nodes } = await client.upstreamCatalog({ kind: "CLAUDE_CODE" });
  for (const node of nodes) narrator.shows(`${node.kind}  ${node.threadId}  ${node.workingDirectory}`);
  const found = nodes.map((node) => [node.threadId, node.workingDirectory]);
  narrator.claim("the catalog has this thread and says where it works", found, [[threadId, workingDirectory]]);

  narrator.step("An admin adopts it for the agent coder; the agent's own token does the rest");
  const source = { kind: "CLAUDE_CODE", threadId } as const;
  const { session, created } = await claude.admin.adoptSession({ source, agentId: "coder" });
  narrator.shows(session.sessionKey);
  narrator.claim("it is a session now, with its source", [created, session.upstream?.threadId], [true, threadId]);
  return session.sessionKey;
}

type Watched = { client: HeadsupClient; narrator: Narrator; coordinator: string; sessionKey: string };

async function watches({ client, narrator, coordinator, sessionKey }: Watched): Promise<number> {
  narrator.step("The coordinator watches it");
  const { watched } = await client.watch({ watcherSessionKey: coordinator, targetSessionKey: sessionKey });
  narrator.claim("it is watched", watched, true);
  const pending = await client.pendingNotices({ watcherSessionKey: coordinator });
  narrator.claim("what stood in the transcript before is no news", pending, []);
  return (await client.sessionStatus({ sessionKey })).stateVersion;
}

async function isTold(scene: Watched & { transcript: string; since: number }): Promise<void> {
  const { client, narrator, coordinator, sessionKey, transcript, since } = scene;
  narrator.step("It subscribes. A person types into Claude Code, which appends a line to its transcript");
  const notices = client.staleNotices({ watcherSessionKey: coordinator, signal: AbortSignal.timeout(patienceMs) });
  const arriving = notices.next();
  const typedAt = performance.now();
  await appendFile(transcript, record("user", "no, do it the other way round"));
  const { done, value } = await arriving;
  const tookMs = Math.round(performance.now() - typedAt);
  if (!done) narrator.shows(`» ${value.text}`);
  narrator.claim("the coordinator is told", done ? null : [value.targetSessionKey, value.changesSince], [
    sessionKey,
    since,
  ]);
  narrator.shows(
    `it took ${tookMs} ms from the line in the file, ${tookMs <= 1_000 ? "within" : "more than"} a second`,
  );
  await notices.return();

  const { stateChanges } = await client.sessionStatus({ sessionKey, changesSince: since });
  for (const event of stateChanges?.events ?? []) narrator.shows(spell(event));
  const told = stateChanges?.events.map(({ kind, summary }) => [kind, summary]);
  narrator.claim("the log says that it happened and where, and not a word of what was typed", told, [
    ["HUMAN_DIRECT_MESSAGE", "human message via claude-code"],
  ]);
}

/** A line as Claude Code writes it. */
function record(role: "user" | "assistant", text: string): string {
  const written = {
    parentUuid: null,
    isSidechain: false,
    userType: "external",
    cwd: workingDirectory,
    type: role,
    message: { role, content: role === "user" ? text : [{ type: "text", text }] },
    uuid: randomUUID(),
    timestamp: new Date().toISOString(),
  };
  return `${JSON.stringify(written)}\n`;
}
