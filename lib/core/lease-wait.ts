import { asError } from '../base/as-error.js';
import { type Clock, driftOf, type Instant, msUntil } from '../base/clock.js';
import { LockError, LockUnavailableError, type LockUnavailableReason } from '../lock.errors.js';
import {
  type AcquireOutcome,
  type Busy,
  isBusy,
  type Lease,
  type LeaseRequest,
  type LockStore,
  type WaitBudget,
} from '../stores/lock-store.js';
import type { LockHold } from './lock-hold.js';
import type { LockCall } from './lock-settings.js';
import { Wait } from './wait.js';

/** Who takes leases, and what becomes of them. */
export interface LeaseTaker<T> {
  readonly store: LockStore;
  readonly clock: Clock;
  /** How long the store may be silent beyond the wait, in milliseconds. */
  readonly storeTimeout: number;
  nextRequestId(): string;
  /** A lease that is certain at this moment. */
  granted(lease: Lease, wait: LeaseWait<T>, now: Instant): T;
  busy(busy: Busy, key: string, call: LockCall, waited: number): Error;
  waiting(key: string, call: LockCall): void;
  failed(key: string, error: unknown): void;
  /** A lease was granted that nobody waits for any more: it is to be given back. */
  unwanted(lease: Lease): void;
  /** Nobody waits for a lease here any more. */
  settled(wait: LeaseWait<T>): void;
}

/**
 * One caller's wait for a lease: never longer than the caller is willing to wait, and leaving nothing behind. It is
 * also the wait budget that the store sees.
 */
export class LeaseWait<T> extends Wait<T> implements WaitBudget {
  #timeout: number;
  readonly #startedAt: number;
  #over = false;
  #onEnd: (() => void) | undefined;

  constructor(
    private readonly taker: LeaseTaker<T>,
    readonly key: string,
    readonly call: LockCall,
    /** The hold of the calling context. */
    readonly outer: LockHold | undefined,
  ) {
    super(taker.clock, call.wait, call.signal);
    this.#timeout = call.wait;
    this.#startedAt = this.clock.now().monotonic;
  }

  get timeout(): number {
    return this.#timeout;
  }

  /** Asks the store. */
  begin(): void {
    const { key, call, taker } = this;
    const { ttl, minHold, mode, permits } = call;
    const request: LeaseRequest = {
      id: taker.nextRequestId(),
      key,
      ttl: Math.max(ttl, minHold),
      mode,
      permits,
    };
    this.#onEnd = undefined;
    try {
      taker.store.acquire(request, this).then(
        (outcome) => this.#answered(outcome),
        (error) => this.#failed(error),
      );
    } catch (error) {
      this.#failed(error);
    }
  }

  /** Milliseconds. */
  waited(now: Instant): number {
    return now.monotonic - this.#startedAt;
  }

  turnAway(): void {
    this.giveUp(this.#unavailable('the application is shutting down', undefined, 'shutdown'));
  }

  onWaiting(): void {
    this.taker.waiting(this.key, this.call);
  }

  onEnd(callback: () => void): void {
    if (this.#over) callback();
    else this.#onEnd = callback;
  }

  protected override givenUp(): void {
    this.taker.settled(this);
    this.#end();
  }

  /** First that of the wait, which the store answers with busy; then that of the store. */
  protected override timeIsOver(): void {
    if (this.#over) {
      const error = this.#unavailable(`the ${this.taker.store.name} store did not answer in time`);
      this.taker.failed(this.key, error);
      this.giveUp(error);
    } else {
      this.waitOn(this.taker.storeTimeout);
      this.#end();
    }
  }

  #end(): void {
    this.#over = true;
    this.#onEnd?.();
  }

  #answered(outcome: AcquireOutcome): void {
    const { taker, key, call } = this;
    const now = this.clock.now();
    const tooLate = !isBusy(outcome) && (this.settled || !isCertain(outcome, now));
    if (tooLate) taker.unwanted(outcome);
    if (this.settled) return;
    const waited = this.waited(now);
    if (tooLate && waited < call.wait) {
      this.#timeout = call.wait - waited;
      this.begin();
      return;
    }
    taker.settled(this);
    if (isBusy(outcome)) this.reject(taker.busy(outcome, key, call, waited));
    else if (tooLate) this.reject(this.#unavailable(`its lease of ${outcome.ttl} ms was over on arrival`));
    else this.resolve(taker.granted(outcome, this, now));
  }

  #failed(error: unknown): void {
    const { taker, key } = this;
    taker.failed(key, error);
    taker.settled(this);
    const text = asError(error).message;
    this.reject(
      error instanceof LockError
        ? error
        : this.#unavailable(`the ${taker.store.name} store failed: ${text}`, error),
    );
  }

  #unavailable(
    problem: string,
    cause?: unknown,
    reason: LockUnavailableReason = 'store',
  ): LockUnavailableError {
    return new LockUnavailableError({ key: this.key, site: this.call.site, problem, cause, reason });
  }
}

function isCertain({ grantedAt, ttl }: Lease, now: Instant): boolean {
  return msUntil(grantedAt, now) > driftOf(ttl) - ttl;
}
