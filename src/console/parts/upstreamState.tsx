import type { UpstreamLink } from "../../client/index.js";
import { exactTime } from "./ago.js";

const tools: Readonly<Record<UpstreamLink["kind"], string>> = { CLAUDE_CODE: "Claude Code", CODEX: "Codex" };

export function toolName(kind: UpstreamLink["kind"]): string {
  return tools[kind];
}

/** Whether a source is on the server's own machine. */
export function isLocal(nodeId: string): boolean {
  return nodeId === "local";
}

/** How the monitoring of a source goes: the word for it, and what else there is to say. */
export function linkState(link: UpstreamLink): { word: string; tone: "good" | "warn" | "bad"; details: string } {
  const details = [
    `${tools[link.kind]} on ${isLocal(link.nodeId) ? "the server's machine" : link.nodeId}, thread ${link.threadId}`,
    link.lastCheckedAt === null ? "not checked yet" : `last checked ${exactTime(link.lastCheckedAt)}`,
    `missed checks: ${link.missedChecks}`,
    `skipped rows: ${link.skippedRows}`,
    `unknown rows: ${link.unknownRows}`,
  ].join("; ");
  if (link.silent) return { word: "its machine is silent", tone: "bad", details };
  if (link.missedChecks > 0) return { word: `missed ${link.missedChecks} of 3`, tone: "bad", details };
  if (link.failedChecks > 0) return { word: "unreadable", tone: "bad", details };
  if (link.skippedRows > 0) return { word: `${link.skippedRows} skipped`, tone: "warn", details };
  return { word: link.lastCheckedAt === null ? "linked" : "good", tone: "good", details };
}

export function UpstreamState({ link }: { link: UpstreamLink | null }) {
  if (link === null) return <span className="quiet none">none</span>;
  const { word, tone, details } = linkState(link);
  return (
    <span className={`tone ${tone}`} title={details}>
      <span className="tool-name">{tools[link.kind]}: </span>
      {word}
    </span>
  );
}
