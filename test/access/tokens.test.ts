import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pino } from "pino";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { createTokens } from "../../src/awareness/tokens.js";
import { systemClock } from "../../src/clock.js";
import { openDatabase } from "../../src/storage/openDatabase.js";
import { startPostgres, type TestPostgres } from "../support/postgres.js";
import { describeTokens } from "./tokensContract.js";

describe("tokens on SQLite", () => {
  let folder: string;
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), "headsup-"));
  });
  afterEach(() => rm(folder, { recursive: true, force: true }));

  describeTokens(() => openDatabase({ kind: "sqlite", file: join(folder, "tokens.db") }, { busyMs: 5_000 }));
});

describe("tokens on PostgreSQL", () => {
  let server: TestPostgres | undefined;
  let url: string;
  beforeAll(async () => {
    server = await startPostgres();
  }, 60_000);
  afterAll(() => server?.stop());
  beforeEach(async () => {
    url = (await server?.createDatabase()) ?? "";
  });

  describeTokens(() => openDatabase({ kind: "postgresql", url }, { busyMs: 5_000 }));

  test("while the database is away a token that is known stays good, and of another nobody can tell", async () => {
    const database = await openDatabase({ kind: "postgresql", url }, { busyMs: 1_000 });
    const log = pino({ level: "silent" });
    const tokens = createTokens({ database, clock: systemClock, log, pollMs: 10, adminSecret: null });
    tokens.start();
    const [known, other] = [
      await tokens.create({ name: "known", scopes: ["read"], agents: null }),
      await tokens.create({ name: "other", scopes: ["read"], agents: null }),
    ];
    await tokens.verify(known.secret, "TOKEN");
    await server?.restart(async () => {
      await expect(tokens.verify(other.secret, "TOKEN")).rejects.toMatchObject({ code: "SERVICE_UNAVAILABLE" });
      expect(await tokens.verify(known.secret, "TOKEN")).not.toBeNull();
    });
    expect(await tokens.verify(other.secret, "TOKEN")).not.toBeNull();
    await tokens.stop();
    await database.close();
  });
});
