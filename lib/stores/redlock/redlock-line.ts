import type { Clock } from '../../base/clock.js';
import { Fifo } from '../../base/fifo.js';
import type { Busyness } from './redlock-ballots.js';
import type { RedlockWaiter } from './redlock-waiter.js';

/** Milliseconds of the first wait between two looks, at most; the next ones are up to twice as long each. */
const FIRST = 25;
/** The longest for a key that is held, when a release is heard, and when it is not. */
const HEARD = 2_000;
const UNHEARD = 250;
/** Milliseconds over which each process that was told of a release spreads its look. */
const SPREAD = 3;

/**
 * Those of this process who wait for one key. Only the first of them asks the nodes, so that callers of one process
 * don't take votes from each other. All waits are random from nothing up, so that processes don't either.
 */
export class RedlockLine {
  readonly waiters = new Fifo<RedlockWaiter>();
  /** Why the last look failed; undefined when it was answered. */
  failure: unknown;
  #looks = 0;
  #timer: unknown;
  #lookAt = Number.POSITIVE_INFINITY;

  constructor(
    readonly key: string,
    readonly clock: Clock,
    /** Whether a release would be heard of. */
    private readonly isHeard: () => boolean,
  ) {}

  /** The key was busy: the first looks again after a while. */
  busy({ isSplit, freeIn }: Busyness): void {
    const longest = isSplit || !this.isHeard() ? UNHEARD : HEARD;
    this.#lookIn(Math.min(this.#backoff(longest), freeIn + Math.random() * FIRST));
  }

  failed(error: unknown): void {
    this.failure = error;
    this.#lookIn(this.#backoff(UNHEARD));
  }

  /** The key was released; so many processes were told. */
  freed(processes: number): void {
    this.#looks = 0;
    this.#lookIn(Math.random() * (processes - 1) * SPREAD);
  }

  leave(waiter: RedlockWaiter): void {
    const wasFirst = this.waiters.first === waiter;
    this.waiters.remove(waiter);
    if (!this.waiters.first) this.#stopTimer();
    else if (wasFirst) this.#lookIn(this.#backoff(UNHEARD));
  }

  #backoff(longest: number): number {
    this.#looks += 1;
    return Math.random() * Math.min(FIRST * 2 ** this.#looks, longest);
  }

  /** Unless that happens sooner. */
  #lookIn(ms: number): void {
    const lookAt = this.clock.now().monotonic + ms;
    if (!this.waiters.first || lookAt >= this.#lookAt) return;
    this.#stopTimer();
    if (ms < 1) {
      this.waiters.first.look();
      return;
    }
    this.#lookAt = lookAt;
    this.#timer = this.clock.setTimer(() => {
      this.#stopTimer();
      this.waiters.first?.look();
    }, ms);
  }

  #stopTimer(): void {
    this.clock.clearTimer(this.#timer);
    this.#lookAt = Number.POSITIVE_INFINITY;
  }
}
