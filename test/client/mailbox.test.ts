import { describe, expect, test } from "vitest";
import { NoticeMailbox } from "../../src/client/mailbox.js";
import { noticeOf as notice } from "./scriptedServer.js";

describe("the client's mailbox", () => {
  test("it holds at most one undelivered notice per pair: the newest, in the place of the first", async () => {
    const mailbox = new NoticeMailbox();
    for (let version = 1; version <= 1_000; version++) {
      mailbox.push(notice("a", version));
      mailbox.push(notice("b", version));
    }
    expect(mailbox.size).toBe(2);
    expect((await mailbox.take()).value?.id).toBe("a@1000");
    expect((await mailbox.take()).value?.id).toBe("b@1000");
    expect(mailbox.size).toBe(0);
  });

  test("targets of one key and two agents are two pairs", () => {
    const mailbox = new NoticeMailbox();
    mailbox.push(notice("global", 1));
    mailbox.push({ ...notice("global", 2), targetAgentId: "other" });
    expect(mailbox.size).toBe(2);
  });

  test("takers that wait are served in their order", async () => {
    const mailbox = new NoticeMailbox();
    const both = [mailbox.take(), mailbox.take()];
    mailbox.push(notice("a", 1));
    mailbox.push(notice("a", 2));
    expect((await Promise.all(both)).map(({ value }) => value?.notified)).toEqual([1, 2]);
  });

  test("closing ends every taker and drops what is undelivered", async () => {
    const mailbox = new NoticeMailbox();
    const waiting = mailbox.take();
    mailbox.close();
    expect(await waiting).toEqual({ done: true, value: undefined });
    mailbox.push(notice("a", 1));
    expect(await mailbox.take()).toEqual({ done: true, value: undefined });
  });

  test("a failure is met after what is undelivered, once, and then the end", async () => {
    const mailbox = new NoticeMailbox();
    mailbox.push(notice("a", 1));
    mailbox.fail(new Error("refused"));
    expect((await mailbox.take()).value?.id).toBe("a@1");
    await expect(mailbox.take()).rejects.toThrow("refused");
    expect((await mailbox.take()).done).toBe(true);
  });
});
