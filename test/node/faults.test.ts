import { randomInt } from "node:crypto";
import { appendFileSync, writeFileSync } from "node:fs";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { sleep } from "../../src/clock.js";
import { claudeTurn } from "../upstream/lines.js";
import { typeInPieces } from "../upstream/typing.js";
import { openWorld, until, type World } from "./world.js";

let world: World;
let file: string;
let enough: AbortController;
beforeEach(async () => {
  enough = new AbortController();
  world = await openWorld();
  file = world.claudeFile("thread");
  writeFileSync(file, claudeTurn("old"));
});
afterEach(async () => {
  enough.abort();
  await world.dispose();
});

/** Types turns in pieces that end anywhere, until the signal aborts. Returns the number. */
const type = (signal: AbortSignal) =>
  typeInPieces(file, { betweenPieces: () => sleep(randomInt(3)), betweenTurns: () => sleep(randomInt(5, 40)) }, signal);

const reads = () => world.proxy.traffic.filter(({ body }) => body.includes('"outcome":"READ"')).length;

describe("every human turn is reported exactly once", { timeout: 60_000 }, () => {
  it("when the node is killed again and again at random moments, and the server restarts in between", async () => {
    let node = await world.startNode();
    const session = await world.follow("thread");
    const typing = type(enough.signal);
    for (let round = 0; round < 4; round += 1) {
      const enoughReads = reads() + randomInt(1, 4);
      await until(() => reads() >= enoughReads, "some checks were reported");
      await sleep(randomInt(100));
      await node.end("SIGKILL");
      if (round === 2) await world.restartServer();
      node = await world.startNode();
    }
    enough.abort();
    const typed = await typing;
    await until(async () => (await world.turns(session)) >= typed, "all is told");
    const after = reads();
    appendFileSync(file, claudeTurn("one more"));
    await until(() => reads() > after, "one more is read");
    await until(async () => (await world.turns(session)) >= typed + 1, "and told");
    expect(await world.turns(session)).toBe(typed + 1);
    expect(await world.link(session)).toMatchObject({ skippedRows: 0, missedChecks: 0 });
  });

  it("when two nodes of one machine run under one name", async () => {
    await Promise.all([world.startNode(), world.startNode()]);
    const session = await world.follow("thread");
    const typing = type(enough.signal);
    await until(() => reads() >= 8, "both have read");
    enough.abort();
    const typed = await typing;
    await until(async () => (await world.turns(session)) >= typed, "all is told");
    const stale = world.proxy.traffic.length;
    await until(() => world.proxy.traffic.length > stale + 20, "both have looked again");
    expect(await world.turns(session)).toBe(typed);
  });

  it("when the answer to a report is lost and the node tries again", async () => {
    await world.startNode();
    const session = await world.follow("thread");
    const lost = world.proxy.loseAnswerTo('"outcome":"READ"');
    appendFileSync(file, claudeTurn("typed once"));
    await lost;
    expect(await world.turns(session)).toBe(1);
    appendFileSync(file, claudeTurn("typed after"));
    await until(async () => (await world.turns(session)) >= 2, "the next turn is told");
    expect(await world.turns(session)).toBe(2);
  });
});
