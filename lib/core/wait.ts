import type { Clock } from '../base/clock.js';
import { Place } from '../base/fifo.js';

/** A promise that settles by whatever comes first: an outcome, the end of its time, or the caller's signal. */
export abstract class Wait<T> {
  readonly place: Place<this> = new Place(this);
  readonly promise: Promise<T>;
  #settled = false;
  #resolve!: (value: T) => void;
  #reject!: (reason: unknown) => void;
  #timer: unknown;
  readonly #onAbort: (() => void) | undefined;

  constructor(
    protected readonly clock: Clock,
    /** Milliseconds. */
    timeout: number,
    private readonly signal: AbortSignal | undefined,
  ) {
    this.promise = new Promise<T>((resolve, reject) => {
      this.#resolve = resolve;
      this.#reject = reject;
    });
    this.#timer = clock.setTimer(() => this.timeIsOver(), timeout);
    if (signal) {
      this.#onAbort = () => this.giveUp(signal.reason);
      signal.addEventListener('abort', this.#onAbort);
    }
  }

  /** Nobody waits any more. */
  get settled(): boolean {
    return this.#settled;
  }

  resolve(value: T): void {
    if (this.#settle()) this.#resolve(value);
  }

  reject(reason: unknown): void {
    if (this.#settle()) this.#reject(reason);
  }

  /** Ends the wait without an outcome. */
  giveUp(reason: unknown): void {
    if (!this.#settle()) return;
    this.givenUp();
    this.#reject(reason);
  }

  protected abstract timeIsOver(): void;
  protected abstract givenUp(): void;

  /** Has {@link timeIsOver} called again, if nothing comes of it before. */
  protected waitOn(timeout: number): void {
    this.#timer = this.clock.setTimer(() => this.timeIsOver(), timeout);
  }

  #settle(): boolean {
    if (this.#settled) return false;
    this.#settled = true;
    this.clock.clearTimer(this.#timer);
    if (this.#onAbort) this.signal?.removeEventListener('abort', this.#onAbort);
    return true;
  }
}
