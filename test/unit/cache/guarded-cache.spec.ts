import { AsyncResource } from 'node:async_hooks';
import { describe, expect, it } from 'vitest';
import { LockOptionsError } from '../../../lib/index.js';
import { errorOf } from '../../support/deferred.js';
import { stateOf, turn } from '../core/support.js';
import { giving, Loads, processes, warnings } from './support.js';

describe('a value in the cache', () => {
  it('is given without a load', async () => {
    const { one, cache } = processes();
    await cache.set('k', 'cached');
    const loads = new Loads();
    expect(await one.get('k', loads.load)).toBe('cached');
    expect(loads.count).toBe(0);
  });

  it.each([0, '', false])('is a value too: %j', async (value) => {
    const { one, cache } = processes();
    expect(await one.get('k', giving(value))).toBe(value);
    expect(cache.entries.get('k')?.value).toBe(value);
    expect(await one.get('k', giving('another'))).toBe(value);
  });

  it('is kept for the ttl of its load, as it is', async () => {
    const { one, cache } = processes();
    await one.get('k', giving({ a: 1 }, 5_000));
    expect([...cache.entries.keys()]).toEqual(['k']);
    expect(cache.entries.get('k')?.value).toEqual({ a: 1 });
    expect(cache.remaining('k')).toBe(5_000);
  });

  it.each([undefined, null])(
    'is never %j: that is given to those who asked, and not kept',
    async (nothing) => {
      const { one, cache } = processes();
      const loads = new Loads();
      const calls = [one.get('k', loads.load), one.get('k', loads.load)];
      await turn();
      loads.give(nothing);
      expect(await Promise.all(calls)).toEqual([nothing, nothing]);
      expect(loads.count).toBe(1);
      expect(cache.entries.size).toBe(0);
    },
  );
});

describe('callers in one process', () => {
  it('share one load', async () => {
    const { one, cache } = processes();
    const loads = new Loads();
    const calls = Array.from({ length: 100 }, () => one.get('k', loads.load));
    await turn();
    const late = one.get('k', loads.load);
    expect(cache.asked.filter((question) => question === 'get k')).toHaveLength(101); // and once inside the lock
    loads.give('loaded');
    expect(new Set(await Promise.all([...calls, late]))).toEqual(new Set(['loaded']));
    expect(loads.count).toBe(1);
  });

  it('load different keys side by side', async () => {
    const { one } = processes();
    const loads = new Loads();
    const calls = [one.get('a', loads.load), one.get('b', loads.load)];
    await turn();
    loads.give('B', 2);
    expect(await calls[1]).toBe('B');
    loads.give('A', 1);
    expect(await calls[0]).toBe('A');
  });

  it('share its error, and the next one tries', async () => {
    const { one, cache } = processes();
    const loads = new Loads();
    const calls = [one.get('k', loads.load), one.get('k', loads.load)].map(errorOf);
    await turn();
    const error = new Error('mine');
    loads.fail(error);
    expect(await Promise.all(calls)).toEqual([error, error]);
    expect((await calls[0]) === error).toBe(true);
    expect(cache.entries.size).toBe(0);
    expect(await one.get('k', giving('loaded'))).toBe('loaded');
  });

  it('load for themselves what is not for two', async () => {
    const { one, cache } = processes();
    const loads = new Loads(1_000, false);
    const calls = [one.get('k', loads.load), one.get('k', loads.load), one.get('k', loads.load)];
    await turn();
    expect(loads.count).toBe(1);
    loads.give('first');
    await turn();
    expect(loads.count).toBe(3);
    loads.give('second', 2);
    loads.give('third', 3);
    expect(await Promise.all(calls)).toEqual(['first', 'second', 'third']);
    expect(cache.entries.size).toBe(0);
  });

  it('do not wait for a load that they are part of', async () => {
    const { one, cache } = processes();
    const outer = async () => {
      const inner = await one.get('k', giving('inner'));
      return { value: `outer of ${String(inner)}`, ttl: 1_000, shareable: true };
    };
    expect(await one.get('k', outer)).toBe('outer of inner');
    expect(cache.entries.get('k')?.value).toBe('outer of inner');
  });

  it('are not part of a load that has ended, although its timers and listeners are called later', async () => {
    const { one } = processes();
    let left: AsyncResource | undefined;
    await one.get('k', async () => {
      left = new AsyncResource('left behind');
      return { value: 'cached', ttl: 1_000, shareable: true };
    });
    expect(await left?.runInAsyncScope(() => one.get('k', giving('loaded')))).toBe('cached');
  });
});

describe('callers in several processes', () => {
  it('have one of them load; the others wait and read', async () => {
    const { one, other, store } = processes();
    const loads = new Loads();
    const calls = [one.get('k', loads.load), other.get('k', loads.load)];
    await turn();
    expect((await store.inspect('cache:k'))?.holders).toHaveLength(1);
    expect(loads.count).toBe(1);
    loads.give('loaded');
    expect(await Promise.all(calls)).toEqual(['loaded', 'loaded']);
    expect(loads.count).toBe(1);
    expect(await store.inspect('cache:k')).toBeNull();
  });

  it('tell an error to those who share the load; the next process tries', async () => {
    const { one, other } = processes();
    const loads = new Loads();
    const failing = errorOf(one.get('k', loads.load));
    await turn();
    const next = other.get('k', loads.load);
    await turn();
    const error = new Error('mine');
    loads.fail(error);
    expect(await failing).toBe(error);
    await turn();
    expect(loads.count).toBe(2);
    loads.give('loaded');
    expect(await next).toBe('loaded');
  });

  it('wait as long as they were told, and then load too', async () => {
    const { one, other, clock } = processes();
    const loads = new Loads();
    const slow = one.get('k', loads.load);
    await turn();
    const impatient = other.get('k', loads.load, { wait: '3s' });
    await clock.advance(2_999);
    expect(loads.count).toBe(1);
    await clock.advance(1);
    expect(loads.count).toBe(2);
    loads.give('second');
    expect(await impatient).toBe('second');
    loads.give('first', 1);
    expect(await slow).toBe('first');
  });

  it('load after the lease of a loader that died, within their wait', async () => {
    const { store, other, clock } = processes();
    await store.acquire(
      { id: 'dead', key: 'cache:k', ttl: 5_000, mode: 'exclusive', permits: 1 },
      { timeout: 0, onWaiting: () => {}, onEnd: () => {} },
    );
    const loads = new Loads();
    const call = other.get('k', loads.load);
    await clock.advance(4_990);
    expect(loads.count).toBe(0);
    await clock.advance(10);
    expect(loads.count).toBe(1);
    loads.give('loaded');
    expect(await call).toBe('loaded');
  });

  it('keep what was loaded although the lock was lost meanwhile', async () => {
    const { one, store, clock, cache } = processes();
    const loads = new Loads();
    const call = one.get('k', loads.load);
    await turn();
    await store.takeAway('cache:k');
    await clock.advance('10s');
    loads.give('loaded');
    expect(await call).toBe('loaded');
    expect(cache.entries.get('k')?.value).toBe('loaded');
  });

  it('keep the lock while a load takes longer than its lease', async () => {
    const { one, other, clock } = processes();
    const loads = new Loads();
    const calls = [one.get('k', loads.load)];
    await turn();
    calls.push(other.get('k', loads.load, { wait: '1m' }));
    await clock.advance('50s');
    expect(loads.count).toBe(1);
    loads.give('loaded');
    expect(await Promise.all(calls)).toEqual(['loaded', 'loaded']);
  });
});

describe('without a lock store', () => {
  it('a value is loaded, and kept', async () => {
    const { one, store, cache } = processes();
    store.goDown();
    const loads = new Loads();
    const calls = [one.get('k', loads.load), one.get('k', loads.load)];
    await turn();
    expect(loads.count).toBe(1);
    loads.give('loaded');
    expect(await Promise.all(calls)).toEqual(['loaded', 'loaded']);
    expect(cache.entries.get('k')?.value).toBe('loaded');
  });

  it('that is silent, a value is loaded after its timeout, and not only after the wait', async () => {
    const { one, store, clock } = processes();
    store.goSilent();
    const call = one.get('k', giving('loaded'), { wait: '1m' });
    await clock.advance('2s');
    expect(await stateOf(call)).toBe('fulfilled');
  });

  it('of that name, the call is refused: nothing was meant to be loaded unlocked', async () => {
    const { one } = processes();
    const loads = new Loads();
    const error = await errorOf(one.get('k', loads.load, { lockStore: 'billing' }));
    expect(error).toBeInstanceOf(LockOptionsError);
    expect(loads.count).toBe(0);
  });
});

describe('without a cache', () => {
  it('that answers, each process loads for itself: nobody could read what another loads', async () => {
    const texts = warnings();
    const { one, other, cache } = processes();
    cache.outage = new Error('connection refused');
    await Promise.all([one.get('another', giving('loaded')), other.get('another', giving('loaded'))]);
    const loads = new Loads();
    const calls = [one.get('k', loads.load), one.get('k', loads.load), other.get('k', loads.load)];
    await turn();
    expect(loads.count).toBe(2);
    loads.give('one', 1);
    loads.give('other', 2);
    expect(await Promise.all(calls)).toEqual(['one', 'one', 'other']);
    expect(texts.filter((text) => text.includes('connection refused'))).toHaveLength(2); // one for each process
  });

  it('that is silent, so they do after the timeout', async () => {
    const texts = warnings();
    const { one, cache, clock } = processes();
    cache.outage = 'silent';
    const options = { cacheTimeout: '500ms' } as const;
    const loads = new Loads();
    const first = one.get('k', loads.load, options);
    await clock.advance('1s'); // it asks twice before it knows
    loads.give('first');
    expect(await stateOf(first)).toBe('fulfilled'); // nobody waits until that could be kept
    const second = one.get('k', loads.load, options);
    await clock.advance(499);
    expect(loads.count).toBe(1);
    await clock.advance(1);
    expect(loads.count).toBe(2);
    loads.give('second');
    expect(await stateOf(second)).toBe('fulfilled');
    expect(texts).toEqual(['The cache failed: no answer within 500 ms. Values are loaded without it.']);
  });

  it('for one answer, processes take turns all the same: in overload that is needed the most', async () => {
    warnings();
    const { one, other, cache, clock } = processes();
    const loads = new Loads();
    cache.outage = 'silent';
    const calls = [one.get('k', loads.load), other.get('k', loads.load)];
    await turn();
    cache.outage = undefined;
    await clock.advance('2s');
    expect(loads.count).toBe(1);
    loads.give('loaded');
    expect(await Promise.all(calls)).toEqual(['loaded', 'loaded']);
    expect(loads.count).toBe(1);
  });

  it('that is silent, those who come meanwhile wait together and share one load', async () => {
    warnings();
    const { one, cache, clock } = processes();
    cache.outage = 'silent';
    let loads = 0;
    const load = async () => {
      loads += 1;
      return { value: 'loaded', ttl: 1_000, shareable: true };
    };
    const first = one.get('k', load);
    await clock.advance('4s');
    await first;
    const calls: Promise<unknown>[] = [];
    for (const _call of Array.from({ length: 10 })) {
      calls.push(one.get('k', load));
      await clock.advance('100ms');
    }
    await clock.advance('1s');
    expect(new Set(await Promise.all(calls))).toEqual(new Set(['loaded']));
    expect(loads).toBe(2);
  });

  it('until now, processes take turns again as soon as it answers', async () => {
    warnings();
    const { one, other, cache } = processes();
    cache.outage = new Error('down');
    await Promise.all([one.get('k', giving('loaded')), other.get('k', giving('loaded'))]);
    cache.outage = undefined;
    const loads = new Loads();
    const calls = [one.get('k', loads.load), other.get('k', loads.load)];
    await turn();
    loads.give('loaded');
    await Promise.all(calls);
    expect(loads.count).toBe(1);
  });

  it('for a while, that is told once, and once more for the next time', async () => {
    const texts = warnings();
    const { one, cache } = processes();
    for (const _outage of [1, 2]) {
      cache.outage = new Error('down');
      for (const _call of [1, 2, 3]) await one.get('k', giving('loaded'));
      cache.outage = undefined;
      await one.get('another', giving('loaded'));
    }
    expect(texts).toHaveLength(2);
  });
});

describe('when the application shuts down', () => {
  it('values are loaded without lock, and the cache is left alone: it was closed', async () => {
    const { one, cache } = processes();
    await cache.set('k', 'cached');
    const loads = new Loads();
    const waiting = one.get('running', loads.load);
    await turn();
    one.shutDown();
    cache.asked.length = 0;
    loads.give('loaded');
    expect(await waiting).toBe('loaded');
    expect(await one.get('k', giving('loaded'))).toBe('loaded');
    expect(cache.asked).toEqual([]);
  });

  it('one who waits for another process loads', async () => {
    const { one, store } = processes();
    await store.holdElsewhere('cache:k');
    const call = one.get('k', giving('loaded'));
    await turn();
    one.shutDown();
    expect(await call).toBe('loaded');
  });
});
