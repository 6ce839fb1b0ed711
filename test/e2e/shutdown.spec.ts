import { Injectable } from '@nestjs/common';
import { describe, expect, it, vi } from 'vitest';
import { currentLock, DistributedLock, LockLostError, LockUnavailableError } from '../../lib/index.js';
import { bootWith } from '../support/boot-app.js';
import { type Deferred, deferred, errorOf } from '../support/deferred.js';

@Injectable()
class Orders {
  readonly entered = deferred<AbortSignal>();
  runs = 0;

  @DistributedLock({ key: 'order:{id}', ttl: '3s', wait: '1h' })
  async ship(id: string, work?: Deferred<string>): Promise<string> {
    this.runs += 1;
    this.entered.resolve(currentLock().signal);
    return `${id} ${await work?.promise}`;
  }

  @DistributedLock({ key: 'order:{id}' })
  async shipThenCall(id: string, work: Deferred<string>, next: string): Promise<string> {
    this.entered.resolve(currentLock().signal);
    await work.promise;
    return this.ship(next).then(() => `${id} and ${next}`);
  }

  @DistributedLock({ key: 'order:{id}', wait: '1h', onUnavailable: 'run' })
  async regardless(id: string): Promise<string> {
    this.runs += 1;
    return id;
  }
}

describe('shutdown', () => {
  it('17. turns away those who wait and those who come', async () => {
    const { app, service, store, log, locks } = await bootWith(Orders);
    await store.holdElsewhere('order:1');
    const waiting = errorOf(service.ship('1'));
    await log.seen('onWaiting');
    await app.close();
    for (const error of [await waiting, await errorOf(service.ship('2'))]) {
      expect(error).toBeInstanceOf(LockUnavailableError);
      expect(String(error)).toMatch(/Orders\.ship: .*the application is shutting down/);
    }
    expect(service.runs).toBe(0);
    expect((await locks.inspect('order:1'))?.waiters).toEqual([]);
  });

  it('17. lets running work finish, renewed until then', async () => {
    const { app, service, store, log } = await bootWith(Orders);
    const work = deferred<string>();
    const call = service.ship('1', work);
    const signal = await service.entered.promise;
    let closed = false;
    const closing = app.close().then(() => {
      closed = true;
    });
    await store.clock.advance('9s');
    expect(signal.aborted).toBe(false);
    expect(closed).toBe(false);
    expect(log.of('onRenewed').length).toBeGreaterThanOrEqual(8);
    work.resolve('shipped');
    expect(await call).toBe('1 shipped');
    await closing;
    expect(await store.inspect('order:1')).toBeNull();
    expect(log.names).not.toContain('onLost');
  });

  it('17. lets running work re-enter its key, but take no other', async () => {
    for (const next of ['1', '2']) {
      const { app, service, store } = await bootWith(Orders);
      const work = deferred<string>();
      const call = service.shipThenCall('1', work, next);
      await service.entered.promise;
      const closing = app.close();
      await store.clock.advance('1s');
      work.resolve('go on');
      if (next === '1') expect(await call).toBe('1 and 1');
      else expect(await errorOf(call)).toBeInstanceOf(LockUnavailableError);
      await closing;
    }
  });

  it('17. releases while the method still runs only after shutdownTimeout (peers.md 19)', async () => {
    const { app, service, store, log } = await bootWith(Orders, { shutdownTimeout: '20s' });
    const work = deferred<string>();
    const call = errorOf(service.ship('1', work));
    const signal = await service.entered.promise;
    const closing = app.close();
    await store.clock.advance('19s');
    expect((await store.inspect('order:1'))?.holders).toHaveLength(1);
    expect(signal.aborted).toBe(false);
    await store.clock.advance('1s');
    expect(signal.reason).toBeInstanceOf(LockLostError);
    expect(signal.reason).toHaveProperty('reason', 'shutdown');
    await closing;
    expect(await store.inspect('order:1')).toBeNull();
    expect(log.names.filter((name) => name !== 'onRenewed')).toEqual(['onAcquired', 'onLost', 'onReleased']);
    work.resolve('too late');
    expect(await call).toBe(signal.reason);
  });

  it('17. with `shutdownTimeout: 0` waits for nobody', async () => {
    const { app, service, store } = await bootWith(Orders, { shutdownTimeout: 0 });
    const work = deferred<string>();
    const call = errorOf(service.ship('1', work));
    await service.entered.promise;
    const closing = app.close();
    await store.clock.advance(0);
    await closing;
    expect(await store.inspect('order:1')).toBeNull();
    work.resolve('too late');
    expect(await call).toBeInstanceOf(LockLostError);
  });

  it('17. ends although the store is down or silent', async () => {
    for (const outage of ['goDown', 'goSilent'] as const) {
      const { app, service, store } = await bootWith(Orders);
      const work = deferred<string>();
      const call = service.ship('1', work);
      await service.entered.promise;
      store[outage]();
      work.resolve('shipped');
      const closing = app.close();
      await store.clock.advance('15s');
      expect(await call).toBe('1 shipped');
      await closing;
    }
  });

  it('17. closes the store once, after the last release, also when it is told twice', async () => {
    const { app, service, store, log } = await bootWith(Orders);
    const close = vi.spyOn(store, 'close').mockImplementation(async () => {
      expect(log.names.at(-1)).toBe('onReleased');
    });
    const work = deferred<string>();
    const call = service.ship('1', work);
    await service.entered.promise;
    const closing = app.close();
    expect(close).not.toHaveBeenCalled();
    work.resolve('shipped');
    await call;
    await closing;
    expect(close).toHaveBeenCalledOnce();
    await app.close();
    expect(close).toHaveBeenCalledOnce();
  });

  it("17. runs nothing new unlocked, although `onUnavailable` is 'run': the store is not down", async () => {
    const { app, service, store, log } = await bootWith(Orders);
    await store.holdElsewhere('order:1');
    const waiting = errorOf(service.regardless('1'));
    await log.seen('onWaiting');
    await app.close();
    expect(await waiting).toBeInstanceOf(LockUnavailableError);
    expect(await errorOf(service.regardless('2'))).toBeInstanceOf(LockUnavailableError);
    expect(service.runs).toBe(0);
  });
});
