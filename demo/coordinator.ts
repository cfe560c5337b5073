import type { HeadsupClient, StaleNotice } from "../src/client/index.js";
import { cursorOf, humanWrites, log, othersLog, spawn, spell } from "./cast.js";
import type { Narrator } from "./narrator.js";
import type { Stage } from "./stage.js";

const patienceMs = 20_000;

type Scene = {
  client: HeadsupClient;
  narrator: Narrator;
  coordinator: string;
  worker: string;
  reviewer: string;
  /** The next notice of the coordinator's subscription. */
  nextNotice(): Promise<StaleNotice>;
  pending(): Promise<StaleNotice[]>;
};

/** A day of a coordinator: told once, reads the exact change, goes on. */
export async function coordinatorsDay({ client, key }: Stage, narrator: Narrator): Promise<void> {
  const coordinator = key("agent:lead:main");
  const notices = client.staleNotices({ watcherSessionKey: coordinator, signal: AbortSignal.timeout(patienceMs) });
  const scene: Scene = {
    client,
    narrator,
    coordinator,
    worker: key("agent:coder:subagent:parser"),
    reviewer: key("agent:critic:subagent:review"),
    pending: () => client.pendingNotices({ watcherSessionKey: coordinator }),
    async nextNotice() {
      const { done, value } = await notices.next();
      if (done) throw new Error(`no notice came within ${patienceMs} ms`);
      narrator.shows(`» ${value.text}`);
      return value;
    },
  };
  await othersLog(client, key("agent:other:main"), 3);
  const start = await spawnsWorkers(scene);
  const told = await humanStepsIn(scene, start);
  await drainsAndReconciles(scene, told);
  await hearsNothing(scene);
  await notices.return();
}

async function spawnsWorkers({ client, narrator, coordinator, worker, reviewer }: Scene): Promise<number> {
  narrator.step("The coordinator spawns a worker, and a reviewer");
  const spawned = await spawn(client, coordinator, worker);
  narrator.shows(spell(spawned));
  narrator.shows(spell(await spawn(client, coordinator, reviewer)));
  const { session } = await client.sessionStatus({ sessionKey: worker });
  narrator.claim("the worker's session says who spawned it", session?.spawnedBy, coordinator);
  const cursor = [spawned.sequence, spawned.sequence, spawned.sequence];
  narrator.claim("spawning seeded the coordinator's cursor", await cursorOf(client, coordinator, worker), cursor);
  return spawned.sequence;
}

async function humanStepsIn({ client, narrator, worker, reviewer, nextNotice, pending }: Scene, start: number) {
  narrator.step("It subscribes. A human writes to the worker directly, behind the coordinator's back");
  const arriving = nextNotice();
  narrator.shows(spell(await humanWrites(client, worker, "human message in the terminal, 1 of 3")));
  const told = await arriving;
  narrator.claim("the coordinator is told", [told.targetSessionKey, told.changesSince], [worker, start]);

  narrator.step("The human writes to the worker twice more, and then to the reviewer");
  narrator.shows(spell(await humanWrites(client, worker, "human message in the terminal, 2 of 3")));
  narrator.shows(spell(await humanWrites(client, worker, "human message in the terminal, 3 of 3")));
  narrator.shows(spell(await humanWrites(client, reviewer, "human message in the reviewer's terminal")));
  const { targetSessionKey } = await nextNotice();
  narrator.claim(
    "the next notice is the reviewer's: one for each session, not for each message",
    targetSessionKey,
    reviewer,
  );
  narrator.claim("the worker's notice has not changed by a byte", (await pending())[0], told);
  return told;
}

async function drainsAndReconciles(scene: Scene, told: StaleNotice): Promise<void> {
  const { client, narrator, coordinator, worker, reviewer, nextNotice, pending } = scene;
  narrator.step("The coordinator's next turn drains its notices, which acknowledges what it was shown");
  const { notices } = await client.drainNotices({ watcherSessionKey: coordinator });
  for (const { text } of notices) narrator.shows(text);
  const drained = notices.map(({ targetSessionKey }) => targetSessionKey);
  narrator.claim("it gets one for each session", drained, [worker, reviewer]);
  const rest = await nextNotice();
  narrator.claim("and one new notice opens, for the rest", rest.changesSince, told.notified);

  narrator.step(`It reads the exact delta, changesSince ${told.changesSince}, and reconciles`);
  let upTo = 0;
  const summaries: string[] = [];
  for await (const page of client.changes({ sessionKey: worker, changesSince: told.changesSince })) {
    for (const event of page.events) narrator.shows(spell(event));
    summaries.push(...page.events.map(({ summary }) => summary));
    upTo = page.stateVersion;
  }
  const written = [
    "human message in the terminal, 1 of 3",
    "human message in the terminal, 2 of 3",
    "human message in the terminal, 3 of 3",
  ];
  narrator.claim("those are the human's three messages, in order", summaries, written);
  await client.reconcile({ watcherSessionKey: coordinator, targetSessionKey: worker, upTo });
  narrator.claim("it is not told again of what it has read", await pending(), []);
}

async function hearsNothing({ client, narrator, coordinator, worker, reviewer, nextNotice, pending }: Scene) {
  const itself = { type: "AGENT", id: coordinator } as const;
  const system = { type: "SYSTEM" } as const;
  narrator.step("The coordinator changes the worker's goal itself");
  narrator.shows(spell(await log(client, { sessionKey: worker, kind: "GOAL_CHANGED", actor: itself })));
  narrator.claim("nobody is told of what they did themselves", await pending(), []);

  narrator.step("The worker compacts its context and completes its run");
  narrator.shows(spell(await log(client, { sessionKey: worker, kind: "COMPACTED", actor: system })));
  narrator.shows(spell(await log(client, { sessionKey: worker, kind: "RUN_COMPLETED", actor: system })));
  narrator.claim("that is logged, and notifies nobody", await pending(), []);

  narrator.step("A human thanks the reviewer");
  await humanWrites(client, reviewer, "human message in the reviewer's terminal");
  const { targetSessionKey } = await nextNotice();
  narrator.claim("so the next thing the subscription brings is the reviewer's", targetSessionKey, reviewer);
}
