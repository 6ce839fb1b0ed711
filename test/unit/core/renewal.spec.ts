import { describe, expect, it, vi } from 'vitest';
import { currentLock, LockService, memoryStore } from '../../../lib/index.js';
import { controlled, turn } from './support.js';

describe('watchdog', () => {
  it('13. renews every third of the ttl, for as long as the lock is held (peers.md 10, 16, 18)', async () => {
    const { locks, store, clock } = controlled();
    const renew = vi.spyOn(store, 'renew');
    const hold = await locks.acquire('k', { ttl: '3s' });
    await clock.advance('1m');
    hold.assertHeld();
    expect(renew.mock.calls.length).toBeGreaterThanOrEqual(59);
    expect(renew.mock.calls.length).toBeLessThanOrEqual(81);
    expect(await hold.release()).toBe(true);
    renew.mockClear();
    await clock.advance('1m');
    expect(renew).not.toHaveBeenCalled();
  });

  it('13. renews all that is due in one call', async () => {
    const { locks, store, clock } = controlled();
    const renew = vi.spyOn(store, 'renew');
    const keys = Array.from({ length: 100 }, (_, index) => `k${index}`);
    const holds = await Promise.all(keys.map((key) => locks.acquire(key, { ttl: '30s' })));
    await clock.advance('1m');
    for (const hold of holds) hold.assertHeld();
    expect(renew.mock.calls.length).toBeLessThanOrEqual(8);
    expect(renew.mock.calls[0]?.[0]).toHaveLength(100);
  });

  it('13. gathers leases that were taken at different times into few calls', async () => {
    const { locks, store, clock } = controlled();
    for (let index = 0; index < 100; index += 1) {
      await locks.acquire(`k${index}`, { ttl: '30s' });
      await clock.advance(100);
    }
    const renew = vi.spyOn(store, 'renew');
    await clock.advance('1m');
    expect(renew.mock.calls.length).toBeLessThanOrEqual(40);
  });

  it('13. tries again after an error, faster as the deadline nears', async () => {
    const onError = vi.fn();
    const { locks, store, clock } = controlled({ onError });
    const hold = await locks.acquire('k', { ttl: '30s' });
    store.goDown();
    const times: number[] = [];
    vi.spyOn(store, 'renew').mockImplementation(async () => {
      times.push(clock.now().monotonic);
      throw new Error('down');
    });
    await clock.advance(29_000);
    hold.assertHeld();
    const gaps = times.slice(1).map((time, index) => time - (times[index] ?? 0));
    expect(gaps.length).toBeGreaterThanOrEqual(6);
    expect(gaps.every((gap, index) => index === 0 || gap <= (gaps[index - 1] ?? 0))).toBe(true);
    expect(onError).toHaveBeenCalledTimes(times.length);
    expect(onError.mock.calls[0]?.[0]).toMatchObject({ operation: 'renew', keys: ['k'], store: 'default' });
  });

  it('13. survives an outage that is shorter than what is left of the lease', async () => {
    const { locks, store, clock } = controlled();
    const hold = await locks.acquire('k', { ttl: '30s' });
    for (const outage of [() => store.goDown(), () => store.goSilent()]) {
      outage();
      await clock.advance('18s');
      store.comeBack();
      await clock.advance('12s');
      hold.assertHeld();
    }
    expect(await hold.release()).toBe(true);
  });

  it('13. does not spin with a short ttl (peers.md 11)', async () => {
    const { locks, store, clock } = controlled();
    const renew = vi.spyOn(store, 'renew');
    await locks.acquire('k', { ttl: 100 });
    await clock.advance('1s');
    expect(renew.mock.calls.length).toBeLessThanOrEqual(45);
  });

  it('renews outside of the context of the calls, so that an observer is inside no lock', async () => {
    const inside: boolean[] = [];
    const onRenewed = () => {
      try {
        currentLock();
        inside.push(true);
      } catch {
        inside.push(false);
      }
    };
    const locks = new LockService({ store: memoryStore(), observers: [{ onRenewed }] });
    await locks.run('k', () => new Promise((resolve) => setTimeout(resolve, 60)), { ttl: 30 });
    expect(inside.length).toBeGreaterThan(0);
    expect(inside).not.toContain(true);
  });

  it('counts a late answer from the sending of its own renewal', async () => {
    const { locks, store, clock } = controlled();
    const hold = await locks.acquire('k', { ttl: '30s' });
    store.slowDown('5s');
    await clock.advance('10s'); // sent at about 10 s, answered at about 15 s
    await clock.advance('5s');
    expect(hold.remaining()).toBeLessThanOrEqual(40_000 - 15_000 - 302);
    expect(hold.remaining()).toBeGreaterThan(20_000);
  });

  it('takes a store that throws for one that rejects', async () => {
    const onError = vi.fn();
    const { locks, store, clock } = controlled({ onError });
    await locks.acquire('k', { ttl: '30s' });
    vi.spyOn(store, 'renew').mockImplementation(() => {
      throw new Error('a bug in the store');
    });
    await clock.advance('11s');
    await turn();
    expect(onError).toHaveBeenCalled();
  });
});
