import { onTestFinished } from "vitest";
import type { HeadsupClient, StaleNotice } from "../../src/client/index.js";
import { listening, openStream } from "../server/clients.js";

/** What one subscriber has been told, and a way to wait for more. */
export class Heard<Item> {
  readonly all: Item[] = [];
  #waiting: { enough(all: readonly Item[]): boolean; resolve(): void }[] = [];

  push(item: Item): void {
    this.all.push(item);
    const still = this.#waiting.filter(({ enough }) => !enough(this.all));
    const over = this.#waiting.filter((one) => !still.includes(one));
    this.#waiting = still;
    for (const { resolve } of over) resolve();
  }

  /** Resolves as soon as `enough` says so; asked again at each arrival. The test's own time limit is the bound. */
  until(enough: (all: readonly Item[]) => boolean): Promise<void> {
    if (enough(this.all)) return Promise.resolve();
    return new Promise((resolve) => this.#waiting.push({ enough, resolve }));
  }

  /** Resolves when each of these has arrived at least once. */
  untilAll(items: Iterable<Item>): Promise<void> {
    const missing = new Set(items);
    return this.until((all) => {
      for (const item of all) missing.delete(item);
      return missing.size === 0;
    });
  }
}

/** What a watcher is told over WebSocket until the client closes, in the order of arrival: of each notice what `of` names. */
export function hearOverWebSocket(
  client: HeadsupClient,
  watcherSessionKey: string,
  of: (notice: StaleNotice) => string = ({ targetSessionKey }) => targetSessionKey,
): Heard<string> {
  const heard = new Heard<string>();
  void (async () => {
    for await (const notice of client.staleNotices({ watcherSessionKey })) heard.push(of(notice));
  })();
  return heard;
}

/** The targets that a watcher is told of over SSE until the test is over. */
export async function hearOverEventStream(url: string, watcherSessionKey: string): Promise<Heard<string>> {
  const stream = await openStream(url, listening, { w: watcherSessionKey });
  onTestFinished(stream.leave);
  const left = new Promise<null>((resolve) => stream.request.once("close", () => resolve(null)));
  const heard = new Heard<string>();
  void (async () => {
    for (;;) {
      const event = await Promise.race([stream.next(), left]);
      if (event === null) return;
      heard.push(event.data.staleNotice.targetSessionKey);
    }
  })();
  return heard;
}
