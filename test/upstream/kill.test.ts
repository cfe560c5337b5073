import { type ChildProcess, spawn } from "node:child_process";
import { randomInt } from "node:crypto";
import { once } from "node:events";
import { writeFileSync } from "node:fs";
import { setImmediate as nextTurn } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { sleep } from "../../src/clock.js";
import { claudeTurn } from "./lines.js";
import { typeInPieces } from "./typing.js";
import { sqliteWorld, type World } from "./world.js";

const script = fileURLToPath(new URL("monitorProcess.ts", import.meta.url));
const checksWanted = 200;

describe("a monitor that is killed again and again at random moments, while somebody types", () => {
  let world: World;
  let file: string;
  let child: ChildProcess | undefined;

  beforeEach(async () => {
    world = await sqliteWorld();
    file = world.claudeFile("thread");
    writeFileSync(file, claudeTurn("old"));
  });
  afterEach(async () => {
    child?.kill("SIGKILL");
    await world.dispose();
  });

  async function startChild(): Promise<ChildProcess> {
    const env = {
      PATH: process.env.PATH,
      ...world.environment,
      HEADSUP_MONITOR_INTERVAL_MS: "10",
      HEADSUP_MONITOR_FIRST_MS: "0",
    };
    const started = spawn(process.execPath, ["--import", "tsx", script], { env, stdio: ["ignore", "pipe", "inherit"] });
    await once(started.stdout, "data");
    return started;
  }

  const type = (signal: AbortSignal) =>
    typeInPieces(file, { betweenPieces: () => nextTurn(), betweenTurns: () => sleep(randomInt(2, 12)) }, signal);

  it(`reports every human turn exactly once, over ${checksWanted} checks and more`, { timeout: 90_000 }, async () => {
    const session = await world.follow("CLAUDE_CODE", "thread");
    const enough = new AbortController();
    const typing = type(enough.signal);
    while ((await world.checks()) < checksWanted) {
      child = await startChild();
      const enoughOfIt = (await world.checks()) + randomInt(30, 60);
      while ((await world.checks()) < enoughOfIt) await sleep(randomInt(10));
      child.kill("SIGKILL");
      await once(child, "exit");
    }
    enough.abort();
    const typed = await typing;
    await world.rounds(2);
    expect(await world.turns(session)).toBe(typed);
    const { session: record } = await world.awareness.sessionStatus({ sessionKey: session });
    expect(record?.upstream).toMatchObject({ skippedRows: 0, missedChecks: 0 });
  });
});
