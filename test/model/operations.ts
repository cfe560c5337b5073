import type { AppendInput, Awareness, SessionName, WatchName } from "../../src/awareness/awareness.js";
import { Refusal } from "../../src/awareness/refusals.js";
import type { NoticeName } from "./modelTypes.js";
import type { ReferenceModel } from "./referenceModel.js";

/** A call of the domain, as data. What it must answer is the model's to say. */
export type Operation =
  | { does: "append"; input: AppendInput }
  | { does: "appendMany"; inputs: AppendInput[] }
  | { does: "watch"; pair: WatchName }
  | { does: "unwatch"; pair: WatchName }
  | { does: "drain"; watcherSessionKey: string; limit: number | null }
  | { does: "acknowledge"; watcherSessionKey: string; notices: NamedNotice[] }
  | { does: "reconcile"; pair: WatchName; upTo: number }
  | { does: "register"; session: SessionName; label?: string; spawnedBy?: string }
  | { does: "reset"; session: SessionName }
  | { does: "delete"; session: SessionName };

/** An id that the product gave out or will, and what the model calls it; null when it never does. */
export type NamedNotice = { id: string; name: NoticeName };

/** What a call came to: its answer, or the refusal's code and field. */
export type Answer = { value: unknown } | { refused: string; field: string | undefined };

export async function callProduct(awareness: Awareness, operation: Operation): Promise<Answer> {
  try {
    return { value: await product(awareness, operation) };
  } catch (error) {
    return refusedAs(error);
  }
}

export function callModel(model: ReferenceModel, operation: Operation, productAnswer: Answer): Answer {
  try {
    return { value: expected(model, operation, productAnswer) };
  } catch (error) {
    return refusedAs(error);
  }
}

/** Any other error has a name that the other side never has, so it shows as a difference. */
export function refusedAs(error: unknown): Answer {
  if (error instanceof Refusal) return { refused: error.code, field: error.field };
  return { refused: String(error), field: undefined };
}

function product(awareness: Awareness, operation: Operation): Promise<unknown> {
  switch (operation.does) {
    case "append":
      return awareness.append(operation.input);
    case "appendMany":
      return awareness.appendMany(operation.inputs);
    case "watch":
      return awareness.watch(operation.pair);
    case "unwatch":
      return awareness.unwatch(operation.pair);
    case "drain":
      return awareness.drainNotices(operation);
    case "acknowledge": {
      const { watcherSessionKey, notices } = operation;
      return awareness.acknowledgeNotices({ watcherSessionKey, noticeIds: notices.map(({ id }) => id) });
    }
    case "reconcile":
      return awareness.reconcile({ ...operation.pair, upTo: operation.upTo });
    case "register":
      return awareness.registerSession({
        ...operation.session,
        label: operation.label,
        spawnedBy: operation.spawnedBy,
      });
    case "reset":
      return awareness.resetSession(operation.session);
    case "delete":
      return awareness.deleteSession(operation.session);
  }
}

function expected(model: ReferenceModel, operation: Operation, productAnswer: Answer): unknown {
  switch (operation.does) {
    case "append":
      return model.append(operation.input, freshNumbers(model, productAnswer)[0]);
    case "appendMany":
      return model.appendMany(operation.inputs, freshNumbers(model, productAnswer));
    case "watch":
      return model.watch(operation.pair);
    case "unwatch":
      return model.unwatch(operation.pair);
    case "drain":
      return model.drainNotices(operation.watcherSessionKey, operation.limit ?? undefined);
    case "acknowledge": {
      const { watcherSessionKey, notices } = operation;
      const names = notices.map(({ name }) => name);
      const outcomes = model.acknowledge(watcherSessionKey, names);
      return { results: outcomes.map((outcome, index) => ({ noticeId: notices[index]?.id, ...outcome })) };
    }
    case "reconcile":
      return model.reconcile({ ...operation.pair, upTo: operation.upTo });
    case "register":
      return model.registerSession({ ...operation.session, label: operation.label, spawnedBy: operation.spawnedBy });
    case "reset":
      return model.resetSession(operation.session);
    case "delete":
      return model.deleteSession(operation.session);
  }
}

/**
 * The sequences that the product gave to new events, at their items' places. They follow one another, so that of calls
 * at once only one order fits, and the model knows the number that a delete took.
 */
function freshNumbers(model: ReferenceModel, answer: Answer): (number | undefined)[] {
  if (!("value" in answer)) return [];
  const results: unknown[] = Array.isArray(answer.value) ? answer.value : [answer.value];
  let next = model.highestIssued;
  return results.map((result) => {
    if (!isFresh(result)) return undefined;
    next += 1;
    if (result.event.sequence !== next) throw new Error(`number ${result.event.sequence} came instead of ${next}`);
    return next;
  });
}

function isFresh(result: unknown): result is { event: { sequence: number } } {
  return typeof result === "object" && result !== null && "event" in result && "duplicate" in result
    ? result.event !== null && result.duplicate === false
    : false;
}
