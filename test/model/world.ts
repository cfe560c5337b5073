import { isDeepStrictEqual } from "node:util";
import { noticeId } from "../../src/awareness/noticeId.js";
import type { ModelNotice } from "./modelTypes.js";
import { identityOf } from "./modelTypes.js";
import type { NamedNotice, Operation } from "./operations.js";
import type { ReferenceModel } from "./referenceModel.js";
import type { AppendDraft, Draft, Pick, Place } from "./steps.js";

/**
 * Which of the product's ids stands for which watch and notice of the model. Both directions must stay one to one:
 * an id is never used twice, and one thing never has two.
 */
export class KnownIds {
  private readonly idOf = new Map<string, unknown>();
  private readonly nameOf = new Map<unknown, string>();
  readonly notices: NamedNotice[] = [{ id: "never-given-out", name: null }];

  bind(kind: "watch" | "notice", name: string, id: unknown): void {
    const key = `${kind} ${name}`;
    const known = this.idOf.get(key);
    const owner = this.nameOf.get(`${kind} ${id}`);
    if (known === id && owner === key) return;
    if (known !== undefined || owner !== undefined) {
      throw new Error(`${key} has the id ${id}; it had ${known}, and that id was ${owner}`);
    }
    this.idOf.set(key, id);
    this.nameOf.set(`${kind} ${id}`, key);
  }

  /** The product's id of a watch that it has shown. */
  watchId(serial: string): number {
    return Number(this.idOf.get(`watch ${serial}`));
  }

  /** Walks an expected value beside the product's and binds the ids of every watch and notice in it. */
  learn(expected: unknown, actual: unknown): void {
    if (!isRecord(expected) || !isRecord(actual)) return;
    if (typeof expected.serial === "string") this.learnOne(expected, expected.serial, actual);
    for (const [key, value] of Object.entries(expected)) this.learn(value, actual[key]);
  }

  private learnOne(expected: Record<string, unknown>, serial: string, actual: Record<string, unknown>): void {
    if (!isNotice(expected)) {
      this.bind("watch", serial, actual.id);
      return;
    }
    this.bind("watch", serial, actual.watchId);
    this.bind("notice", `${serial} at ${expected.notified}`, actual.id);
    const name = { serial, notified: expected.notified };
    if (this.notices.some((one) => one.id === actual.id)) return;
    this.notices.push({ id: String(actual.id), name });
  }
}

/** The value without the names that only one side knows, and without times that the contract leaves open. */
export function comparable(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(comparable);
  if (!isRecord(value) || value instanceof Date) return value;
  const hidden = ["id", "watchId", "serial", ...("createdAt" in value ? ["updatedAt"] : [])];
  return Object.fromEntries(
    Object.entries(value)
      .filter(([key]) => !hidden.includes(key))
      .map(([key, inner]) => [key, comparable(inner)]),
  );
}

export function agree(expected: unknown, actual: unknown): boolean {
  return isDeepStrictEqual(comparable(expected), comparable(actual));
}

/** Turns a draft into a call, with what is known at this moment. */
export function resolve(draft: Draft, model: ReferenceModel, ids: KnownIds): Operation {
  switch (draft.does) {
    case "append":
      return { does: "append", input: dated(draft.input, model.now) };
    case "appendMany":
      return { does: "appendMany", inputs: draft.inputs.map((input) => dated(input, model.now)) };
    case "acknowledge": {
      const { watcherSessionKey } = draft;
      const notices = draft.picks.flatMap((pick) => picked(pick, watcherSessionKey, model, ids));
      return { does: "acknowledge", watcherSessionKey, notices };
    }
    case "reconcile":
      return { does: "reconcile", pair: draft.pair, upTo: placeOf(draft, model) };
    default:
      return draft;
  }
}

function picked(pick: Pick, watcher: string, model: ReferenceModel, ids: KnownIds): NamedNotice[] {
  if (pick.from === "next") return guessed(pick, watcher, model, ids);
  const pending = model.pendingNotices(watcher);
  const isPending = ({ name }: NamedNotice) =>
    pending.some((one) => one.serial === name?.serial && one.notified === name.notified);
  const choice = [...ids.notices].reverse().filter((one) => pick.from === "ever" || isPending(one));
  const at = choice.length === 0 ? 0 : pick.nth % choice.length;
  return choice.slice(at, at + 1);
}

/** The id of the notice that opens for the rest when a pending one is acknowledged. */
function guessed(pick: Pick, watcher: string, model: ReferenceModel, ids: KnownIds): NamedNotice[] {
  const own = model.allWatches().filter((one) => one.watcherSessionKey === watcher && one.material > one.lastSeen);
  const watch = own[own.length - 1 - (pick.nth % own.length)];
  if (watch === undefined) return [];
  const id = noticeId({ watchId: ids.watchId(watch.serial), notified: watch.material });
  return [{ id, name: { serial: watch.serial, notified: watch.material } }];
}

function dated({ hoursAgo, ...input }: AppendDraft, now: Date) {
  const occurredAt = hoursAgo === undefined ? null : new Date(now.getTime() - hoursAgo * 60 * 60 * 1000);
  return { ...input, occurredAt };
}

function placeOf(draft: Draft & { does: "reconcile" }, model: ReferenceModel): number {
  const { targetSessionKey, targetAgentId, watcherSessionKey } = draft.pair;
  const target = identityOf({ sessionKey: targetSessionKey, agentId: targetAgentId });
  const watch = model
    .allWatches()
    .find(
      (one) =>
        one.watcherSessionKey === watcherSessionKey &&
        one.targetSessionKey === target.sessionKey &&
        one.targetAgentId === target.agentId,
    );
  const head = model.version(target);
  const position: Record<Place, number> = {
    zero: 0,
    below: Math.max(0, (watch?.notified ?? 0) - 1),
    lastSeen: watch?.lastSeen ?? 0,
    notified: watch?.notified ?? 0,
    head,
    above: head + 1,
  };
  return position[draft.place];
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null;
}

function isNotice(value: object): value is ModelNotice {
  return "changesSince" in value;
}
