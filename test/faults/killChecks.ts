import { expect } from "vitest";
import type { SessionEventKind } from "../../src/awareness/awareness.js";
import { ReferenceModel } from "../model/referenceModel.js";
import { answerOf, type Clients, drainingWatcher, patientWatcher, targets } from "./killLoad.js";
import type { ServerProcess } from "./serverProcess.js";

type Logged = { sessionKey: string; sequence: number; kind: SessionEventKind; actorId: string | null; summary: string };
type Changes = { events: Logged[]; truncated: boolean; nextChangesSince: number };
type Position = { targetSessionKey: string; lastSeen: number; notified: number; material: number };
type Notice = { targetSessionKey: string; changesSince: number; notified: number };

const status = `query ($key: ID!, $since: StateVersion!) { sessionStatus(sessionKey: $key, changesSince: $since) {
  stateChanges { truncated nextChangesSince events { sessionKey sequence kind actorId summary } } } }`;
const watches = `query ($watcher: ID!) { watches(watcherSessionKey: $watcher) {
  nodes { targetSessionKey lastSeen notified material } } }`;
const pending = `query ($watcher: ID!) { pendingNotices(watcherSessionKey: $watcher) {
  targetSessionKey changesSince notified } }`;

/** What a restarted server shows, against what its clients know: nothing missing, nothing twice, no notice lost. */
export async function compareWithLog(server: ServerProcess, clients: Clients): Promise<void> {
  const log = await wholeLog(server);
  const found = new Map(log.map(({ summary, sequence }) => [summary, sequence]));
  expect(found.size, "each event is in the log once").toBe(log.length);
  const lost = [...clients.answered].filter(([name, sequence]) => found.get(name) !== sequence);
  expect(lost, "answered events that are not in the log under their number").toEqual([]);

  const model = replay(log);
  await comparePatient(server, model);
  await compareDraining(server, model, clients);
}

async function wholeLog(server: ServerProcess): Promise<Logged[]> {
  const log: Logged[] = [];
  for (const key of targets) {
    let changes: Changes = { events: [], truncated: true, nextChangesSince: 0 };
    while (changes.truncated) {
      const answer = await server.call(status, { key, since: changes.nextChangesSince });
      changes = answerOf<{ stateChanges: Changes }>(answer, "sessionStatus").stateChanges;
      log.push(...changes.events);
    }
  }
  return log.sort((a, b) => a.sequence - b.sequence);
}

/** Both watchers watch from before the first event on, and nobody takes a notice. */
function replay(log: readonly Logged[]): ReferenceModel {
  const model = new ReferenceModel(new Date(), Number.POSITIVE_INFINITY);
  for (const watcherSessionKey of [patientWatcher, drainingWatcher]) {
    for (const targetSessionKey of targets) model.watch({ watcherSessionKey, targetSessionKey });
  }
  for (const { sessionKey, kind, actorId, sequence } of log) {
    model.append({ sessionKey, kind, actor: { type: "SYSTEM", id: actorId } }, sequence);
  }
  return model;
}

async function comparePatient(server: ServerProcess, model: ReferenceModel): Promise<void> {
  const own = model.allWatches().filter((watch) => watch.watcherSessionKey === patientWatcher);
  const expected = own.map(({ targetSessionKey, lastSeen, notified, material }) => ({
    targetSessionKey,
    lastSeen,
    notified,
    material,
  }));
  expect(byTarget(await positions(server, patientWatcher))).toEqual(byTarget(expected));
  const notices = model.pendingNotices(patientWatcher).map(({ targetSessionKey, changesSince, notified }) => ({
    targetSessionKey,
    changesSince,
    notified,
  }));
  expect(byTarget(await pendingOf(server, patientWatcher))).toEqual(byTarget(notices));
}

/**
 * Which drains a kill let through nobody knows; but an answered one is never undone, and material that was not
 * handed out is pending.
 */
async function compareDraining(server: ServerProcess, model: ReferenceModel, clients: Clients): Promise<void> {
  const shown = await positions(server, drainingWatcher);
  expect(shown).toHaveLength(targets.length);
  for (const { targetSessionKey, lastSeen, notified, material } of shown) {
    const watch = model
      .allWatches()
      .find((one) => one.watcherSessionKey === drainingWatcher && one.targetSessionKey === targetSessionKey);
    expect(material).toBe(watch?.material);
    expect(lastSeen).toBeGreaterThanOrEqual(clients.drained.get(targetSessionKey) ?? 0);
    expect(notified > lastSeen, `pending at ${lastSeen}/${notified}/${material}`).toBe(material > lastSeen);
  }
  const unread = shown.filter(({ lastSeen, notified }) => notified > lastSeen);
  const expected = unread.map(({ targetSessionKey, lastSeen, notified }) => ({
    targetSessionKey,
    changesSince: lastSeen,
    notified,
  }));
  expect(byTarget(await pendingOf(server, drainingWatcher))).toEqual(byTarget(expected));
}

async function positions(server: ServerProcess, watcher: string): Promise<Position[]> {
  return answerOf<{ nodes: Position[] }>(await server.call(watches, { watcher }), "watches").nodes;
}

async function pendingOf(server: ServerProcess, watcher: string): Promise<Notice[]> {
  return answerOf<Notice[]>(await server.call(pending, { watcher }), "pendingNotices");
}

function byTarget<Item extends { targetSessionKey: string }>(items: readonly Item[]): Item[] {
  return [...items].sort((a, b) => a.targetSessionKey.localeCompare(b.targetSessionKey));
}
