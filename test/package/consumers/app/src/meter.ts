import { setTimeout } from 'node:timers/promises';

/** Counts how many calls are in it at once. */
export class Meter {
  #inside = 0;
  #most = 0;

  async pass(): Promise<void> {
    this.#inside++;
    this.#most = Math.max(this.#most, this.#inside);
    await setTimeout(100);
    this.#inside--;
  }

  /** The most that were in it at once, since it was asked last. */
  takeMost(): number {
    const most = this.#most;
    this.#most = 0;
    return most;
  }
}
