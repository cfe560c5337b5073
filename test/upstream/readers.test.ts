import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { claudeCode } from "../../src/upstream/claudeCode.js";
import { codex } from "../../src/upstream/codex.js";
import { recordsOf } from "../../src/upstream/records.js";
import type { Tool } from "../../src/upstream/tool.js";
import { claudeTurn, codexItem, codexMeta, codexSaid, rollout } from "./lines.js";

/** Every reading of a text's rows that is not "other", as `verdict: text`. */
function readings(tool: Tool, text: string, threadId = "thread"): string[] {
  const reader = tool.reader(threadId, null);
  return text.split("\n").flatMap((row) =>
    recordsOf(Buffer.from(row)).records.flatMap((record) => {
      const reading = reader.read(record);
      if (reading.verdict === "other") return [];
      return [
        reading.verdict === "unknown" ? `unknown: ${String(record.type)}` : `${reading.verdict}: ${reading.text}`,
      ];
    }),
  );
}

const fixture = (name: string) => readFileSync(new URL(`fixtures/${name}.jsonl`, import.meta.url), "utf8");
const human = (...texts: string[]) => texts.map((text) => `human: ${text}`);
const copied = (...texts: string[]) => texts.map((text) => `copied: ${text}`);

describe("human turns in transcripts that Claude Code wrote", () => {
  const typed = [
    "typed by a person",
    "please take your time",
    "queued while busy",
    "run the long tool",
    "queued during tool",
    "interrupt me",
    "interrupt me, edited",
    "work in the background",
    "run it and be interrupted",
  ];

  it("are what a person typed, also queued and taken in mid-turn, each once; not commands, marks and summaries", () => {
    expect(readings(claudeCode, fixture("claude-2.1.332-typed"))).toEqual(human(...typed));
  });

  it("are not hook output, task notifications and what a command expands to", () => {
    expect(readings(claudeCode, fixture("claude-2.1.332-hooks-and-tasks"))).toEqual(
      human(
        ...["hello with hooks", "start in the background", "start in the background again"],
        ...["/loop 1m say hi", "resumed prompt"],
      ),
    );
  });

  it("are not news where the tool marks them as copied from another thread", () => {
    const before = typed.filter((text) => text !== "interrupt me");
    expect(readings(claudeCode, fixture("claude-2.1.332-branch"))).toEqual([
      ...copied(...before),
      ...human("after branch"),
    ]);
  });

  it("can be a picture alone", () => {
    expect(readings(claudeCode, fixture("claude-2.1.332-picture"))).toEqual(human(""));
  });

  it("are found in the older format, and not in a sub-agent's file", () => {
    expect(readings(claudeCode, fixture("claude-2.0.30-print"))).toEqual(human("old claude 2.0.30"));
    expect(readings(claudeCode, fixture("claude-2.0.30-sub-agent"))).toEqual([]);
  });
});

describe("a record of Claude Code is no human turn", () => {
  it.each([
    ["with isMeta", claudeTurn("x", { isMeta: true })],
    ["with isCompactSummary", claudeTurn("x", { isCompactSummary: true })],
    ["with isVisibleInTranscriptOnly", claudeTurn("x", { isVisibleInTranscriptOnly: true })],
    ["with isSidechain", claudeTurn("x", { isSidechain: true })],
    ["with an agentId", claudeTurn("x", { agentId: "a1" })],
    ["with toolUseResult", claudeTurn("x", { toolUseResult: { stdout: "" } })],
    [
      "with a tool_result block beside text",
      claudeTurn([
        { type: "tool_result", content: "r" },
        { type: "text", text: "t" },
      ]),
    ],
    ["as an interrupt mark", claudeTurn([{ type: "text", text: "[Request interrupted by user]" }])],
    ["as a local command", claudeTurn("<command-name>/clear</command-name><command-args></command-args>")],
    ["as a local command's output", claudeTurn("<local-command-stdout>x</local-command-stdout>")],
    ["as shell mode", claudeTurn("<bash-input>ls</bash-input>")],
    ["as a task notification", claudeTurn("<task-notification>\n<task-id>1</task-id></task-notification>")],
    ["as hook output", claudeTurn("<user-prompt-submit-hook>x</user-prompt-submit-hook>")],
    ["as hook feedback", claudeTurn("Stop hook feedback:\n- go on")],
    ["from a schedule, by the tool's own word", claudeTurn("x", { origin: { kind: "scheduled" } })],
    ["from the system, by the tool's own word", claudeTurn("x", { promptSource: "system" })],
    ["with another role", claudeTurn("x", { message: { role: "assistant", content: "x" } })],
    ["without content", claudeTurn("")],
    ["with blocks of other kinds only", claudeTurn([{ type: "thinking", thinking: "x" }])],
    ["as a queue record", JSON.stringify({ type: "queue-operation", operation: "enqueue", content: "x" })],
    [
      "as a queued notification taken in mid-turn",
      JSON.stringify({
        type: "attachment",
        attachment: { type: "queued_command", prompt: "x", commandMode: "task-notification" },
      }),
    ],
  ])("%s", (_what, row) => {
    expect(readings(claudeCode, row)).toEqual([]);
  });

  it("of an unknown kind, which is counted; names from Object's prototype are nothing special", () => {
    const kinds = ["never-heard-of", "constructor", "__proto__"];
    const rows = kinds.map((type) => JSON.stringify({ type, message: { role: "user", content: "x" } }));
    expect(readings(claudeCode, rows.join("\n"))).toEqual(kinds.map((kind) => `unknown: ${kind}`));
  });
});

describe("a record of Claude Code is a human turn", () => {
  it.each([
    ["with a string", claudeTurn("hello"), "hello"],
    ["with a text block", claudeTurn([{ type: "text", text: "hello" }]), "hello"],
    [
      "with what the editor put in beside the text",
      claudeTurn([
        { type: "text", text: "<ide_opened_file>f</ide_opened_file>" },
        { type: "text", text: "hello" },
      ]),
      "hello",
    ],
    [
      "that begins like a wrapper where the tool says it was typed",
      claudeTurn("<tick> what is this tag?", { origin: { kind: "human" } }),
      "<tick> what is this tag?",
    ],
    [
      "that an agent sent through the SDK: its own are told apart by their digests",
      claudeTurn("go", { promptSource: "sdk" }),
      "go",
    ],
  ])("%s", (_what, row, text) => {
    expect(readings(claudeCode, row)).toEqual(human(text));
  });
});

describe("human turns in rollouts that Codex wrote", () => {
  const again = ["same words", "same words"];

  it.each([
    ["codex-0.20.0", "237c0ee3-8d9c-46b8-9dc7-07f4d43c6e67", human("old version 0.20.0")],
    ["codex-0.34.0", "fd549192-797e-4052-8691-3e541aab5083", human("old version 0.34.0")],
    ["codex-0.64.0", "01a22d4c-3370-7440-be58-3e1a652408a1", human("old version 0.64.0", "again 0.64.0")],
    [
      "codex-0.130.0-then-0.171.0",
      "01a22d4c-364c-75f1-a5cf-9e4521743854",
      human("old version 0.130.0", "again 0.130.0", "by new version"),
    ],
    [
      "codex-0.171.0-typed",
      "01a22d4a-5476-7250-9cd0-5d0add6b747c",
      human("typed in codex", "slowly now", "queued in codex", "one more", ...again, "after compact"),
    ],
    ["codex-0.171.0-fork", "01a22d4c-2a5a-7721-90ba-b157cbbb4b20", human("forked by exec")],
    [
      "codex-0.130.0-fork",
      "01a22d4c-8562-7641-880d-a0b543d40cb5",
      [...copied("old version 0.130.0", "again 0.130.0"), ...human("typed in the fork")],
    ],
  ])("%s: each prompt once, injected blocks never, a fork's copies told apart", (name, threadId, expected) => {
    expect(readings(codex, fixture(name), threadId)).toEqual(expected);
  });

  it("are the same when the reader stops and goes on between any two records", () => {
    for (const name of ["codex-0.34.0", "codex-0.130.0-fork", "codex-0.171.0-typed"]) {
      const threadId = /"id":"([^"]+)"/.exec(fixture(name))?.[1] ?? "";
      const found: string[] = [];
      let state: unknown = null;
      for (const row of fixture(name).split("\n")) {
        for (const record of recordsOf(Buffer.from(row)).records) {
          const reader = codex.reader(threadId, JSON.parse(JSON.stringify(state)));
          const reading = reader.read(record);
          if ("text" in reading) found.push(`${reading.verdict}: ${reading.text}`);
          state = reader.state();
        }
      }
      expect(found).toEqual(readings(codex, fixture(name), threadId));
    }
  });
});

describe("a prompt in a rollout of Codex", () => {
  it("that is written both ways counts once, in either order; the same words typed twice count twice", () => {
    const both = [codexItem("go on"), codexSaid("go on"), codexItem("go on"), codexSaid("go on")];
    expect(readings(codex, both.join(""))).toEqual(human("go on", "go on"));
    const turned = [codexSaid("go on"), codexItem("go on"), codexSaid("go on"), codexItem("go on")];
    expect(readings(codex, turned.join(""))).toEqual(human("go on", "go on"));
  });

  it("without an event is taken from its item, minus injected instruction, environment and developer blocks", () => {
    const rows = [
      codexItem("<environment_context>\n<cwd>/x</cwd>\n</environment_context>"),
      codexItem("<user_instructions>\nbe kind\n</user_instructions>"),
      codexItem("# AGENTS.md instructions for /x\n\n<INSTRUCTIONS>be kind</INSTRUCTIONS>"),
      rollout("response_item", { type: "message", role: "developer", content: [{ type: "input_text", text: "x" }] }),
      codexItem("hello"),
      codexItem("hello"),
    ];
    expect(readings(codex, rows.join(""))).toEqual(human("hello", "hello"));
  });

  it("that another agent sent is no human turn", () => {
    const started = (parent: string | null) =>
      rollout("event_msg", { type: "task_started", turn_id: "t", turn_attribution: { parent_turn_id: parent } });
    const rows = [started("parent"), codexSaid("from above"), started(null), codexSaid("typed")];
    expect(readings(codex, rows.join(""))).toEqual(human("typed"));
    const spawned = codexMeta("thread", { source: { subagent: { thread_spawn: { parent_thread_id: "p" } } } });
    expect(readings(codex, spawned + codexSaid("from above"))).toEqual([]);
  });

  it("can be a picture alone, and is nothing when it is empty", () => {
    const picture = rollout("event_msg", { type: "user_message", message: "", images: ["data:image/png;base64,AA=="] });
    expect(readings(codex, picture + codexSaid(" "))).toEqual(human(""));
  });

  it("of an unknown kind of record is not human, and counted", () => {
    const rows = [rollout("never_heard_of", { message: "x" }), rollout("event_msg", { type: "never_heard_of" })];
    expect(readings(codex, rows.join(""))).toEqual(["unknown: never_heard_of", "unknown: event_msg"]);
  });
});
