import { describe, expect, it, vi } from 'vitest';
import { currentLock, LockLostError, LockOptionsError, LockUnavailableError } from '../../../lib/index.js';
import { controlled, deferred, stateOf, turn } from './support.js';

describe('LockHold', () => {
  it('releases once, and says whether the lease was still ours', async () => {
    const { locks, store } = controlled();
    const hold = await locks.acquire('k');
    const release = vi.spyOn(store, 'release');
    expect(await Promise.all([hold.release(), hold.release()])).toEqual([true, true]);
    expect(release).toHaveBeenCalledTimes(1);
    const lost = await locks.acquire('k');
    await store.takeAway('k');
    expect(await lost.release()).toBe(false);
  });

  it('is no longer held after its release', async () => {
    const { locks } = controlled();
    const hold = await locks.acquire('k');
    await hold.release();
    expect(hold.remaining()).toBe(0);
    expect(() => hold.assertHeld()).toThrow(/this code released it/);
    await expect(hold.run(() => {})).rejects.toThrow(LockLostError);
    await expect(hold.extend()).rejects.toThrow(LockLostError);
    expect(hold.signal.aborted).toBe(false);
  });

  it('is released by `await using`', async () => {
    const { locks } = controlled();
    {
      await using hold = await locks.acquire('k');
      hold.assertHeld();
      expect(await locks.tryAcquire('k')).toBeNull();
    }
    expect(await locks.inspect('k')).toBeNull();
  });

  it('lets calls re-enter only inside run()', async () => {
    const { locks } = controlled();
    const hold = await locks.acquire('k');
    expect(await locks.tryAcquire('k')).toBeNull();
    const token = await hold.run(() => locks.run('k', () => currentLock('k').fencingToken));
    expect(token).toBe(hold.fencingToken);
    await hold.release();
  });

  it('runs functions one after another, and one inside another', async () => {
    const { locks } = controlled();
    const hold = await locks.acquire('k');
    const first = deferred();
    const one = hold.run(() => first.promise);
    const two = hold.run(() => hold.run(() => 'inner'));
    expect(await stateOf(two)).toBe('pending');
    first.resolve();
    await one;
    expect(await two).toBe('inner');
    await hold.release();
  });

  it('keeps the key until what runs inside has ended', async () => {
    const { locks } = controlled();
    const hold = await locks.acquire('k');
    const done = deferred();
    const running = hold.run(() => done.promise);
    await hold.release();
    expect(await locks.tryAcquire('k')).toBeNull();
    done.resolve();
    await running;
    expect(await locks.inspect('k')).toBeNull();
  });

  it('holds several keys: all or none, each with its own token', async () => {
    const { locks } = controlled();
    const hold = await locks.acquire(['b', 'a', 'b']);
    expect(hold.keys).toEqual(['a', 'b']);
    expect(hold.key).toBe('a,b');
    expect([...hold.fencingTokens.keys()]).toEqual(['a', 'b']);
    expect(() => hold.fencingToken).toThrow(LockOptionsError);
    await hold.run(() => {
      expect(currentLock('b').fencingToken).toBe(hold.fencingTokens.get('b'));
      expect(currentLock().keys).toEqual(['a', 'b']);
    });
    expect(await locks.tryAcquire(['b', 'c'])).toBeNull();
    expect(await locks.inspect('c')).toBeNull();
    await hold.release();
    for await (const { key } of locks.list()) expect.fail(`${key} is still held`);
  });

  it('gives back the keys that it has when it cannot have all, without keeping them', async () => {
    const { locks, store, clock } = controlled();
    const other = await store.holdElsewhere('b');
    const waiting = locks.acquire(['a', 'b', 'c'], { wait: '2s', minHold: '1m' });
    const refused = expect(waiting).rejects.toMatchObject({ code: 'LOCK_BUSY', key: 'b' });
    await clock.advance('2s');
    await refused;
    expect(await locks.inspect('a')).toBeNull();
    await other.release();
  });

  it('aborts its signal when one of several keys is lost', async () => {
    const { locks, store, clock } = controlled();
    const hold = await locks.acquire(['a', 'b']);
    const { signal } = hold;
    await store.takeAway('b');
    await clock.advance('11s');
    expect(signal.reason).toMatchObject({ key: 'b', reason: 'taken' });
    expect(() => hold.assertHeld()).toThrow(LockLostError);
    expect(await hold.release()).toBe(false);
    expect(await locks.inspect('a')).toBeNull();
  });

  it('extends for its own ttl or a given one, which then stays', async () => {
    const { locks, clock } = controlled();
    const hold = await locks.acquire('k', { ttl: '10s', renew: false });
    await clock.advance('5s');
    await hold.extend();
    expect(hold.remaining()).toBe(9_898);
    await hold.extend('1m');
    expect(hold.remaining()).toBe(59_398);
    await clock.advance('59s');
    hold.assertHeld();
    await hold.extend('1s');
    expect(hold.remaining()).toBe(988);
    await clock.advance('1s');
    expect(() => hold.assertHeld()).toThrow(LockLostError);
    await expect(hold.extend('5 s')).rejects.toThrow(LockOptionsError);
  });

  it('does not shorten a lease by extending it', async () => {
    const { locks, clock } = controlled();
    const hold = await locks.acquire('k', { ttl: '30s', renew: false });
    await hold.extend('1s');
    await clock.advance('29s');
    hold.assertHeld();
    expect(await hold.release()).toBe(true);
  });

  it('says which it was when it cannot be extended: lost, or no answer', async () => {
    const { locks, store, clock } = controlled();
    const hold = await locks.acquire('k');
    store.goDown();
    await expect(hold.extend()).rejects.toThrow(LockUnavailableError);
    store.goSilent();
    const silent = expect(hold.extend()).rejects.toThrow(LockUnavailableError);
    await clock.advance('2s');
    await silent;
    store.comeBack();
    await store.takeAway('k');
    await expect(hold.extend()).rejects.toMatchObject({ reason: 'taken' });
  });

  it('keeps the key locked for `minHold`, even when the work ends sooner (peers: min hold)', async () => {
    const { locks, clock } = controlled();
    await locks.run('k', () => clock.advance('2s'), { minHold: '10s' });
    await clock.advance(7_999);
    expect(await locks.tryAcquire('k')).toBeNull();
    await clock.advance(2);
    expect(await locks.tryAcquire('k')).not.toBeNull();
  });

  it('keeps the key locked for `minHold` longer than the ttl, even when the process ends', async () => {
    const { locks, store, clock } = controlled();
    await locks.acquire('k', { ttl: '1s', minHold: '1m', renew: false });
    vi.spyOn(store, 'renew').mockImplementation(() => new Promise(() => {})); // the process is gone
    await clock.advance('59s');
    expect(await locks.tryAcquire('k')).toBeNull();
    await clock.advance('2s');
    expect(await locks.tryAcquire('k')).not.toBeNull();
  });

  it('honours the `minHold` of a re-entrant call, and lengthens the lease for it', async () => {
    const { locks, store, clock } = controlled();
    await locks.run('k', () => locks.run('k', () => {}, { minHold: '1m' }), { ttl: '1s' });
    await clock.advance('59s');
    expect(await locks.tryAcquire('k')).toBeNull();
    await clock.advance('2s');
    const hold = await locks.acquire('k', { ttl: '1s' });
    const renew = vi.spyOn(store, 'renew');
    const inside = hold.run(() => locks.run('k', () => clock.advance(0), { minHold: '5m' }));
    await inside;
    expect(renew.mock.calls[0]?.[0][0]?.ttl).toBeGreaterThan(299_000);
    await hold.release();
  });

  it('stops renewing after `maxHold`: the signal aborts, and the lease ends by itself', async () => {
    const { locks, clock } = controlled();
    const done = deferred();
    let signal: AbortSignal | undefined;
    const call = locks.run(
      'k',
      () => {
        signal = currentLock().signal;
        return done.promise;
      },
      { ttl: '2s', maxHold: '10s' },
    );
    await clock.advance(9_999);
    expect(signal?.aborted).toBe(false);
    await clock.advance(1);
    expect(signal?.reason).toMatchObject({ reason: 'max-hold' });
    await clock.advance('3s');
    expect(await locks.tryAcquire('k')).not.toBeNull();
    done.resolve();
    await expect(call).rejects.toMatchObject({ reason: 'max-hold' });
  });

  it('frees the key at once when work ends after `maxHold` but before its lease', async () => {
    const { locks, clock } = controlled();
    const done = deferred();
    const call = locks.run('k', () => done.promise, { ttl: '10s', maxHold: '10s' });
    await clock.advance('10s');
    done.resolve();
    await expect(call).rejects.toThrow(LockLostError);
    await turn();
    expect(await locks.inspect('k')).toBeNull();
  });

  it('may be released early from inside', async () => {
    const { locks } = controlled();
    const result = await locks.run('k', async () => {
      await currentLock().release();
      expect(() => currentLock()).toThrow(LockOptionsError);
      expect(await locks.inspect('k')).toBeNull();
      return 'done';
    });
    expect(result).toBe('done');
  });
});
