import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import Database from "better-sqlite3";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { startOnFile } from "../support/domain.js";
import { refusedStart } from "./serverProcess.js";

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "headsup-start-"));
});
afterEach(async () => {
  await rm(folder, { recursive: true, force: true });
});

// Permissions are no barrier for root, so these places are ones where nobody at all can make a file.
describe("a start where no database can be made", () => {
  async function belowAFile(): Promise<string> {
    const plain = join(folder, "plain");
    await writeFile(plain, "not a folder");
    return join(plain, "data", "test.db");
  }

  it("is refused with one clear line below something that is no folder", async () => {
    const file = await belowAFile();
    await expect(startOnFile(file)).rejects.toMatchObject({ name: "StartError", message: oneLineAbout(file) });
  });

  it("is refused with one clear line where a folder has the file's name", async () => {
    await expect(startOnFile(folder)).rejects.toMatchObject({ name: "StartError", message: oneLineAbout(folder) });
  });

  it.runIf(process.platform === "linux").each(["/proc/headsup-test.db", "/proc/nowhere/headsup-test.db"])(
    "is refused with one clear line in a folder that takes no files: %s",
    async (file) => {
      await expect(startOnFile(file)).rejects.toMatchObject({ name: "StartError", message: oneLineAbout(file) });
    },
  );

  it("ends the process with a failure and that one line on standard error", async () => {
    const file = await belowAFile();
    const { code, stdout, stderr } = await refusedStart(file);
    expect(code).toBeGreaterThan(0);
    expect(stdout).toBe("");
    expect(stderr.trimEnd()).toEqual(oneLineAbout(file));
  });
});

describe("a database that a newer version has written", () => {
  it("is refused with one clear line and left as it is, byte for byte", async () => {
    const file = join(folder, "test.db");
    await (await startOnFile(file)).stop();
    addMigration(file, "99990101000000_future");
    const before = await readFile(file);

    await expect(startOnFile(file)).rejects.toMatchObject({
      name: "StartError",
      message: oneLineAbout("99990101000000_future"),
    });
    expect((await readFile(file)).equals(before)).toBe(true);

    const { code, stderr } = await refusedStart(file);
    expect(code).toBeGreaterThan(0);
    expect(stderr.trimEnd()).toEqual(oneLineAbout("99990101000000_future"));
    expect((await readFile(file)).equals(before)).toBe(true);
  });
});

function oneLineAbout(text: string) {
  const literal = text.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");
  return expect.stringMatching(new RegExp(`^[^\\n]*${literal}[^\\n]*$`));
}

function addMigration(file: string, name: string): void {
  const database = new Database(file);
  database
    .prepare(
      `INSERT INTO "_prisma_migrations" (id, checksum, migration_name, started_at, finished_at, applied_steps_count)
       VALUES ('future', 'unknown', ?, 0, 0, 1)`,
    )
    .run(name);
  database.close();
}
