import { describe, expect, it, vi } from 'vitest';
import { LockLostError, type LockLostEvent } from '../../../lib/index.js';
import { controlled, deferred, stateOf } from './support.js';

describe('time and loss', () => {
  it('12. is certain until the sending of the grant plus ttl, less 1 % and 2 ms', async () => {
    const { locks, store, clock } = controlled();
    store.slowDown('1s');
    const acquiring = locks.acquire('k', { ttl: '10s', renew: false });
    await clock.advance('1s');
    const hold = await acquiring;
    expect(hold.remaining()).toBe(10_000 - 1_000 - 102);
    await clock.advance(8_897);
    expect(() => hold.assertHeld()).not.toThrow();
    await clock.advance(1);
    expect(() => hold.assertHeld()).toThrow(LockLostError);
    expect(hold.remaining()).toBe(0);
  });

  it('12. loses the lock of a machine that was suspended: the wall clock went on alone', async () => {
    const { locks, clock } = controlled();
    const hold = await locks.acquire('k', { ttl: '30s' });
    clock.jumpWall(29_000);
    expect(hold.remaining()).toBe(698);
    clock.jumpWall(1_000);
    expect(() => hold.assertHeld()).toThrow(LockLostError);
    expect(hold.signal.aborted).toBe(true);
  });

  it('12. grants the key of a suspended holder to nobody before that holder is told', async () => {
    const { locks, clock } = controlled();
    const { signal } = await locks.acquire('k', { ttl: '30s' });
    clock.jumpWall(60_000);
    expect(await locks.tryAcquire('k')).toBeNull();
    expect(signal.aborted).toBe(false);
    const next = locks.acquire('k', { wait: '1m' }).then(() => signal.aborted);
    await clock.advance('31s');
    expect(await next).toBe(true);
  });

  it('12. tells the suspended holder by its signal within a second of waking', async () => {
    const { locks, clock } = controlled();
    const hold = await locks.acquire('k', { ttl: '1h' });
    const { signal } = hold;
    clock.jumpWall(3_600_000);
    await clock.advance('1s');
    expect(signal.aborted).toBe(true);
  });

  it('12. is not misled by a wall clock that is set back', async () => {
    const { locks, store, clock } = controlled();
    const hold = await locks.acquire('k', { ttl: '30s' });
    clock.jumpWall(-3_600_000);
    await clock.advance('15s');
    hold.assertHeld(); // renewed
    store.goDown();
    await clock.advance('31s');
    expect(() => hold.assertHeld()).toThrow(LockLostError);
  });

  it('13. aborts the signal before the store can grant the key to another', async () => {
    const { locks, store, clock } = controlled();
    const order: string[] = [];
    const hold = await locks.acquire('k', { ttl: '3s' });
    hold.signal.addEventListener('abort', () => order.push('told'));
    vi.spyOn(store, 'renew').mockImplementation(() => new Promise(() => {})); // the holder alone is cut off
    const next = locks.acquire('k', { wait: '1m' }).then(() => order.push('granted'));
    await clock.advance('3s');
    await next;
    expect(order).toEqual(['told', 'granted']);
    expect(hold.signal.reason).toMatchObject({ code: 'LOCK_LOST', reason: 'expired', key: 'k' });
  });

  it('13. is lost at the deadline, whatever is still pending', async () => {
    const { locks, store, clock } = controlled();
    const hold = await locks.acquire('k', { ttl: '30s' });
    store.goSilent();
    await clock.advance(29_697);
    hold.assertHeld();
    await clock.advance(1);
    expect(hold.signal.aborted).toBe(true);
    store.comeBack(); // the renewals that were pending are answered now
    await clock.advance('1s');
    expect(() => hold.assertHeld()).toThrow(LockLostError);
  });

  it('13. is told at the next renewal when the lease was taken away', async () => {
    const { locks, store, clock } = controlled();
    const hold = await locks.acquire('k', { ttl: '30s' });
    const { signal } = hold;
    await store.takeAway('k');
    await clock.advance('10s');
    expect(signal.reason).toMatchObject({ reason: 'taken' });
  });

  it('14. rejects a call that succeeded after its lock was lost, and tells observers once', async () => {
    const onLost = vi.fn<(event: LockLostEvent) => void>();
    const { locks, store, clock } = controlled({ onLost });
    const done = deferred<string>();
    const call = locks.run('k', () => done.promise);
    store.goDown();
    await clock.advance('30s');
    expect(await stateOf(call)).toBe('pending');
    done.resolve('result');
    await expect(call).rejects.toThrow(LockLostError);
    expect(onLost).toHaveBeenCalledTimes(1);
    expect(onLost.mock.calls[0]?.[0]).toMatchObject({ key: 'k', reason: 'expired', store: 'default' });
  });

  it("14. leaves a call's own error as it is when its lock was lost", async () => {
    const { locks, store, clock } = controlled();
    const done = deferred();
    const call = locks.run('k', () => done.promise);
    store.goDown();
    await clock.advance('30s');
    done.reject(new RangeError('mine'));
    await expect(call).rejects.toThrow(new RangeError('mine'));
  });

  it('14. rejects a call when the release shows that its lease was taken away meanwhile', async () => {
    const { locks, store } = controlled();
    await expect(locks.run('k', () => store.takeAway('k'))).rejects.toMatchObject({ reason: 'taken' });
  });

  it('14. notices a pause at once, with no timer fired', async () => {
    const { locks, clock } = controlled();
    const hold = await locks.acquire('k', { ttl: '1s' });
    vi.spyOn(clock, 'now').mockReturnValue({ monotonic: 1_000_000, wall: clock.now().wall });
    expect(() => hold.assertHeld()).toThrow(LockLostError);
    expect(await hold.release()).toBe(false);
  });

  it('rejects a call that was paused past its lease, though no timer has told', async () => {
    const { locks, clock } = controlled();
    const call = locks.run('k', () => clock.jumpWall(31_000));
    await expect(call).rejects.toMatchObject({ reason: 'expired' });
  });

  it('never renews with `renew: false`', async () => {
    const { locks, store, clock } = controlled();
    const renew = vi.spyOn(store, 'renew');
    const { signal } = await locks.acquire('k', { ttl: '1s', renew: false });
    await clock.advance('1s');
    expect(renew).not.toHaveBeenCalled();
    expect(signal.aborted).toBe(true);
  });
});
