import { AsyncLocalStorage } from 'node:async_hooks';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it, vi } from 'vitest';
import { driftOf, LONGEST_DELAY, later, msUntil, systemClock } from '../../../lib/base/clock.js';

describe('moments', () => {
  const now = { monotonic: 1_000, wall: 500_000 };

  it('12. the time left is by the clock that has gone further: a suspended machine, or a clock set forward', () => {
    const deadline = later(now, 100);
    expect(msUntil(deadline, now)).toBe(100);
    expect(msUntil(deadline, { monotonic: 1_010, wall: 500_090 })).toBe(10);
    expect(msUntil(deadline, { monotonic: 1_090, wall: 500_010 })).toBe(10);
    expect(msUntil(deadline, { monotonic: 1_001, wall: 500_200 })).toBe(-100);
  });

  it('12. a wall clock that was set back gives no time', () => {
    expect(msUntil(later(now, 100), { monotonic: 1_060, wall: 400_000 })).toBe(40);
  });

  it('12. the drift is 1 % of the ttl and 2 ms', () => {
    expect(driftOf(30_000)).toBe(302);
    expect(driftOf(10)).toBeCloseTo(2.1);
  });
});

describe('the system clock', () => {
  it('goes on by both clocks', async () => {
    const before = systemClock.now();
    await sleep(5);
    expect(msUntil(later(before, 0), systemClock.now())).toBeLessThan(-3);
    expect(Math.abs(before.wall - Date.now())).toBeLessThan(10_000);
  });

  it('17. does not keep the process alive', () => {
    const setTimeout = vi.spyOn(globalThis, 'setTimeout');
    systemClock.clearTimer(systemClock.setTimer(() => undefined, 1_717));
    expect(setTimeout.mock.results.map(({ value }) => value.hasRef())).toEqual([false]);
    setTimeout.mockRestore();
  });

  it('serves timers of one length with one timer of Node, each at its moment', async () => {
    const setTimeout = vi.spyOn(globalThis, 'setTimeout');
    const fired: string[] = [];
    const timers = ['a', 'b', 'c'].map((name) => systemClock.setTimer(() => fired.push(name), 21));
    systemClock.clearTimer(timers[1]);
    expect(setTimeout).toHaveBeenCalledTimes(1);
    setTimeout.mockRestore();
    await new Promise<void>((resolve) => systemClock.setTimer(resolve, 30));
    expect(fired).toEqual(['a', 'c']);
  });

  it('lets a timer that fires clear another that is due, and set one of the same length', async () => {
    const fired: string[] = [];
    let second: unknown;
    const again = new Promise<void>((resolve) => {
      systemClock.setTimer(() => {
        systemClock.clearTimer(second);
        systemClock.setTimer(resolve, 3);
      }, 3);
    });
    second = systemClock.setTimer(() => fired.push('second'), 3);
    await again;
    expect(fired).toEqual([]);
  });

  it('calls back outside of the context in which the timer was set', async () => {
    const contexts = new AsyncLocalStorage<string>();
    const seen = await new Promise((resolve) => {
      contexts.run('caller', () => systemClock.setTimer(() => resolve(contexts.getStore()), 2));
    });
    expect(seen).toBeUndefined();
  });

  it('calls back once, and a timer that has fired can be cleared', async () => {
    let calls = 0;
    const timer = systemClock.setTimer(() => calls++, 1);
    await sleep(20);
    systemClock.clearTimer(timer);
    expect(calls).toBe(1);
  });

  it('does not call back after it was cleared', async () => {
    let calls = 0;
    systemClock.clearTimer(systemClock.setTimer(() => calls++, 1));
    await sleep(10);
    expect(calls).toBe(0);
  });

  it('does not call back at once for a delay that Node cannot count', async () => {
    let calls = 0;
    const timer = systemClock.setTimer(() => calls++, LONGEST_DELAY + 1_000);
    await sleep(10);
    systemClock.clearTimer(timer);
    expect(calls).toBe(0);
  });
});
