import { describe, expect, it } from "vitest";
import { Mailbox } from "../../src/awareness/mailbox.js";
import { Subscriber } from "../../src/awareness/subscriber.js";
import { identityOf } from "../../src/storage/newEvent.js";
import type { NoticeRecord } from "../../src/storage/records.js";

const watcherSessionKey = "agent:boss:main";

function notice(watchId: number, notified: number): NoticeRecord {
  const target = { targetSessionKey: `agent:worker${watchId}:main`, targetAgentId: `worker${watchId}` };
  return { watchId, watcherSessionKey, ...target, changesSince: 0, notified, openedAt: new Date(0) };
}

const endOf = ({ watchId, notified, ...pair }: NoticeRecord) => ({ ...pair, watchId, upTo: notified });
const targetsOf = (...notices: NoticeRecord[]) =>
  new Set(notices.map((each) => identityOf({ sessionKey: each.targetSessionKey, agentId: each.targetAgentId })));

describe("a mailbox", () => {
  it("holds one slot per watch: a newer notice replaces an older one and goes to the end", () => {
    const mailbox = new Mailbox();
    mailbox.offer(notice(1, 10));
    mailbox.offer(notice(2, 11));
    mailbox.offer(notice(1, 12));
    expect([mailbox.take(), mailbox.take(), mailbox.take()]).toEqual([notice(2, 11), notice(1, 12), undefined]);
  });

  it("delivers a notice once, however often it hears of it", () => {
    const mailbox = new Mailbox();
    for (let heard = 0; heard < 2; heard += 1) mailbox.offer(notice(1, 10));
    expect([mailbox.take(), mailbox.take()]).toEqual([notice(1, 10), undefined]);
    mailbox.offer(notice(1, 10));
    mailbox.replace([notice(1, 10)], null);
    expect(mailbox.take()).toBeUndefined();
  });

  it("forgets what is no longer pending, on the targets that were read and on no others", () => {
    const mailbox = new Mailbox();
    for (const each of [notice(1, 10), notice(2, 11), notice(3, 12)]) mailbox.offer(each);
    mailbox.replace([notice(3, 12)], targetsOf(notice(1, 0), notice(3, 0)));
    expect([mailbox.take(), mailbox.take(), mailbox.take()]).toEqual([notice(2, 11), notice(3, 12), undefined]);
  });

  it("an end up to a position leaves a notice beyond it", () => {
    for (const [upTo, left] of [
      [11, notice(1, 12)],
      [12, undefined],
    ] as const) {
      const mailbox = new Mailbox();
      mailbox.offer(notice(1, 12));
      mailbox.close(1, upTo);
      expect(mailbox.take()).toEqual(left);
    }
  });
});

describe("a subscriber", () => {
  const subscribe = () =>
    new Subscriber(watcherSessionKey, null, { ended: () => undefined, delivered: () => undefined });
  const nothingMore = async (subscriber: Subscriber) => {
    const next = subscriber.next();
    await subscriber.return();
    await expect(next).resolves.toEqual({ value: undefined, done: true });
  };

  it("delivers nothing while it reads, then what it read, then what was announced meanwhile", async () => {
    const subscriber = subscribe();
    const caughtUp = subscriber.catchUp();
    subscriber.hear({ opened: [notice(2, 20)] });
    const first = subscriber.next();
    caughtUp({ pending: [notice(1, 10)], targets: null });
    await expect(first).resolves.toMatchObject({ value: notice(1, 10) });
    await expect(subscriber.next()).resolves.toMatchObject({ value: notice(2, 20) });
    await nothingMore(subscriber);
  });

  it("a notice that was read and announced is delivered once", async () => {
    const subscriber = subscribe();
    const caughtUp = subscriber.catchUp();
    subscriber.hear({ opened: [notice(1, 10)] });
    caughtUp({ pending: [notice(1, 10)], targets: null });
    subscriber.hear({ opened: [notice(1, 10)] });
    await expect(subscriber.next()).resolves.toMatchObject({ value: notice(1, 10) });
    await nothingMore(subscriber);
  });

  it("a notice that was read but acknowledged meanwhile is not delivered", async () => {
    const subscriber = subscribe();
    const caughtUp = subscriber.catchUp();
    subscriber.hear({ closed: [endOf(notice(1, 10))] });
    caughtUp({ pending: [notice(1, 10)], targets: null });
    await nothingMore(subscriber);
  });

  it("what opens again after an acknowledgement during a read is delivered", async () => {
    const subscriber = subscribe();
    const caughtUp = subscriber.catchUp();
    subscriber.hear({ closed: [endOf(notice(1, 10))], opened: [notice(1, 12)] });
    caughtUp({ pending: [notice(1, 10)], targets: null });
    await expect(subscriber.next()).resolves.toMatchObject({ value: notice(1, 12) });
    await nothingMore(subscriber);
  });

  it("two reads at once: an older one that ends last takes nothing back", async () => {
    const subscriber = subscribe();
    const older = subscriber.catchUp();
    const newer = subscriber.catchUp();
    newer({ pending: [notice(1, 10)], targets: null });
    older({ pending: [], targets: null });
    await expect(subscriber.next()).resolves.toMatchObject({ value: notice(1, 10) });
    await nothingMore(subscriber);
  });

  it("a failed read keeps what was there and what was announced", async () => {
    const subscriber = subscribe();
    subscriber.hear({ opened: [notice(1, 10)] });
    const caughtUp = subscriber.catchUp();
    subscriber.hear({ opened: [notice(2, 11)] });
    caughtUp(null);
    await expect(subscriber.next()).resolves.toMatchObject({ value: notice(1, 10) });
    await expect(subscriber.next()).resolves.toMatchObject({ value: notice(2, 11) });
    await nothingMore(subscriber);
  });
});
