import { quantile } from "../measure.js";
import {
  appendOperation,
  goalChanged,
  noticeSubscription,
  targetDigits,
  targetKey,
  targetPrefix,
} from "../operations.js";
import { serve } from "../worker.js";
import { openGraphQLSocket, subscribeFrame } from "./graphqlSocket.js";
import { WebSocketConnection } from "./webSocketConnection.js";

/** Where events go and where their notices are waited for; both are the same for a bare server that echoes. */
export type OpenLoopServers = { appendUrl: string; noticeUrl: string; watcher: string; bare: boolean };
export type OpenLoopResult = {
  /** Milliseconds from an event's sending to its notice's arrival. */
  p50: number;
  p99: number;
  /** Milliseconds by which sending ran behind its timetable, 99th percentile. */
  late: number;
};

const lostAfterMs = 10_000;
const mark = Buffer.from(targetPrefix);

let appending: WebSocketConnection | undefined;
let listening: WebSocketConnection | undefined;
let sentAt: number[] = [];
let latencies: number[] = [];
let settle: { count: number; resolve(): void; reject(error: Error): void } | undefined;

function onNotice(message: Buffer): void {
  const now = performance.now();
  const at = message.indexOf(mark);
  if (at < 0) return;
  const from = at + mark.length;
  const sent = sentAt[Number(message.toString("latin1", from, from + targetDigits))];
  if (sent === undefined) return; // of another generator's event
  latencies.push(now - sent);
  if (latencies.length === settle?.count) settle.resolve();
}

function onAnswer(message: Buffer): void {
  if (message.includes('"errors"') || message.includes('"recorded":false')) {
    settle?.reject(new Error(`an append failed: ${message}`));
  }
}

const frames = new Map<number, Buffer>();
function frameOf(index: number): Buffer {
  const known = frames.get(index);
  if (known !== undefined) return known;
  const frame = subscribeFrame(appendOperation(goalChanged(targetKey(index), "agent:bench:producer")), `a${index}`);
  frames.set(index, frame);
  return frame;
}

/** Sends `count` events on a timetable that does not wait for anybody. Returns how late each was, in milliseconds. */
async function sendOnTime(connection: WebSocketConnection, count: number, rate: number): Promise<number[]> {
  const late: number[] = [];
  const start = performance.now();
  for (let index = 0; index < count; index += 1) {
    const due = start + (index * 1_000) / rate;
    const wait = due - performance.now();
    if (wait > 0) await new Promise((resolve) => setTimeout(resolve, wait));
    const now = performance.now();
    late.push(now - due);
    sentAt[index] = now;
    connection.send(frameOf(index));
  }
  return late;
}

const commands = {
  async open({ appendUrl, noticeUrl, watcher, bare }: OpenLoopServers): Promise<void> {
    if (bare) {
      appending = await WebSocketConnection.open(appendUrl);
      appending.onMessage = onNotice;
      return;
    }
    appending = await openGraphQLSocket(appendUrl);
    appending.onMessage = onAnswer;
    listening = await openGraphQLSocket(noticeUrl);
    listening.onMessage = onNotice;
    listening.send(subscribeFrame(noticeSubscription(watcher)));
  },
  /** Appends one event to each of the first `count` targets, `rate` a second, and waits for all their notices. */
  async run({ count, rate }: { count: number; rate: number }): Promise<OpenLoopResult> {
    if (appending === undefined) throw new Error("nothing is open");
    sentAt = [];
    latencies = [];
    const complete = new Promise<void>((resolve, reject) => {
      settle = { count, resolve, reject };
    });
    for (const connection of [appending, listening]) {
      if (connection !== undefined) connection.onEnd = (error) => settle?.reject(error);
    }
    const [late] = await Promise.all([sendOnTime(appending, count, rate).then(giveUpLater), complete]);
    return { p50: quantile(latencies, 0.5), p99: quantile(latencies, 0.99), late: quantile(late, 0.99) };
  },
};
export type OpenLoopLoad = typeof commands;
serve(commands);

function giveUpLater(late: number[]): number[] {
  const expected = settle;
  const tell = () => expected?.reject(new Error(`${latencies.length} of ${expected.count} notices came`));
  setTimeout(tell, lostAfterMs).unref();
  return late;
}
