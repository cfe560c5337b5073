/**
 * Work that one runner does at a time. Asked for while it is under way, it is done once more right after: whatever
 * called for it in the meantime, at whatever moment, is seen by a run that began later.
 */
export class OneAtATime {
  /** Must not reject: there is nobody to hear it. */
  readonly #work: () => Promise<void>;
  #asked = false;
  #running: Promise<void> | undefined;

  constructor(work: () => Promise<void>) {
    this.#work = work;
  }

  ask(): void {
    this.#asked = true;
    this.#running ??= this.#run();
  }

  /** When all that was asked for is done. */
  async settled(): Promise<void> {
    await this.#running;
  }

  async #run(): Promise<void> {
    while (this.#asked) {
      this.#asked = false;
      await this.#work();
    }
    // In the same step as the last look at `#asked`: one who asks from here on starts a new run.
    this.#running = undefined;
  }
}
