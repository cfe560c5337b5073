import { expect, onTestFinished, test, vi } from "vitest";
import type { AppendInput, HeadsupClient } from "../../src/client/index.js";
import { watchAll } from "./describeCrossing.js";
import { type Heard, hearOverWebSocket } from "./heard.js";
import type { Pair } from "./pair.js";

const watchers = Array.from({ length: 8 }, (_, n) => `agent:w${n}:killed`);
const targets = Array.from({ length: 6 }, (_, n) => `agent:t${n}:killed`);

/** One of two server processes dies; the other works on. */
export function describeKilledServer(pair: Pair): void {
  test("a server that is killed under load loses nothing answered; its subscribers come back and are told of all that is pending", async () => {
    // How long a client waits before it connects anew is random; here it is short.
    const random = vi.spyOn(Math, "random").mockReturnValue(0.05);
    onTestFinished(() => random.mockRestore());
    for (const watcher of watchers) await watchAll(pair.clients[0], watcher, targets);
    const states: string[] = [];
    const client = pair.servers[1].client({ onConnection: (state) => states.push(state) });
    const heard = new Map<string, Heard<string>>();
    for (const watcher of watchers)
      heard.set(
        watcher,
        hearOverWebSocket(client, watcher, ({ id }) => id),
      );

    const load = new Load();
    const through = pair.clients.flatMap((each) => [load.append(each), load.append(each), load.drain(each)]);
    await load.until(60);
    await pair.servers[1].end("SIGKILL");
    await load.until(load.answered.size + 20);
    await pair.restartSecond();
    await load.until(load.answered.size + 20);
    load.stop();
    await Promise.all(through);

    const log = await wholeLog(pair.clients[0]);
    expect(new Set(log.values()).size, "no event twice").toBe(log.size);
    expect([...load.answered].filter(([name, sequence]) => log.get(sequence) !== name)).toEqual([]);
    for (const watcher of watchers) {
      const { nodes } = await pair.clients[1].watches({ watcherSessionKey: watcher });
      for (const { targetSessionKey, lastSeen } of nodes) {
        expect(lastSeen).toBeGreaterThanOrEqual(load.drained.get(`${watcher} ${targetSessionKey}`) ?? 0);
      }
      const pending = await pair.clients[1].pendingNotices({ watcherSessionKey: watcher });
      await heard.get(watcher)?.untilAll(pending.map(({ id }) => id));
    }
    expect(new Set(states)).toEqual(new Set(["connected", "reconnecting"]));
    expect(states.at(-1)).toBe("connected");
  }, 60_000);
}

/** What clients know after it: only what was answered. */
class Load {
  /** The sequence of each answered event, by its name. */
  readonly answered = new Map<string, number>();
  /** The position of the last notice that an answered drain handed out, by pair. */
  readonly drained = new Map<string, number>();
  #stopped = false;
  #sent = 0;
  #waiting: { count: number; resolve(): void }[] = [];

  stop(): void {
    this.#stopped = true;
  }

  /** Resolves when so many events have been answered. */
  until(count: number): Promise<void> {
    return new Promise((resolve) => this.#waiting.push({ count, resolve }));
  }

  /** Appends until it is stopped or its server is gone. */
  async append(client: HeadsupClient): Promise<void> {
    while (!this.#stopped) {
      this.#sent += 1;
      const name = `event ${this.#sent}`;
      const sessionKey = targets[this.#sent % targets.length] ?? "";
      const input: AppendInput = { sessionKey, kind: "GOAL_CHANGED", actor: { type: "SYSTEM" }, summary: name };
      const answer = await client.append(input).catch(() => null);
      if (answer === null) return;
      if (answer.event === null) throw new Error(`${name} was not recorded`);
      this.answered.set(name, answer.event.sequence);
      for (const { count, resolve } of this.#waiting) if (this.answered.size >= count) resolve();
    }
  }

  async drain(client: HeadsupClient): Promise<void> {
    for (let turn = 0; !this.#stopped; turn += 1) {
      const watcherSessionKey = watchers[turn % watchers.length] ?? "";
      const answer = await client.drainNotices({ watcherSessionKey, limit: 2 }).catch(() => null);
      if (answer === null) return;
      for (const { targetSessionKey, notified } of answer.notices) {
        const pair = `${watcherSessionKey} ${targetSessionKey}`;
        this.drained.set(pair, Math.max(notified, this.drained.get(pair) ?? 0));
      }
    }
  }
}

/** The names of all events, by sequence. */
async function wholeLog(client: HeadsupClient): Promise<Map<number, string>> {
  const log = new Map<number, string>();
  for (const sessionKey of targets) {
    for await (const { events } of client.changes({ sessionKey, changesSince: 0 })) {
      for (const { sequence, summary } of events) log.set(sequence, summary);
    }
  }
  return log;
}
