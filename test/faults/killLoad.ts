import { randomInt } from "node:crypto";
import type { GraphqlAnswer, ServerProcess } from "./serverProcess.js";

export const targets = ["agent:main:one", "agent:main:two", "agent:main:three"] as const;
/** Takes no notices: its cursors follow from the log alone. Causes events itself. */
export const patientWatcher = "agent:main:patient";
/** Drains all the time. */
export const drainingWatcher = "agent:main:draining";

const appendMany = `mutation ($inputs: [AppendInput!]!) {
  appendMany(inputs: $inputs) { recorded duplicate event { sequence } }
}`;
const drain = `mutation ($input: DrainNoticesInput!) {
  drainNotices(input: $input) { notices { targetSessionKey notified } }
}`;
const deleteSession = "mutation ($input: SessionInput!) { deleteSession(input: $input) { deleted } }";
const watch = "mutation ($input: WatchInput!) { watch(input: $input) { watched } }";

type Appended = { recorded: boolean; duplicate: boolean; event: { sequence: number } | null };
type Input = { sessionKey: string; kind: string; actor: object; summary: string; dedupeKey: string };

/** What the clients know after any number of rounds: only what a server has answered. */
export class Clients {
  /** The sequence of every answered event, by its dedupe key, which is its summary too. */
  readonly answered = new Map<string, number>();
  /** Per target, the highest position whose notice was handed out by an answered drain. */
  readonly drained = new Map<string, number>();
  /** Calls that a kill left without an answer: each client sends its own again. */
  private readonly open = new Map<number, Input[]>();
  /** Who got which number, events of deleted sessions too. */
  private readonly owners = new Map<number, string>();
  private highest = 0;
  /** Numbers given in this round are above every number answered before it. */
  private floor = 0;
  private sent = 0;

  async watchAll(server: ServerProcess): Promise<void> {
    for (const watcherSessionKey of [patientWatcher, drainingWatcher]) {
      for (const targetSessionKey of targets) {
        await server.call(watch, { input: { watcherSessionKey, targetSessionKey } });
      }
    }
  }

  /** Loads the server until it is gone; `onAnswer` is told of every answered call. */
  async loadUntilGone(server: ServerProcess, onAnswer: () => void): Promise<void> {
    // Alone on the server, so that the number really is the highest.
    await this.appendAndDelete(server);
    this.floor = this.highest;
    const appending = Array.from({ length: 6 }, (_, client) => this.appendUntilGone(server, client, onAnswer));
    await Promise.all([...appending, this.drainUntilGone(server), this.deleteUntilGone(server)]);
  }

  /** The calls without an answer are sent once more, and now have one. */
  async settle(server: ServerProcess): Promise<void> {
    for (const client of this.open.keys()) await this.sendOne(server, client);
  }

  private async appendUntilGone(server: ServerProcess, client: number, onAnswer: () => void): Promise<void> {
    while (await this.sendOne(server, client)) onAnswer();
  }

  private async sendOne(server: ServerProcess, client: number): Promise<boolean> {
    const inputs = this.open.get(client) ?? this.newInputs(client);
    this.open.set(client, inputs);
    const answer = await server.call(appendMany, { inputs }).catch(() => null);
    if (answer === null) return false;
    const results = answerOf<Appended[]>(answer, "appendMany");
    for (const [index, { dedupeKey }] of inputs.entries()) {
      this.answered.set(dedupeKey, this.remember(dedupeKey, results[index]));
    }
    this.open.delete(client);
    return true;
  }

  private remember(name: string, result: Appended | undefined): number {
    const sequence = result?.event?.sequence;
    if (result === undefined || sequence === undefined) throw new Error(`${name} was not recorded`);
    const owner = this.owners.get(sequence);
    if (owner !== undefined && owner !== name) throw new Error(`${name} got ${sequence}, the number of ${owner}`);
    if (!result.duplicate && sequence <= this.floor) throw new Error(`${name} got ${sequence} after ${this.floor}`);
    this.owners.set(sequence, name);
    this.highest = Math.max(this.highest, sequence);
    return sequence;
  }

  private newInputs(client: number): Input[] {
    return Array.from({ length: randomInt(1, 5) }, () => {
      this.sent += 1;
      const name = `client ${client} event ${this.sent}`;
      const id = randomInt(4) === 0 ? patientWatcher : undefined;
      return {
        sessionKey: targets[randomInt(targets.length)] ?? targets[0],
        kind: ["GOAL_CHANGED", "HUMAN_DIRECT_MESSAGE", "RUN_COMPLETED"][randomInt(3)] ?? "",
        actor: { type: id === undefined ? "HUMAN" : "AGENT", id },
        summary: name,
        dedupeKey: name,
      };
    });
  }

  private async deleteUntilGone(server: ServerProcess): Promise<void> {
    while (await this.appendAndDelete(server));
  }

  /** Deleting what holds the highest number is what would let a database give it out again. */
  private async appendAndDelete(server: ServerProcess): Promise<boolean> {
    const session = { sessionKey: "agent:main:scratch" };
    const event = { ...session, kind: "GOAL_CHANGED", actor: { type: "HUMAN" } };
    const answer = await server.call(appendMany, { inputs: [event] }).catch(() => null);
    if (answer === null) return false;
    this.sent += 1;
    this.remember(`scratch ${this.sent}`, answerOf<Appended[]>(answer, "appendMany")[0]);
    return (await server.call(deleteSession, { input: session }).catch(() => null)) !== null;
  }

  private async drainUntilGone(server: ServerProcess): Promise<void> {
    for (;;) {
      const input = { watcherSessionKey: drainingWatcher, limit: randomInt(1, 3) };
      const answer = await server.call(drain, { input }).catch(() => null);
      if (answer === null) return;
      const { notices } = answerOf<{ notices: { targetSessionKey: string; notified: number }[] }>(
        answer,
        "drainNotices",
      );
      for (const { targetSessionKey, notified } of notices) {
        if (notified <= (this.drained.get(targetSessionKey) ?? 0)) throw new Error("a notice was drained twice");
        this.drained.set(targetSessionKey, notified);
      }
    }
  }
}

export function answerOf<Value>(answer: GraphqlAnswer, field: string): Value {
  if (answer.data === null || answer.errors !== undefined) throw new Error(JSON.stringify(answer.errors));
  return answer.data[field] as Value;
}
