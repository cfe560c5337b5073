import type { UpstreamKind } from "../awareness/awareness.js";
import { claudeCode } from "./claudeCode.js";
import { codex } from "./codex.js";
import type { Tool } from "./tool.js";

/** The tools that are known. A new one is a file beside these and a line here. */
export const tools: Readonly<Record<UpstreamKind, Tool>> = { CLAUDE_CODE: claudeCode, CODEX: codex };
