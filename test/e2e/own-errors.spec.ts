import { Injectable, NotFoundException } from '@nestjs/common';
import { describe, expect, it } from 'vitest';
import { currentLock, DistributedLock, LockLostError } from '../../lib/index.js';
import { bootWith } from '../support/boot-app.js';
import { deferred, errorOf } from '../support/deferred.js';

@Injectable()
class Orders {
  readonly entered = deferred<AbortSignal>();

  @DistributedLock({ key: 'order', ttl: '3s' })
  async work(until: Promise<string>): Promise<string> {
    this.entered.resolve(currentLock().signal);
    return until;
  }

  @DistributedLock({ key: 'order' })
  throwsAtOnce(error: Error): Promise<string> {
    throw error;
  }
}

describe('the result and the errors of a method', () => {
  it('6. the lock lives as long as the promise', async () => {
    const { service, locks, store, log } = await bootWith(Orders);
    const work = deferred<string>();
    const call = service.work(work.promise);
    await service.entered.promise;
    await store.clock.advance('1m');
    expect((await locks.inspect('order'))?.holders).toHaveLength(1);
    expect(log.names).not.toContain('onReleased');
    work.resolve('shipped');
    expect(await call).toBe('shipped');
    expect(await locks.inspect('order')).toBeNull();
  });

  it('7. an exception of the method is that very exception (peers.md 13)', async () => {
    const { service, locks } = await bootWith(Orders);
    const error = new NotFoundException();
    expect(await errorOf(service.work(Promise.reject(error)))).toBe(error);
    expect(await errorOf(service.throwsAtOnce(error))).toBe(error);
    expect(await locks.inspect('order')).toBeNull();
  });

  it('7. what is no Error is not replaced either', async () => {
    const { service } = await bootWith(Orders);
    const rejected = deferred<string>();
    rejected.reject('a text');
    expect(await errorOf(service.work(rejected.promise))).toBe('a text');
  });

  it('7. a failing release replaces neither the result nor the error (peers.md 4)', async () => {
    const { service, store, log, locks } = await bootWith(Orders);
    const works = [deferred<string>(), deferred<string>()];
    const error = new Error('mine');
    for (const [index, work] of works.entries()) {
      const call = service.work(work.promise);
      await log.seen('onAcquired', index + 1);
      store.goDown();
      if (index === 0) work.resolve('shipped');
      else work.reject(error);
      if (index === 0) expect(await call).toBe('shipped');
      else expect(await errorOf(call)).toBe(error);
      expect(log.of('onError')).toHaveLength(index + 1);
      store.comeBack();
      await store.clock.advance('1s');
      expect(await locks.inspect('order')).toBeNull();
    }
    expect(log.of('onError').map(({ operation }) => operation)).toEqual(['release', 'release']);
  });

  it('7. a silent store delays the result by its timeout, and no more (peers.md 4)', async () => {
    const { service, store } = await bootWith(Orders, { storeTimeout: '1s' });
    const work = deferred<string>();
    const call = service.work(work.promise);
    await service.entered.promise;
    store.goSilent();
    work.resolve('shipped');
    await store.clock.advance('1s');
    expect(await call).toBe('shipped');
  });

  it('7. the error of a method that lost its lock stands; its result does not (behaviour 14)', async () => {
    for (const succeeds of [true, false]) {
      const { service, store } = await bootWith(Orders);
      const work = deferred<string>();
      const call = service.work(work.promise);
      const signal = await service.entered.promise;
      await store.takeAway('order');
      await store.clock.advance('2s');
      expect(signal.aborted).toBe(true);
      const mine = new Error('mine');
      if (succeeds) work.resolve('shipped');
      else work.reject(mine);
      const error = await errorOf(call);
      if (succeeds) expect(error).toBe(signal.reason);
      else expect(error).toBe(mine);
      expect(signal.reason).toBeInstanceOf(LockLostError);
    }
  });
});
