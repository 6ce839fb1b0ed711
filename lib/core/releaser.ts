import { type Clock, later, msUntil } from '../base/clock.js';
import type { Lease, LockStore } from '../stores/lock-store.js';
import { answerWithin } from './wait.js';

const FIRST_RETRY = 50;
const LONGEST_RETRY = 1_000;

/** Gives leases back; what fails is tried again in the background until the lease has ended by itself. */
export class Releaser {
  #underWay = 0;
  #stopped = false;
  #onSettled: (() => void) | undefined;

  constructor(
    readonly store: LockStore,
    readonly clock: Clock,
    /** How long one attempt may take, in milliseconds. */
    readonly timeout: number,
    readonly onFailure: (lease: Lease, error: unknown) => void,
  ) {}

  /**
   * One attempt now; the key stays locked until the monotonic time `keepUntil`. `undefined`: the store did not
   * say, and is asked again in the background. `onReleased` is called when the store confirms, even if late.
   */
  async release(lease: Lease, keepUntil: number, onReleased?: () => void): Promise<boolean | undefined> {
    this.#underWay += 1;
    const released = await this.#attempt(lease, keepUntil);
    if (released === undefined) {
      void this.#retry(lease, keepUntil, onReleased); // never rejects: an attempt reports its failure
    } else {
      if (released) onReleased?.();
      this.#settle();
    }
    return released;
  }

  /** Resolves when no release is under way, or when the time is over; nothing is tried again after that. */
  async finish(timeout: number): Promise<void> {
    if (this.#underWay > 0) {
      await new Promise<void>((resolve) => {
        const timer = this.clock.setTimer(resolve, timeout);
        this.#onSettled = () => {
          this.clock.clearTimer(timer);
          resolve();
        };
      });
    }
    this.#stopped = true;
  }

  async #retry(lease: Lease, keepUntil: number, onReleased?: () => void): Promise<void> {
    const ended = later(this.clock.now(), lease.ttl);
    let released: boolean | undefined;
    for (let delay = FIRST_RETRY; released === undefined; delay = Math.min(delay * 2, LONGEST_RETRY)) {
      await new Promise<void>((resolve) => this.clock.setTimer(resolve, delay));
      if (this.#stopped || msUntil(ended, this.clock.now()) <= 0) break;
      released = await this.#attempt(lease, keepUntil);
    }
    // `false` is success too: an attempt whose answer was lost may have been the one that released it.
    if (released !== undefined) onReleased?.();
    this.#settle();
  }

  async #attempt(lease: Lease, keepUntil: number): Promise<boolean | undefined> {
    const { clock, store, timeout } = this;
    const onTimeout = () => new Error(`the ${store.name} store did not answer within ${timeout} ms`);
    const keepFor = Math.max(0, Math.ceil(keepUntil - clock.now().monotonic));
    try {
      return await answerWithin({ clock, timeout, onTimeout }, () => store.release(lease, keepFor));
    } catch (error) {
      this.onFailure(lease, error);
      return undefined;
    }
  }

  #settle(): void {
    this.#underWay -= 1;
    if (this.#underWay === 0) this.#onSettled?.();
  }
}
