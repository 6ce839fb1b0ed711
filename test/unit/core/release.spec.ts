import { describe, expect, it, vi } from 'vitest';
import { LockUnavailableError } from '../../../lib/index.js';
import { controlled, turn } from './support.js';

describe('release', () => {
  it('15. does not fail or delay the call for long when the release fails (peers.md 4)', async () => {
    const onError = vi.fn();
    const onReleased = vi.fn();
    const { locks, store, clock } = controlled({ onError, onReleased });
    const result = await locks.run('k', () => {
      store.goDown();
      return 'result';
    });
    expect(result).toBe('result');
    expect(onError.mock.calls[0]?.[0]).toMatchObject({ operation: 'release', keys: ['k'] });
    await clock.advance('3s');
    expect(onReleased).not.toHaveBeenCalled();
    store.comeBack();
    await clock.advance('1s');
    expect(onReleased).toHaveBeenCalledTimes(1);
    expect(await locks.inspect('k')).toBeNull();
  });

  it('15. waits no longer than `storeTimeout` for a store that does not answer', async () => {
    const { locks, store, clock } = controlled();
    const call = locks.run('k', () => {
      store.goSilent();
      return 'result';
    });
    await clock.advance('2s');
    expect(await call).toBe('result');
    store.comeBack();
    await turn();
    expect(await locks.inspect('k')).toBeNull();
  });

  it('15. gives up when the lease has ended by itself', async () => {
    const { locks, store, clock } = controlled();
    await locks.run('k', () => store.goDown(), { ttl: '5s' });
    await clock.advance('6s');
    const release = vi.spyOn(store, 'release');
    await clock.advance('1m');
    expect(release).not.toHaveBeenCalled();
  });

  it('15. does not make hold.release() throw', async () => {
    const { locks, store } = controlled();
    const hold = await locks.acquire('k');
    store.goDown();
    expect(await hold.release()).toBe(true);
  });

  it('16. gives back a grant that comes after the caller gave up (peers.md 17)', async () => {
    const { locks, store, clock } = controlled();
    store.slowDown('1s');
    const controller = new AbortController();
    const acquiring = locks.acquire('k', { signal: controller.signal });
    const refused = expect(acquiring).rejects.toThrow('changed my mind');
    await turn();
    controller.abort(new Error('changed my mind'));
    await refused;
    store.slowDown(0);
    await clock.advance('1s');
    expect(await locks.inspect('k')).toBeNull();
  });

  it('16. gives back a grant that comes after the store was given up for silent', async () => {
    const { locks, store, clock } = controlled();
    store.goSilent();
    const refused = expect(locks.acquire('k', { wait: '1s' })).rejects.toThrow(LockUnavailableError);
    await clock.advance('3s');
    await refused;
    store.comeBack();
    await turn();
    expect(await locks.inspect('k')).toBeNull();
  });

  it('16. leaves the holder alone when one who waited times out (peers.md 17)', async () => {
    const { locks, clock } = controlled();
    const hold = await locks.acquire('k');
    const refused = expect(locks.acquire('k', { wait: '1s' })).rejects.toMatchObject({ code: 'LOCK_BUSY' });
    await clock.advance('1s');
    await refused;
    expect(await locks.tryAcquire('k')).toBeNull();
    expect(await hold.release()).toBe(true);
    expect(await locks.inspect('k')).toBeNull();
  });

  it('16. does not take a lease that was over before it was answered for one', async () => {
    const { locks, store, clock } = controlled();
    store.slowDown('1s');
    const refused = expect(locks.acquire('k', { ttl: 500, wait: 0 })).rejects.toThrow(LockUnavailableError);
    await clock.advance('1s');
    await refused;
  });
});
