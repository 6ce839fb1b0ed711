import type { Clock } from '../base/clock.js';
import type { WaitBudget } from '../stores/lock-store.js';

export interface WaitLimits {
  readonly clock: Clock;
  /** Milliseconds. */
  readonly timeout: number;
  readonly onTimeout: () => Error;
  readonly signal?: AbortSignal | undefined;
  /** Called when the time or the signal ended the wait, before it rejects. */
  readonly onGiveUp?: (reason: unknown) => void;
}

/** A promise that settles by whatever comes first: an outcome, the end of its time, or the caller's signal. */
export class Wait<T> {
  readonly promise: Promise<T>;
  #settled = false;
  #resolve!: (value: T) => void;
  #reject!: (reason: unknown) => void;
  readonly #limits: WaitLimits;
  readonly #timer: unknown;
  readonly #onAbort: (() => void) | undefined;

  constructor(limits: WaitLimits) {
    this.promise = new Promise<T>((resolve, reject) => {
      this.#resolve = resolve;
      this.#reject = reject;
    });
    this.#limits = limits;
    const { clock, timeout, onTimeout, signal } = limits;
    this.#timer = clock.setTimer(() => this.giveUp(onTimeout()), timeout);
    if (signal) {
      this.#onAbort = () => this.giveUp(signal.reason);
      if (signal.aborted) this.#onAbort();
      else signal.addEventListener('abort', this.#onAbort);
    }
  }

  /** `false`: too late, nobody waits any more. */
  resolve(value: T): boolean {
    const inTime = this.#settle();
    if (inTime) this.#resolve(value);
    return inTime;
  }

  reject(reason: unknown): void {
    if (this.#settle()) this.#reject(reason);
  }

  giveUp(reason: unknown): void {
    if (!this.#settle()) return;
    this.#limits.onGiveUp?.(reason);
    this.#reject(reason);
  }

  #settle(): boolean {
    if (this.#settled) return false;
    this.#settled = true;
    this.#limits.clock.clearTimer(this.#timer);
    if (this.#onAbort) this.#limits.signal?.removeEventListener('abort', this.#onAbort);
    return true;
  }
}

/** What a store answers, or a rejection when it stays silent for too long or throws. */
export function answerWithin<T>(limits: WaitLimits, ask: () => Promise<T>): Promise<T> {
  const wait = new Wait<T>(limits);
  try {
    ask().then(
      (answer) => wait.resolve(answer),
      (error) => wait.reject(error),
    );
  } catch (error) {
    wait.reject(error);
  }
  return wait.promise;
}

/** The core's side of a {@link WaitBudget}; its signal is made only when a store asks for it. */
export class CancellableBudget implements WaitBudget {
  #controller: AbortController | undefined;
  #cancelled: { readonly reason: unknown } | undefined;

  constructor(
    readonly timeout: number,
    readonly onWaiting: () => void,
  ) {}

  get signal(): AbortSignal {
    if (!this.#controller) {
      this.#controller = new AbortController();
      if (this.#cancelled) this.#controller.abort(this.#cancelled.reason);
    }
    return this.#controller.signal;
  }

  cancel(reason: unknown): void {
    this.#cancelled = { reason };
    this.#controller?.abort(reason);
  }
}
