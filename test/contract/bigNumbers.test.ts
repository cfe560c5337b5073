import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import Database from "better-sqlite3";
import { afterAll, expect, it } from "vitest";
import { startTestService } from "../support/server.js";

const folder = mkdtempSync(join(tmpdir(), "headsup-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

it.each([2 ** 31 - 2, 2 ** 40, 2 ** 53 - 100])("sequences beyond %d go through end to end", async (issued) => {
  const file = join(folder, `${issued}.db`);
  const env = { DATABASE_URL: `file:${file}` };
  await (await startTestService({ env })).stop();
  const database = new Database(file);
  database.prepare("INSERT INTO sqlite_sequence (name, seq) VALUES ('session_state_events', ?)").run(BigInt(issued));
  database.close();

  const service = await startTestService({ env });
  const watch = `mutation { watch(input: { watcherSessionKey: "agent:a:b", targetSessionKey: "agent:c:d" }) { watched } }`;
  await service.gql(watch);
  const append = `mutation { append(input: { sessionKey: "agent:c:d", kind: GOAL_CHANGED, actor: { type: SYSTEM } }) { event { sequence } } }`;
  const numbers = [];
  for (let i = 0; i < 3; i += 1) numbers.push((await service.gql(append)).data.append.event.sequence);
  expect(numbers).toEqual([issued + 1, issued + 2, issued + 3]);

  const read = await service.gql(
    `query ($since: StateVersion) { sessionStatus(sessionKey: "agent:c:d", changesSince: $since) {
      stateVersion session { stateVersion } stateChanges { events { sequence } nextChangesSince } } }`,
    { since: numbers[0] },
  );
  expect(read.data.sessionStatus).toEqual({
    stateVersion: numbers[2],
    session: { stateVersion: numbers[2] },
    stateChanges: { events: [{ sequence: numbers[1] }, { sequence: numbers[2] }], nextChangesSince: numbers[2] },
  });

  const drain = `mutation { drainNotices(input: { watcherSessionKey: "agent:a:b" }) { remaining notices { id changesSince notified text } } }`;
  const [notice] = (await service.gql(drain)).data.drainNotices.notices;
  expect(notice).toMatchObject({ changesSince: 0, notified: numbers[0] });
  const reconcile = `mutation { reconcile(input: { watcherSessionKey: "agent:a:b", targetSessionKey: "agent:c:d", upTo: ${numbers[2]} }) { watch { lastSeen notified material pending } } }`;
  const top = numbers[2];
  expect((await service.gql(reconcile)).data.reconcile.watch).toEqual({
    lastSeen: top,
    notified: top,
    material: top,
    pending: false,
  });
  await service.stop();
});
