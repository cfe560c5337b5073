import { join } from "node:path";
import { afterEach, describe, expect, test } from "vitest";
import { type ServerProcess, startServer } from "../faults/serverProcess.js";
import { freezableFolder, smallDisk, type TroubledFolder } from "./diskTrouble.js";

const database = "test.db";
const sessionKey = "agent:disk:main";
const append = `mutation ($input: AppendInput!) { append(input: $input) { recorded reason event { sequence } } }`;
const read = `query ($since: StateVersion) {
  sessionStatus(sessionKey: "${sessionKey}", changesSince: $since) {
    stateChanges { truncated nextChangesSince events { summary } }
  }
}`;

/** What that asks for. */
type Status = { stateChanges: { truncated: boolean; nextChangesSince: number; events: { summary: string }[] } };

let server: ServerProcess | undefined;
afterEach(() => server?.end("SIGKILL"));

/** Appends one event; true when it was acknowledged. Whatever else it is told, it must be this. */
async function tryToAppend(summary: string): Promise<boolean> {
  const input = { sessionKey, kind: "GOAL_CHANGED", actor: { type: "SYSTEM" }, summary };
  const { data, errors } = (await server?.call(append, { input })) ?? {};
  expect(errors).toBeUndefined();
  if (JSON.stringify(data?.append).includes('"recorded":true')) return true;
  expect(data?.append).toEqual({ recorded: false, reason: "STORAGE_UNAVAILABLE", event: null });
  return false;
}

async function allSummaries(): Promise<string[]> {
  const found: string[] = [];
  for (let since = 0, more = true; more; ) {
    const { data, errors } = (await server?.call(read, { since })) ?? {};
    expect(errors).toBeUndefined();
    const { stateChanges } = (data?.sessionStatus ?? {}) as Status;
    found.push(...stateChanges.events.map(({ summary }) => summary));
    since = stateChanges.nextChangesSince;
    more = stateChanges.truncated;
  }
  return found;
}

describe.each<[string, () => TroubledFolder | null]>([
  ["a full disk", smallDisk],
  ["a read-only disk", () => freezableFolder(database)],
])("%s", (what, make) => {
  test("takes no append, keeps every acknowledged one, leaves the process alive and is got over", async (context) => {
    const folder = make();
    if (folder === null) {
      context.skip(`${what} cannot be made here: that takes root, and a file system that knows how`);
      return;
    }
    try {
      server = await startServer(join(folder.path, database));
      const acknowledged: string[] = [];
      const note = async (summary: string) => {
        const recorded = await tryToAppend(summary);
        if (recorded) acknowledged.push(summary);
        return recorded;
      };
      for (let each = 0; each < 50; each += 1) expect(await note(`before ${each}`)).toBe(true);

      folder.break();
      // A log file that has been written before may have room left.
      for (let each = 0; await note(`last ${each}`); each += 1) expect(each).toBeLessThan(10_000);
      for (let each = 0; each < 20; each += 1) await note(`during ${each}`);
      expect(await allSummaries()).toEqual(acknowledged);

      folder.mend();
      for (let each = 0; each < 50; each += 1) expect(await note(`after ${each}`)).toBe(true);
      expect(await allSummaries()).toEqual(acknowledged);

      await server.end("SIGKILL");
      server = await startServer(join(folder.path, database));
      expect(await allSummaries()).toEqual(acknowledged);
    } finally {
      await server?.end("SIGKILL");
      folder.remove();
    }
  });
});
