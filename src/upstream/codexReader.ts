import { promptDigest } from "./echoes.js";
import { isRecord, type JsonRecord } from "./records.js";
import { blocksOf, other, type Reading, type RecordReader, textOf, unknown } from "./tool.js";

/**
 * Shapes as Codex 0.20, 0.34, 0.39, 0.64, 0.130 and 0.171 write them (run against a model of our own on loopback). A
 * prompt is written twice: as `response_item`, what the model is given, and as an event, what the person said. The
 * event is trusted: `user_message` up to 0.14x, `item_completed` with a `UserMessage` since. Before 0.34 there was no event, and
 * records stood without an envelope.
 */

type State = {
  /** The file has events for what a person says; its response items then say nothing new. */
  hasEvents: boolean;
  /** Digests of prompts taken from response items whose event may still come. */
  awaited: string[];
  /** For a fork that begins with its parent's history: when it was made, until its own first turn. */
  forkedAtMs: number | null;
  /** When the present turn was begun, if that is known. */
  turnAtMs: number | null;
  /** The present turn was begun by another agent. */
  agentsTurn: boolean;
};

const awaitedMax = 16;
/** Copies are written within moments of the fork. */
const copyingMs = 2_000;

/** Every kind of record, and what it is to us. A kind that is not here is unknown. */
const kinds = new Map<string, (reader: CodexReader, payload: JsonRecord, record: JsonRecord) => Reading>([
  ["session_meta", (reader, payload) => reader.opens(payload)],
  ["response_item", (reader, payload, record) => reader.responseItem(payload, record)],
  ["event_msg", (reader, payload, record) => events.get(textOf(payload.type))?.(reader, payload, record) ?? unknown],
  ...["turn_context", "compacted", "world_state", "token_usage_record"].map((name) => [name, () => other] as const),
]);

const quietEvents = [
  ...["agent_message", "agent_reasoning", "agent_reasoning_raw_content", "agent_reasoning_section_break"],
  ...["token_count", "task_complete", "turn_started", "turn_complete", "turn_aborted", "thread_settings_applied"],
  ...["thread_rolled_back", "thread_goal_updated", "thread_name_updated", "context_compacted", "undo_completed"],
  ...["entered_review_mode", "exited_review_mode", "error", "warning", "stream_error", "deprecation_notice"],
  ...["exec_command_begin", "exec_command_end", "patch_apply_begin", "patch_apply_end", "turn_diff", "plan_update"],
  ...["mcp_tool_call_begin", "mcp_tool_call_end", "web_search_begin", "web_search_end", "view_image_tool_call"],
  ...["image_generation_end", "item_started", "guardian_assessment", "collab_agent_spawn_end", "collab_close_end"],
  ...["collab_agent_interaction_end", "collab_waiting_end", "collab_resume_end", "dynamic_tool_call_response"],
];

/** The events among them. */
const events = new Map<string, (reader: CodexReader, payload: JsonRecord, record: JsonRecord) => Reading>([
  ["user_message", (reader, payload, record) => reader.userMessage(payload, record)],
  ["item_completed", (reader, payload, record) => reader.itemCompleted(payload, record)],
  ["task_started", (reader, payload) => reader.beginsTurn(payload)],
  ...quietEvents.map((name) => [name, () => other] as const),
]);

/** Blocks that Codex puts in for the model under the role of the user: one tag around everything, or its AGENTS.md. */
function isInjected(text: string): boolean {
  return /^# AGENTS\.md instructions /i.test(text) || isOneElement(text);
}

/** Looked for from the closing tag on: from the front every part of a long text without an end might be the name. */
function isOneElement(text: string): boolean {
  if (!text.startsWith("<") || !text.endsWith(">")) return false;
  const closing = text.lastIndexOf("</");
  const name = text.slice(closing + 2, -1).toLowerCase();
  if (closing < 0 || !/^[a-z][a-z_ -]*$/.test(name)) return false;
  const behindName = 1 + name.length;
  if (text.slice(1, behindName).toLowerCase() !== name || /\w/.test(text.charAt(behindName))) return false;
  const opened = text.indexOf(">", behindName);
  return opened >= 0 && opened < closing;
}

export class CodexReader implements RecordReader {
  readonly #threadId: string;
  readonly #state: State;

  constructor(threadId: string, state: unknown) {
    this.#threadId = threadId;
    const fresh: State = { hasEvents: false, awaited: [], forkedAtMs: null, turnAtMs: null, agentsTurn: false };
    // Written by this class and read by nobody else, so its shape is trusted.
    this.#state = isRecord(state) ? { ...fresh, ...(state as Partial<State>) } : fresh;
  }

  state(): State {
    return { ...this.#state, awaited: [...this.#state.awaited] };
  }

  read(record: JsonRecord): Reading {
    if (isRecord(record.payload)) return kinds.get(textOf(record.type))?.(this, record.payload, record) ?? unknown;
    return this.#bare(record);
  }

  /** Before 0.34: the item itself, a mark of state, or the first line about the session. */
  #bare(record: JsonRecord): Reading {
    if (record.type === undefined) return record.record_type === "state" || record.id !== undefined ? other : unknown;
    return bareItems.has(textOf(record.type)) ? this.responseItem(record, record) : unknown;
  }

  /** The first is the file's own; a fork's copy of its parent's follows it. */
  opens({ id, forked_from_id: parent, history_base: base, timestamp, source }: JsonRecord): Reading {
    if (id !== this.#threadId) return other;
    if (isRecord(source) && source.subagent !== undefined) this.#state.agentsTurn = true;
    // With a history base the parent's history is referred to, not copied.
    const copies = typeof parent === "string" && !isRecord(base);
    if (copies) this.#state.forkedAtMs = timeOfId(id) ?? timeOf(timestamp);
    return other;
  }

  beginsTurn({ turn_id: id, started_at: seconds, turn_attribution: by }: JsonRecord): Reading {
    this.#state.turnAtMs = timeOfId(id) ?? (typeof seconds === "number" ? seconds * 1_000 : null);
    if (isRecord(by)) this.#state.agentsTurn = typeof by.parent_turn_id === "string";
    return other;
  }

  userMessage(payload: JsonRecord, record: JsonRecord): Reading {
    // A version of 2025 marked what it had put in itself.
    if (typeof payload.kind === "string" && payload.kind !== "plain") return other;
    const pictures = [payload.images, payload.local_images].some((list) => Array.isArray(list) && list.length > 0);
    if (textOf(payload.message).trim() === "" && !pictures) return other;
    return this.#event({ id: null, text: textOf(payload.message), at: record.timestamp });
  }

  itemCompleted({ item }: JsonRecord, record: JsonRecord): Reading {
    if (!isRecord(item) || item.type !== "UserMessage" || blocksOf(item.content).length === 0) return other;
    const text = blocksOf(item.content)
      .map((block) => textOf(block.text))
      .join("\n");
    return this.#event({ id: textOf(item.id) || null, text, at: record.timestamp });
  }

  responseItem(item: JsonRecord, record: JsonRecord): Reading {
    if (item.type !== "message" || item.role !== "user") return other;
    const typed = blocksOf(item.content).filter((block) => isTyped(block));
    if (typed.length === 0 || saysInjected(item) || this.#state.hasEvents) return other;
    const text = typed.map((block) => textOf(block.text)).join("\n");
    this.#state.awaited = [...this.#state.awaited, promptDigest(text)].slice(-awaitedMax);
    return this.#turn({ id: textOf(item.id) || null, text, at: record.timestamp });
  }

  #event(said: { id: string | null; text: string; at: unknown }): Reading {
    this.#state.hasEvents = true;
    const awaited = this.#state.awaited.indexOf(promptDigest(said.text));
    this.#state.awaited = this.#state.awaited.filter((_, index) => index !== awaited);
    // The same prompt, written the other way: its response item has been taken already.
    return awaited >= 0 ? other : this.#turn(said);
  }

  #turn(said: { id: string | null; text: string; at: unknown }): Reading {
    if (this.#isCopy(said.at)) return { verdict: "copied", ...said };
    return this.#state.agentsTurn ? other : { verdict: "human", ...said };
  }

  /**
   * A fork's first records repeat its parent's history, with new times on the records. The ids of the turns keep their
   * times, and what they leave open the moment of copying tells.
   */
  #isCopy(at: unknown): boolean {
    const { forkedAtMs, turnAtMs } = this.#state;
    if (forkedAtMs === null) return false;
    const writtenAtMs = timeOf(at);
    const copied =
      turnAtMs !== null ? turnAtMs < forkedAtMs : writtenAtMs !== null && writtenAtMs <= forkedAtMs + copyingMs;
    if (!copied) this.#state.forkedAtMs = null;
    return copied;
  }
}

const bareItems = new Set(["message", "reasoning", "function_call", "function_call_output", "local_shell_call"]);

function isTyped(block: JsonRecord): boolean {
  if (block.type === "input_image" || block.type === "local_image") return true;
  const text = textOf(block.text).trim();
  return block.type === "input_text" && text !== "" && !isInjected(text);
}

/** Since 0.171 an item says itself where it comes from. */
function saysInjected({ internal_chat_message_metadata_passthrough: metadata }: JsonRecord): boolean {
  const kindsOfContent = isRecord(metadata) ? metadata.content_item_kinds : undefined;
  return Array.isArray(kindsOfContent) && !kindsOfContent.some((kind) => textOf(kind).startsWith("user."));
}

/** The time in a UUID of version 7; null for any other id. */
function timeOfId(id: unknown): number | null {
  const [, high, low] = /^([0-9a-f]{8})-([0-9a-f]{4})-7[0-9a-f]{3}-/i.exec(textOf(id)) ?? [];
  return high === undefined || low === undefined ? null : Number.parseInt(high + low, 16);
}

function timeOf(value: unknown): number | null {
  const time = Date.parse(textOf(value));
  return Number.isNaN(time) ? null : time;
}
