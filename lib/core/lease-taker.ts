import { type Clock, driftOf, LONGEST_DELAY, later, msUntil } from '../base/clock.js';
import { LockError, LockUnavailableError } from '../lock.errors.js';
import {
  type AcquireOutcome,
  isBusy,
  type Lease,
  type LeaseRequest,
  type LockStore,
} from '../stores/lock-store.js';
import type { LockCall } from './lock-settings.js';
import { CancellableBudget, Wait } from './wait.js';

export interface LeaseTakerEvents {
  waiting(key: string, call: LockCall): void;
  failed(key: string, error: unknown): void;
  /** A lease was granted that nobody waits for any more: it is to be given back. */
  unwanted(lease: Lease): void;
}

/** Asks the store for leases: never longer than the caller is willing to wait, and leaving nothing behind. */
export class LeaseTaker {
  readonly #turnAway = new Set<() => void>();
  #lastRequest = 0;
  #stopped = false;

  constructor(
    readonly store: LockStore,
    readonly clock: Clock,
    readonly instance: string,
    /** How long the store may be silent beyond the wait, in milliseconds. */
    readonly storeTimeout: number,
    readonly events: LeaseTakerEvents,
  ) {}

  /** A lease that is certain at this moment, or busy; rejects with a `LockError` or the reason of the signal. */
  async take(key: string, call: LockCall): Promise<AcquireOutcome> {
    const startedAt = this.clock.now().monotonic;
    for (let wait = call.wait; ; wait = Math.max(0, call.wait - (this.clock.now().monotonic - startedAt))) {
      const outcome = await this.#ask(key, call, wait);
      if (isBusy(outcome) || this.#isCertain(outcome)) return outcome;
      this.events.unwanted(outcome);
      if (wait <= 0) {
        throw this.#unavailable(
          key,
          call,
          `its lease of ${outcome.ttl} ms was over before the store had answered`,
        );
      }
    }
  }

  stop(): void {
    this.#stopped = true;
    for (const turnAway of this.#turnAway) turnAway();
  }

  #ask(key: string, call: LockCall, timeout: number): Promise<AcquireOutcome> {
    if (this.#stopped) return Promise.reject(this.#shuttingDown(key, call));
    const budget = new CancellableBudget(timeout, () => this.events.waiting(key, call));
    const turnAway = () => wait.giveUp(this.#shuttingDown(key, call));
    const wait = new Wait<AcquireOutcome>({
      clock: this.clock,
      timeout: Math.min(timeout + this.storeTimeout, LONGEST_DELAY),
      signal: call.signal,
      onTimeout: () => this.#unavailable(key, call, `the ${this.store.name} store did not answer in time`),
      onGiveUp: (reason) => {
        this.#turnAway.delete(turnAway);
        budget.cancel(reason);
      },
    });
    this.#turnAway.add(turnAway);
    this.#acquire(key, call, budget).then(
      (outcome) => {
        this.#turnAway.delete(turnAway);
        if (!wait.resolve(outcome) && !isBusy(outcome)) this.events.unwanted(outcome);
      },
      (error: unknown) => {
        this.#turnAway.delete(turnAway);
        this.events.failed(key, error);
        wait.reject(
          error instanceof LockError
            ? error
            : this.#unavailable(key, call, `the ${this.store.name} store failed: ${textOf(error)}`, error),
        );
      },
    );
    return wait.promise;
  }

  /** Async, so that a store that throws is a store that rejects. */
  async #acquire(key: string, { ttl, minHold, mode, permits }: LockCall, budget: CancellableBudget) {
    this.#lastRequest += 1;
    const request: LeaseRequest = {
      id: `${this.instance}:${this.#lastRequest}`,
      key,
      ttl: Math.max(ttl, minHold),
      mode,
      permits,
    };
    return this.store.acquire(request, budget);
  }

  #isCertain({ grantedAt, ttl }: Lease): boolean {
    return msUntil(later(grantedAt, ttl - driftOf(ttl)), this.clock.now()) > 0;
  }

  #shuttingDown(key: string, call: LockCall): LockUnavailableError {
    return this.#unavailable(key, call, 'the application is shutting down');
  }

  #unavailable(key: string, { site }: LockCall, problem: string, cause?: unknown): LockUnavailableError {
    return new LockUnavailableError({ key, site, problem, cause });
  }
}

function textOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
