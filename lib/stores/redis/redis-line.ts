import type { Clock } from '../../base/clock.js';
import { Fifo } from '../../base/fifo.js';
import type { RedisWaiter } from './redis-waiter.js';

/**
 * Those of this process who wait for one key. One timer serves them all: when it fires, the first of them asks the
 * server, which then serves whoever is first in line there.
 */
export class RedisLine {
  readonly waiters = new Fifo<RedisWaiter>();
  #timer: unknown;
  #lookAt = Number.POSITIVE_INFINITY;
  /** The timer was set by a message. */
  #told = false;

  constructor(readonly clock: Clock) {}

  /** Has the server asked after so many milliseconds, unless that happens sooner. */
  lookIn(ms: number): void {
    if (!this.waiters.first) return;
    const lookAt = this.clock.now().monotonic + ms;
    if (lookAt >= this.#lookAt) return;
    this.#stopTimer();
    this.#lookAt = lookAt;
    this.#timer = this.clock.setTimer(() => {
      this.#stopTimer();
      this.waiters.first?.look();
    }, ms);
  }

  /** As {@link lookIn}, by a message: each puts off what the one before asked for, as the line has moved on since. */
  lookAsTold(ms: number): void {
    if (this.#told) this.#stopTimer();
    if (this.clock.now().monotonic + ms >= this.#lookAt) return;
    this.lookIn(ms);
    this.#told = true;
  }

  leave(waiter: RedisWaiter): void {
    this.waiters.remove(waiter);
    if (!this.waiters.first) this.#stopTimer();
  }

  #stopTimer(): void {
    this.clock.clearTimer(this.#timer);
    this.#lookAt = Number.POSITIVE_INFINITY;
    this.#told = false;
  }
}
