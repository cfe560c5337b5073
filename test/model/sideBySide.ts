import { expect } from "vitest";
import type { Clock } from "../../src/clock.js";
import type { TestDomain } from "../support/domain.js";
import type { Answer, Operation } from "./operations.js";
import { callModel, callProduct } from "./operations.js";
import { ReferenceModel } from "./referenceModel.js";
import type { Step } from "./steps.js";
import type { Question } from "./views.js";
import { allQuestions, fewQuestions, modelView, productView } from "./views.js";
import { agree, comparable, KnownIds, resolve } from "./world.js";

const hourMs = 60 * 60 * 1000;

type Call = { operation: Operation; actual: Answer };
/** What the model says when the calls come in one order, and the model after them. */
type Story = { model: ReferenceModel; calls: (Call & { expected: Answer })[] };

/** One row of steps, taken by the product and by the model; they are compared after each. */
export class SideBySide {
  private model: ReferenceModel;
  private readonly ids = new KnownIds();
  private turn = 0;
  readonly clock: Clock = { now: () => this.model.now };

  constructor(retentionRows: number) {
    this.model = new ReferenceModel(new Date("2026-01-01T00:00:00Z"), retentionRows);
  }

  async take(domain: TestDomain, step: Step): Promise<void> {
    this.turn += 1;
    if (step.step === "alone") return this.call(domain, [resolve(step.draft, this.model, this.ids)]);
    if (step.step === "together") {
      const operations = step.drafts.map((draft) => resolve(draft, this.model, this.ids));
      return this.call(domain, operations);
    }
    // The odd millisecond keeps every age off the exact limit, which the contract leaves open.
    if (step.step === "time") this.model.now = new Date(this.model.now.getTime() + step.hours * hourMs + 1);
    if (step.step === "restart") await domain.restart();
    if (step.step !== "time") await this.sweep(domain);
    await this.compare(domain, fewQuestions(this.model, this.turn));
  }

  /** A start sweeps too, at its leisure; this pass makes its end certain. */
  private async sweep(domain: TestDomain): Promise<void> {
    await domain.awareness.sweep();
    this.model.sweep();
  }

  async compareAll(domain: TestDomain): Promise<void> {
    await this.compare(domain, allQuestions(this.model));
  }

  private async compare(domain: TestDomain, questions: readonly Question[]): Promise<void> {
    const actual = await productView(domain.awareness, questions);
    this.mustAgree(modelView(this.model, questions), actual, "the view");
  }

  /** Calls at once end as if one came after the other: some order explains every answer and all that is seen then. */
  private async call(domain: TestDomain, operations: readonly Operation[]): Promise<void> {
    const calls = await Promise.all(
      operations.map(async (operation) => ({ operation, actual: await callProduct(domain.awareness, operation) })),
    );
    const stories = ordersOf(calls).map((order) => tell(this.model.clone(), order));
    const possible = stories.filter(({ calls: told }) => told.every((one) => agree(one.expected, one.actual)));

    const questions = fewQuestions(this.model, this.turn);
    const seen = await productView(domain.awareness, questions);
    const story = possible.find(({ model }) => agree(modelView(model, questions), seen)) ?? possible[0] ?? stories[0];
    if (story === undefined) throw new Error("no call, no story");
    for (const { operation, expected, actual } of story.calls) {
      this.mustAgree(expected, actual, `the answer to ${operation.does}`);
    }
    this.mustAgree(modelView(story.model, questions), seen, `the view after ${operations.map((one) => one.does)}`);
    this.model = story.model;
  }

  private mustAgree(expected: unknown, actual: unknown, what: string): void {
    expect(comparable(actual), what).toEqual(comparable(expected));
    this.ids.learn(expected, actual);
  }
}

function tell(model: ReferenceModel, order: readonly Call[]): Story {
  return { model, calls: order.map((call) => ({ ...call, expected: callModel(model, call.operation, call.actual) })) };
}

function ordersOf<Item>(items: readonly Item[]): Item[][] {
  if (items.length <= 1) return [[...items]];
  return items.flatMap((first, index) =>
    ordersOf(items.filter((_, other) => other !== index)).map((rest) => [first, ...rest]),
  );
}
