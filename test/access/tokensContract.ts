import { setImmediate } from "node:timers/promises";
import { pino } from "pino";
import { afterEach, beforeEach, expect, test } from "vitest";
import { createTokens, type Tokens } from "../../src/awareness/tokens.js";
import type { Database } from "../../src/storage/database.js";
import { sql } from "../../src/storage/sql.js";

const admin = { scopes: ["admin"], agents: null } as const;
const reader = { name: "reader", scopes: ["read"], agents: ["coder"] } as const;
const minuteMs = 60_000;
const dayMs = 24 * 60 * minuteMs;

/** What is promised of tokens, on any database. `open` opens the test's own, as often as it is called. */
export function describeTokens(open: () => Promise<Database>): void {
  let now: number;
  let databases: Database[];
  let opened: Tokens[];
  let tokens: Tokens;
  /** As another process on the same database. */
  let elsewhere: Tokens;

  async function openTokens(options: { adminSecret?: string; heldMax?: number } = {}): Promise<Tokens> {
    const database = await open();
    databases.push(database);
    const clock = { now: () => new Date(now) };
    const log = pino({ level: "silent" });
    const desk = createTokens({ database, clock, log, pollMs: 10, adminSecret: null, ...options });
    desk.start();
    opened.push(desk);
    return desk;
  }
  beforeEach(async () => {
    now = Date.parse("2026-11-30T12:00:00Z");
    databases = [];
    opened = [];
    tokens = await openTokens();
    elsewhere = await openTokens();
  });
  afterEach(async () => {
    for (const desk of opened) await desk.stop();
    for (const database of databases) await database.close();
  });

  const rowsAsText = async () =>
    JSON.stringify(await databases[0]?.read.query(sql`SELECT * FROM access_tokens`), (_key, value) =>
      typeof value === "bigint" ? String(value) : value,
    );

  test("a token is shown once and stored as a hash", async () => {
    const { secret, token } = await tokens.create(reader);
    expect(await rowsAsText()).toContain(token.id);
    expect(await rowsAsText()).not.toContain(secret.slice(4, 20));
    expect(JSON.stringify(await tokens.list())).not.toMatch(/hup_|hash/i);
  });

  test("a token has a name, scopes and agents, and is good on every process", async () => {
    const { secret } = await tokens.create(reader);
    const grant = await elsewhere.verify(secret, "TOKEN");
    expect(grant?.viewer).toMatchObject({ name: "reader", scopes: new Set(["read"]), agents: new Set(["coder"]) });
  });

  test("admin includes read and write, for all agents", async () => {
    const { secret } = await tokens.create({ name: "boss", ...admin });
    const grant = await tokens.verify(secret, "TOKEN");
    expect(grant?.viewer).toMatchObject({ scopes: new Set(["read", "write", "admin"]), agents: null });
  });

  test("an unknown, a mistyped and an empty token are nobody's", async () => {
    const { secret } = await tokens.create(reader);
    const { secret: unknown } = await tokens.create({ ...reader, name: "gone" });
    await databases[0]?.write((tx) => tx.execute(sql`DELETE FROM access_tokens WHERE name = 'gone'`));
    for (const text of [
      unknown,
      secret.slice(0, -1),
      `${secret}x`,
      secret.toLowerCase(),
      "",
      "hup_",
      "x".repeat(10_000),
    ]) {
      expect(await tokens.verify(text, "TOKEN")).toBeNull();
    }
  });

  test("a configured secret is an admin's, and nothing near it is", async () => {
    const secret = "correct horse battery staple, and more";
    const desk = await openTokens({ adminSecret: secret });
    expect((await desk.verify(secret, "TOKEN"))?.viewer.scopes.has("admin")).toBe(true);
    for (const near of [`${secret} `, secret.slice(1), secret.toUpperCase()]) {
      expect(await desk.verify(near, "TOKEN")).toBeNull();
    }
    expect(await desk.verify(secret, "SESSION")).toBeNull();
    expect(await rowsAsText()).toBe("[]");
  });

  test.each([
    ["id", (token: { id: string }) => token.id],
    ["name", () => "reader"],
  ])("revoking by %s ends it here at once, and whoever listens is told", async (_what, nameOf) => {
    const { secret, token } = await tokens.create(reader);
    const grant = await tokens.verify(secret, "TOKEN");
    let told = 0;
    grant?.onOver(() => {
      told += 1;
    });
    expect(await tokens.revoke(nameOf(token))).toMatchObject({ id: token.id });
    expect(told).toBe(1);
    expect(await tokens.verify(secret, "TOKEN")).toBeNull();
    expect(await elsewhere.verify(secret, "TOKEN")).toBeNull();
    expect(await tokens.revoke(nameOf(token))).toBeNull();
  });

  test("a token that another process revokes is over here too, and whoever listens is told", async () => {
    const { secret } = await tokens.create(reader);
    const grant = await tokens.verify(secret, "TOKEN");
    const over = new Promise<void>((resolve) => grant?.onOver(resolve));
    await elsewhere.revoke("reader");
    await over;
    expect(await tokens.verify(secret, "TOKEN")).toBeNull();
  });

  test("listening to a token that is over is answered at once", async () => {
    const { secret } = await tokens.create(reader);
    const grant = await tokens.verify(secret, "TOKEN");
    await tokens.revoke("reader");
    await new Promise<void>((resolve) => grant?.onOver(resolve));
  });

  test("who has stopped listening is not told", async () => {
    const { secret } = await tokens.create(reader);
    const grant = await tokens.verify(secret, "TOKEN");
    grant?.onOver(() => expect.fail("told although it had stopped listening"))();
    await tokens.revoke("reader");
  });

  test("a token that expires is over at that moment, and whoever listens is told", async () => {
    const { secret } = await tokens.create({ ...reader, expiresAt: new Date(now + dayMs) });
    const grant = await tokens.verify(secret, "TOKEN");
    const over = new Promise<void>((resolve) => grant?.onOver(resolve));
    now += dayMs - 1;
    expect(await tokens.verify(secret, "TOKEN")).not.toBeNull();
    now += 1;
    await over;
    expect(await tokens.verify(secret, "TOKEN")).toBeNull();
  });

  test("two living tokens never have one name; after revoking it is free again", async () => {
    await tokens.create(reader);
    await expect(elsewhere.create(reader)).rejects.toMatchObject({ code: "BAD_USER_INPUT", field: "name" });
    await tokens.revoke("reader");
    await elsewhere.create(reader);
    expect((await tokens.list()).map(({ name }) => name)).toEqual(["reader", "reader"]);
  });

  test.each([
    ["no name", { ...reader, name: "" }, "name"],
    ["a name of two lines", { ...reader, name: "a\nb" }, "name"],
    ["a long name", { ...reader, name: "x".repeat(65) }, "name"],
    ["a name like an id", { ...reader, name: "0123456789ab" }, "name"],
    ["no scope", { ...reader, scopes: [] }, "scopes"],
    ["no agent", { ...reader, agents: [] }, "agents"],
    ["an agent that is none", { ...reader, agents: ["a:b"] }, "agents"],
    ["an admin of one agent", { ...reader, scopes: ["admin"] as const }, "agents"],
    ["a time that has passed", { ...reader, expiresAt: new Date(0) }, "expiresAt"],
  ])("a token with %s is refused", async (_what, request, field) => {
    await expect(tokens.create(request)).rejects.toMatchObject({ code: "BAD_USER_INPUT", field });
    expect(await tokens.list()).toEqual([]);
  });

  test("the first start makes one admin token, however many processes start at once", async () => {
    const kept: string[] = [];
    const keep = async (secret: string) => void kept.push(secret);
    const made = await Promise.all([tokens, elsewhere, await openTokens()].map((desk) => desk.createFirst(keep)));
    expect(made.filter((token) => token !== null)).toHaveLength(1);
    expect(kept).toHaveLength(1);
    expect((await elsewhere.verify(kept[0] ?? "", "TOKEN"))?.viewer.scopes.has("admin")).toBe(true);
    await tokens.revoke("admin");
    expect(await tokens.createFirst(keep)).toBeNull();
  });

  test("where the first token cannot be written down, none is made", async () => {
    await expect(tokens.createFirst(() => Promise.reject(new Error("disk full")))).rejects.toThrow("disk full");
    expect(await tokens.list()).toEqual([]);
    expect(await tokens.createFirst(async () => {})).not.toBeNull();
  });

  test("a login link works once, also when many browsers open it at once", async () => {
    const { code } = await tokens.createLogin(admin);
    const sessions = await Promise.all([tokens, elsewhere, tokens, elsewhere].map((desk) => desk.redeemLogin(code)));
    const [session, ...more] = sessions.filter((each) => each !== null);
    expect(more).toEqual([]);
    expect((await elsewhere.verify(session?.secret ?? "", "SESSION"))?.viewer.scopes.has("admin")).toBe(true);
    expect(await tokens.redeemLogin(code)).toBeNull();
  });

  test("a login link works for 10 minutes", async () => {
    const [early, late] = [await tokens.createLogin(admin), await tokens.createLogin(admin)];
    now += 10 * minuteMs - 1;
    expect(await tokens.redeemLogin(early.code)).not.toBeNull();
    now += 1;
    expect(await tokens.redeemLogin(late.code)).toBeNull();
  });

  test("a login link, a browser's session and a token never stand in for each other", async () => {
    const { secret: token } = await tokens.create(reader);
    const { code } = await tokens.createLogin(admin);
    expect(await tokens.redeemLogin(token)).toBeNull();
    for (const kind of ["TOKEN", "SESSION"] as const) expect(await tokens.verify(code, kind)).toBeNull();
    const session = await tokens.redeemLogin(code);
    expect(await tokens.verify(session?.secret ?? "", "TOKEN")).toBeNull();
    expect(await tokens.verify(token, "SESSION")).toBeNull();
  });

  test("a browser's session is listed, has the rights of its link, and can be revoked", async () => {
    const { code } = await tokens.createLogin({ scopes: ["read"], agents: ["coder"] });
    const session = await tokens.redeemLogin(code);
    const [listed] = await tokens.list();
    expect(listed).toMatchObject({ kind: "SESSION", scopes: ["read"], agents: ["coder"] });
    await elsewhere.revoke(listed?.id ?? "");
    expect(await elsewhere.verify(session?.secret ?? "", "SESSION")).toBeNull();
  });

  test("the last use is noted", async () => {
    const { secret } = await tokens.create(reader);
    expect((await tokens.list())[0]?.lastUsedAt).toBeNull();
    await tokens.verify(secret, "TOKEN");
    let [listed] = await elsewhere.list();
    while (listed?.lastUsedAt === null) {
      await setImmediate(); // SQLite answers without a turn of the loop; the test's own timeout bounds this
      [listed] = await elsewhere.list();
    }
    expect(listed?.lastUsedAt).toEqual(new Date(now));
  });

  test("a token that others have pushed out of memory is still over for whoever listens", async () => {
    const desk = await openTokens({ heldMax: 1 });
    const { secret } = await tokens.create(reader);
    const grant = await desk.verify(secret, "TOKEN");
    for (const name of ["a", "b"]) await desk.verify((await tokens.create({ ...reader, name })).secret, "TOKEN");
    const over = new Promise<void>((resolve) => grant?.onOver(resolve));
    await elsewhere.revoke("reader");
    await over;
  });
}
