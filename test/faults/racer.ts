import type { RunningAwareness } from "../../src/awareness/createAwareness.js";
import { startOnFile } from "../support/domain.js";

/**
 * A process of its own that opens the database it is told of and appends one event. It answers the event's sequence,
 * or what went wrong. "stop" closes the database; the next one may follow.
 */
let awareness: RunningAwareness | undefined;

process.on("message", async (order) => {
  try {
    process.send?.(order === "stop" ? await stop() : await start(String(order)));
  } catch (error) {
    process.send?.(String(error));
  }
});
process.on("disconnect", () => process.exit());
process.send?.("ready");

async function start(file: string): Promise<number> {
  awareness = await startOnFile(file);
  const { event } = await awareness.append({
    sessionKey: "agent:main:raced",
    kind: "GOAL_CHANGED",
    actor: { type: "SYSTEM" },
  });
  return event?.sequence ?? 0;
}

async function stop(): Promise<string> {
  await awareness?.stop();
  return "stopped";
}
