import type { Clock, Instant } from '../base/clock.js';
import { type Duration, parseDuration } from '../base/duration.js';

interface ManualTimer {
  readonly due: number;
  readonly callback: () => void;
}

/** A clock that stands still until the test moves it; its timers fire in order, each at its own moment. */
export class ManualClock implements Clock {
  #monotonic = 0;
  #wall: number;
  readonly #timers = new Set<ManualTimer>();

  constructor(startsAt: Date = new Date('2026-01-01T00:00:00Z')) {
    this.#wall = startsAt.getTime();
  }

  now(): Instant {
    return { monotonic: this.#monotonic, wall: this.#wall };
  }

  setTimer(callback: () => void, delay: number): unknown {
    const timer: ManualTimer = { due: this.#monotonic + Math.max(0, delay), callback };
    this.#timers.add(timer);
    return timer;
  }

  clearTimer(timer: unknown): void {
    this.#timers.delete(timer as ManualTimer);
  }

  /** Lets time pass: fires what is due on the way, and lets everything that follows from it happen. */
  async advance(duration: Duration): Promise<void> {
    const end = this.#monotonic + parseDuration(duration, { option: 'advance', min: 0 });
    await everythingHappened();
    for (let next = this.#next(end); next; next = this.#next(end)) {
      this.#moveTo(next.due);
      this.#timers.delete(next);
      next.callback();
      await everythingHappened();
    }
    this.#moveTo(end);
  }

  /** Moves the wall clock alone, as when a suspended machine wakes (forward) or its time is set (either way). */
  jumpWall(ms: number): void {
    this.#wall += ms;
  }

  #moveTo(monotonic: number): void {
    this.#wall += monotonic - this.#monotonic;
    this.#monotonic = monotonic;
  }

  #next(end: number): ManualTimer | undefined {
    let first: ManualTimer | undefined;
    for (const timer of this.#timers) {
      if (timer.due <= end && (!first || timer.due < first.due)) first = timer;
    }
    return first;
  }
}

/** A turn of the event loop: every promise that can settle by itself has settled. */
function everythingHappened(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
