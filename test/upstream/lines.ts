import { createHash, randomUUID } from "node:crypto";

/** Records as the tools write them, as short as they may be. Shapes: see fixtures/README.md. */

export function claudeTurn(text: unknown, more: Record<string, unknown> = {}): string {
  return line({
    parentUuid: null,
    isSidechain: false,
    userType: "external",
    cwd: "/home/person/project",
    sessionId: "s",
    version: "2.0.30",
    type: "user",
    message: { role: "user", content: text },
    uuid: randomUUID(),
    timestamp: new Date().toISOString(),
    ...more,
  });
}

export function claudeAnswer(text = "ok"): string {
  return line({
    type: "assistant",
    message: { role: "assistant", content: [{ type: "text", text }] },
    uuid: randomUUID(),
  });
}

export function codexMeta(id: string, more: Record<string, unknown> = {}): string {
  return rollout("session_meta", { id, cwd: "/home/person/project", originator: "codex_cli_rs", ...more });
}

/** What the model is given. */
export function codexItem(text: string): string {
  return rollout("response_item", { type: "message", role: "user", content: [{ type: "input_text", text }] });
}

/** What the person said, as told until 0.14x and in threads that began then. */
export function codexSaid(message: string): string {
  return rollout("event_msg", { type: "user_message", message, images: [] });
}

export function rollout(type: string, payload: Record<string, unknown>, timestamp = new Date().toISOString()): string {
  return line({ timestamp, type, payload });
}

export function line(record: unknown): string {
  return `${JSON.stringify(record)}\n`;
}

/** The digest a caller sends for a prompt that is plain already. */
export function sha256(text: string): string {
  return createHash("sha256").update(text).digest("hex");
}
