import type { Awareness, SessionName } from "../../src/awareness/awareness.js";
import { identityOf } from "./modelTypes.js";
import type { Answer } from "./operations.js";
import { refusedAs } from "./operations.js";
import { sessions, watchers } from "./people.js";
import type { ReferenceModel } from "./referenceModel.js";

/** What to ask about one session: its changes since a position. */
export type Question = { session: SessionName; changesSince: number; first?: number };

/** Everything a user can see, from either side. */
export type View = { watches: unknown; sessions: unknown; pending: unknown; statuses: Answer[] };

/**
 * Positions worth asking from, per session: the ends, both sides of a watermark and of the line that a delete drew, some
 * version in between, and the first number that was never issued.
 */
export function allQuestions(model: ReferenceModel): Question[] {
  return sessions.flatMap((session) => {
    const identity = identityOf(session);
    const edges = [model.version(identity), model.watermark(identity), model.line(identity)];
    const around = edges.flatMap((edge) => [edge, edge - 1, edge + 1]);
    const halfway = Math.floor(model.highestIssued / 2);
    const positions = new Set([0, halfway, model.highestIssued + 1, ...around].filter((position) => position >= 0));
    return [
      ...[...positions].map((changesSince) => ({ session, changesSince })),
      ...[0, halfway].map((changesSince) => ({ session, changesSince, first: 2 })),
    ];
  });
}

/** One question to every third session, another one each time: the next steps ask the others. */
export function fewQuestions(model: ReferenceModel, turn: number): Question[] {
  const asked = sessions.filter((_, index) => (index + turn) % 3 === 0);
  return asked.flatMap((session) => {
    const own = allQuestions(model).filter((question) => question.session === session);
    return own[(turn * 5) % own.length] ?? [];
  });
}

export async function productView(awareness: Awareness, questions: readonly Question[]): Promise<View> {
  const watches = await awareness.watches({ first: 200 });
  const listed = await awareness.sessionsList({ first: 200 });
  const pending = await Promise.all(
    watchers.map((watcherSessionKey) => awareness.pendingNotices({ watcherSessionKey })),
  );
  const statuses = await Promise.all(
    questions.map(({ session, changesSince, first }) =>
      awareness.sessionStatus({ ...session, changesSince, first }).then((value): Answer => ({ value }), refusedAs),
    ),
  );
  return {
    watches: inOrder(watches.edges.map(({ node }) => node)),
    sessions: inOrder(listed.edges.map(({ node }) => node)),
    pending,
    statuses,
  };
}

export function modelView(model: ReferenceModel, questions: readonly Question[]): View {
  return {
    watches: inOrder(model.allWatches()),
    sessions: inOrder(model.sessionsList()),
    pending: watchers.map((watcherSessionKey) => model.pendingNotices(watcherSessionKey)),
    statuses: questions.map(({ session, changesSince, first }) => {
      try {
        return { value: model.sessionStatus(session, changesSince, first) };
      } catch (error) {
        return refusedAs(error);
      }
    }),
  };
}

/** Lists are compared as sets here: the order of pages is their own tests' matter. */
function inOrder<Named extends object>(items: Named[]): Named[] {
  return items.sort((a, b) => nameOf(a).localeCompare(nameOf(b)));
}

function nameOf(item: object): string {
  const words: Record<string, unknown> = { ...item };
  const names = ["watcherSessionKey", "targetSessionKey", "targetAgentId", "sessionKey", "agentId"];
  return names.map((name) => words[name]).join(" ");
}
