import type { Logger } from "./logger.js";

/**
 * Something that is tried again and again. The log hears of it when it begins to fail and when it works again, not of
 * every try between the two.
 */
export class Trouble {
  readonly #log: Logger;
  readonly #task: string;
  #isOn = false;

  /** `task` completes "could not …". */
  constructor(log: Logger, task: string) {
    this.#log = log;
    this.#task = task;
  }

  /** A try has failed. */
  met(error: unknown): void {
    if (!this.#isOn) this.#log.warn({ err: error }, `could not ${this.#task}; trying again`);
    this.#isOn = true;
  }

  /** A try has not failed. */
  over(): void {
    if (this.#isOn) this.#log.info({}, `could ${this.#task} again`);
    this.#isOn = false;
  }
}
