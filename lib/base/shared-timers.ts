import { AsyncLocalStorage } from 'node:async_hooks';
import { Fifo, Place } from './fifo.js';

class Timer {
  readonly place: Place<this> = new Place(this);

  constructor(
    readonly list: Fifo<Timer>,
    readonly due: number,
    readonly callback: () => void,
  ) {}
}

/** A list that nobody is in any more is gone after this long, however long its timers are. */
const LONGEST_SLEEP = 1_000;

/** No caller's context: a timer of Node that serves many must not run in that of the first. */
const outsideCalls: <R>(fn: () => R) => R = AsyncLocalStorage.snapshot();

/**
 * Timers that are set with every call and hardly ever fire: one timer of Node serves all of the same length, so
 * that setting and clearing one is only entering and leaving a list. They do not keep the process alive.
 */
export class SharedTimers {
  /** By their length: timers of one length fire in the order in which they were set. */
  readonly #lists = new Map<number, Fifo<Timer>>();

  set(callback: () => void, delay: number): unknown {
    const ms = Math.max(1, Math.ceil(delay));
    let list = this.#lists.get(ms);
    if (!list) {
      list = new Fifo();
      this.#lists.set(ms, list);
      this.#wakeIn(ms, ms, list);
    }
    const timer = new Timer(list, performance.now() + ms, callback);
    list.push(timer);
    return timer;
  }

  clear(timer: unknown): void {
    if (timer instanceof Timer) timer.list.remove(timer);
  }

  #wakeIn(delay: number, ms: number, list: Fifo<Timer>): void {
    outsideCalls(() => setTimeout(() => this.#fire(ms, list), Math.min(delay, LONGEST_SLEEP)).unref());
  }

  #fire(ms: number, list: Fifo<Timer>): void {
    const now = performance.now();
    try {
      for (let first = list.first; first && first.due <= now; first = list.first) {
        list.remove(first);
        first.callback(); // which may set and clear others
      }
    } finally {
      if (list.first) this.#wakeIn(list.first.due - now, ms, list);
      else this.#lists.delete(ms);
    }
  }
}
