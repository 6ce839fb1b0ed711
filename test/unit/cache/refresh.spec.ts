import { describe, expect, it } from 'vitest';
import { stateOf, turn } from '../core/support.js';
import { giving, Loads, processes, warnings } from './support.js';

const EARLY = { earlyRefresh: 1 };
const STALE = { staleFor: '10s' } as const;

/** Random numbers of which the largest begins every refresh, and the smallest only those that are due. */
const ALWAYS = 1 - Number.EPSILON;

describe('a value that is refreshed early', () => {
  it('is given as it is, while one load runs in the background; then it is the new one', async () => {
    const { one, cache, dice, clock } = processes();
    const loads = new Loads();
    const first = one.get('k', loads.load, EARLY);
    await clock.advance(100); // the load takes so long
    loads.give('old');
    expect(await first).toBe('old');
    await clock.advance(900);
    dice.chance = 0;
    expect(await one.get('k', loads.load, EARLY)).toBe('old');
    expect(loads.count).toBe(1);
    dice.chance = ALWAYS;
    const readers = Array.from({ length: 100 }, () => one.get('k', loads.load, EARLY));
    expect(new Set(await Promise.all(readers))).toEqual(new Set(['old']));
    await turn();
    expect(loads.count).toBe(2);
    dice.chance = 0;
    loads.give('new');
    await turn();
    expect(await one.get('k', loads.load, EARLY)).toBe('new');
    expect(cache.remaining('k')).toBe(1_000);
    expect(loads.count).toBe(2);
  });

  it('is refreshed by one process of all', async () => {
    const { one, other, dice, clock } = processes();
    const loads = new Loads();
    const first = one.get('k', loads.load, EARLY);
    await clock.advance(100);
    loads.give('old');
    await first;
    dice.chance = ALWAYS;
    for (const process of [one, other]) {
      expect(await process.get('k', loads.load, EARLY)).toBe('old');
      await turn();
    }
    expect(loads.count).toBe(2);
  });

  it('never makes a reader of a hot key wait, however often it ends', async () => {
    const { one, other, dice, clock } = processes();
    const load = () =>
      new Promise<{ value: string; ttl: number; shareable: boolean }>((resolve) => {
        clock.setTimer(() => resolve({ value: 'value', ttl: 1_000, shareable: true }), 50);
      });
    const first = one.get('k', load, EARLY);
    await clock.advance(50);
    await first;
    let chance = 0;
    for (let ms = 0; ms < 20_000; ms += 5) {
      await clock.advance(5);
      chance = (chance + 0.618_034) % 1; // as even as chance is in the long run, and the same every time
      dice.chance = chance;
      expect(await stateOf((ms % 2 === 0 ? one : other).get('k', load, EARLY))).toBe('fulfilled');
    }
  });
});

describe('a value that may be stale', () => {
  it('is kept longer by that time, and fresh without it', async () => {
    const { one, cache, clock } = processes();
    await one.get('k', giving('old', 1_000), STALE);
    expect(cache.remaining('k')).toBe(11_000);
    expect(cache.entries.get('k')?.value).toBe('old'); // for other readers of the cache
    const loads = new Loads();
    await clock.advance(999);
    expect(await one.get('k', loads.load, STALE)).toBe('old');
    expect(loads.count).toBe(0);
  });

  it('is given once it is, while one process of all loads it anew', async () => {
    const { one, other, store, clock } = processes();
    await one.get('k', giving('old', 1_000), STALE);
    await clock.advance('1s');
    const loads = new Loads();
    for (const process of [one, other, one, other]) {
      expect(await process.get('k', loads.load, STALE)).toBe('old');
      await turn();
    }
    expect(loads.count).toBe(1);
    loads.give('new');
    await turn();
    expect(await store.inspect('cache:k')).toBeNull();
    expect(await other.get('k', loads.load, STALE)).toBe('new');
    expect(loads.count).toBe(1);
  });

  it('is not loaded twice by one who saw the old value and got the lock late', async () => {
    const { one, store, cache, clock } = processes();
    await one.get('k', giving('old', 1_000), STALE);
    await clock.advance('1s');
    store.goSilent();
    const loads = new Loads();
    expect(await one.get('k', loads.load, STALE)).toBe('old');
    await cache.set('k', 'new'); // by another process, meanwhile
    await cache.set('stampede:k', { freshUntil: clock.now().wall + 1_000, loadedIn: 0 });
    store.comeBack();
    await turn();
    expect(loads.count).toBe(0);
    expect(cache.entries.get('k')?.value).toBe('new');
    expect(await store.inspect('cache:k')).toBeNull();
  });

  it('is not loaded anew while the cache is down: the new one could not be kept', async () => {
    warnings();
    const { one, store, cache, clock } = processes();
    await one.get('k', giving('old', 1_000), STALE);
    await clock.advance('1s');
    store.goSilent();
    const loads = new Loads();
    expect(await one.get('k', loads.load, STALE)).toBe('old');
    cache.outage = new Error('down');
    store.comeBack();
    await turn();
    expect(loads.count).toBe(0);
  });

  it('is gone after that time: the next reader waits for a load', async () => {
    const { one, clock } = processes();
    await one.get('k', giving('old', 1_000), STALE);
    await clock.advance('11s');
    const loads = new Loads();
    const call = one.get('k', loads.load, STALE);
    expect(await stateOf(call)).toBe('pending');
    loads.give('new');
    expect(await call).toBe('new');
  });

  it('is given as long as loads fail; that is told, and tried again after a second', async () => {
    const texts = warnings();
    const { one, clock } = processes();
    await one.get('k', giving('old', 1_000), STALE);
    await clock.advance('1s');
    const loads = new Loads();
    const read = async () => {
      expect(await one.get('k', loads.load, STALE)).toBe('old');
      await turn();
    };
    await read();
    loads.fail(new Error('no database'));
    await turn();
    expect(texts).toEqual(['"k" could not be loaded anew in the background: no database']);
    await read();
    await clock.advance(999);
    await read();
    expect(loads.count).toBe(1);
    await clock.advance(1);
    await read();
    expect(loads.count).toBe(2);
    loads.give('new');
    await turn();
    expect(await one.get('k', loads.load, STALE)).toBe('new');
  });

  it('is loaded anew without a lock store too, once for each process', async () => {
    const { one, other, store, clock } = processes();
    await one.get('k', giving('old', 1_000), STALE);
    await clock.advance('1s');
    store.goDown();
    const loads = new Loads();
    for (const process of [one, one, other]) expect(await process.get('k', loads.load, STALE)).toBe('old');
    await turn();
    expect(loads.count).toBe(2);
    loads.give('new');
    await turn();
    expect(await one.get('k', loads.load, STALE)).toBe('new');
  });

  it('is loaded by a load that is not given the stale value for itself', async () => {
    const { one, cache, clock } = processes();
    await one.get('k', giving('old', 1_000), STALE);
    await clock.advance('1s');
    const outer = async () => ({
      value: await one.get('k', giving('new'), STALE), // the same key, further below
      ttl: 1_000,
      shareable: true,
    });
    await one.get('k', outer, STALE);
    await turn();
    expect(cache.entries.get('k')?.value).toBe('new');
  });

  it('is not loaded anew when the application shuts down', async () => {
    const { one, other, clock, cache } = processes();
    await one.get('k', giving('old', 1_000), STALE);
    await clock.advance('1s');
    const loads = new Loads();
    one.locks.beforeApplicationShutdown(); // some other part of the application was told first
    expect(await one.get('k', loads.load, STALE)).toBe('old');
    await turn();
    expect(loads.count).toBe(0);
    await other.get('k', loads.load, STALE);
    await turn();
    expect(loads.count).toBe(1);
    other.shutDown();
    cache.asked.length = 0;
    loads.give('new');
    await turn();
    expect(cache.asked).toEqual([]);
  });

  it('that others wrote is given, and not loaded anew: nobody knows how old it is', async () => {
    const { one, cache, dice } = processes();
    dice.chance = ALWAYS;
    await cache.set('k', 'theirs', 10);
    const loads = new Loads();
    expect(await one.get('k', loads.load, { ...STALE, ...EARLY })).toBe('theirs');
    await turn();
    expect(loads.count).toBe(0);
  });
});
