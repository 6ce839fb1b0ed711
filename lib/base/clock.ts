import { SharedTimers } from './shared-timers.js';

/**
 * A moment, read from two clocks at once. The monotonic one stands still while a machine is suspended; the
 * wall clock can be set. Lock deadlines trust neither alone: whichever has gone further decides.
 */
export interface Instant {
  /** Milliseconds of a clock that never goes back. */
  readonly monotonic: number;
  /** Milliseconds since 1970. */
  readonly wall: number;
}

export interface Clock {
  now(): Instant;
  /**
   * Calls back once after `delay` milliseconds (at most {@link LONGEST_DELAY}), outside of the async context of the
   * caller, and without keeping the process alive.
   */
  setTimer(callback: () => void, delay: number): unknown;
  /** Takes what `setTimer` returned; harmless once the timer has fired. */
  clearTimer(timer: unknown): void;
}

/** What the timers of Node can count: 2^31 − 1 ms, about 24.8 days. */
export const LONGEST_DELAY = 2 ** 31 - 1;

const timers = new SharedTimers();

export const systemClock: Clock = {
  now: () => ({ monotonic: performance.now(), wall: Date.now() }),
  setTimer: (callback, delay) => timers.set(callback, Math.min(delay, LONGEST_DELAY)),
  clearTimer: (timer) => timers.clear(timer),
};

/** The moment `ms` milliseconds after (or, when negative, before) another. */
export function later(instant: Instant, ms: number): Instant {
  return { monotonic: instant.monotonic + ms, wall: instant.wall + ms };
}

/** Milliseconds left until a deadline by the clock that is closer to it; zero or less when it has passed. */
export function msUntil(deadline: Instant, now: Instant): number {
  return Math.min(deadline.monotonic - now.monotonic, deadline.wall - now.wall);
}

/**
 * How much earlier than the store's own expiry a lease counts as over: 1 % for clocks of different speed, and
 * 2 ms for the granularity of the store's and of ours.
 */
export function driftOf(ttl: number): number {
  return ttl / 100 + 2;
}
