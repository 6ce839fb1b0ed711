import { Injectable, Logger } from '@nestjs/common';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { currentLock, DistributedLock, type LockObserver } from '../../lib/index.js';
import { bootWith } from '../support/boot-app.js';
import { type Deferred, deferred, errorOf } from '../support/deferred.js';

@Injectable()
class Orders {
  @DistributedLock({ key: 'order:{id}', ttl: '3s', wait: '2s' })
  async ship(id: string, work?: Deferred<string>): Promise<string> {
    await work?.promise;
    return `${id} ${currentLock().key}`;
  }

  @DistributedLock({ key: 'order:{id}', mode: 'shared' })
  async read(id: string): Promise<string> {
    return id;
  }
}

const EVENT = { store: 'default', key: 'order:1', site: 'Orders.ship', mode: 'exclusive' };

/** Makes every one of the seven events happen. */
async function liveThrough({ service, store, log }: Awaited<ReturnType<typeof boot>>) {
  const works = [deferred<string>(), deferred<string>()] as const;
  const renewedThenReleased = service.ship('1', works[0]);
  await log.seen('onAcquired');
  await store.clock.advance('1s');
  const busy = errorOf(service.ship('1'));
  await log.seen('onWaiting');
  store.goDown();
  await store.clock.advance('1s');
  store.comeBack();
  await store.clock.advance('1s');
  expect(await busy).toHaveProperty('code', 'LOCK_BUSY');
  works[0].resolve('done');
  expect(await renewedThenReleased).toBe('1 order:1');
  const lost = errorOf(service.ship('1', works[1]));
  await log.seen('onAcquired', 2);
  await store.takeAway('order:1');
  await store.clock.advance('1s');
  works[1].resolve('done');
  expect(await lost).toHaveProperty('code', 'LOCK_LOST');
}

function boot(observer?: LockObserver) {
  return bootWith(Orders, observer ? { observers: [observer] } : {});
}

describe('observers', () => {
  afterEach(() => {
    vi.restoreAllMocks();
  });

  it('hear of all seven events, in their order', async () => {
    const booted = await boot();
    await liveThrough(booted);
    const { names } = booted.log;
    const changes = names.filter((name, index) => name !== names[index - 1]);
    expect(changes).toEqual([
      'onAcquired',
      'onRenewed',
      'onWaiting',
      'onError',
      'onRenewed',
      'onBusy',
      'onReleased',
      'onAcquired',
      'onLost',
    ]);
  });

  it('are told what each event is about', async () => {
    const booted = await boot();
    await liveThrough(booted);
    const { log } = booted;
    expect(log.of('onAcquired')[0]).toEqual({ ...EVENT, fencingToken: expect.any(Number), waited: 0 });
    expect(log.of('onRenewed')[0]).toEqual({ ...EVENT, ttl: 3_000 });
    expect(log.of('onWaiting')).toEqual([EVENT]);
    expect(log.of('onBusy')).toEqual([{ ...EVENT, waited: 2_000, holder: expect.any(String) }]);
    expect(log.of('onReleased')).toEqual([{ ...EVENT, heldFor: 3_000 }]);
    expect(log.of('onLost')).toEqual([{ ...EVENT, reason: 'taken', error: expect.any(Error) }]);
    const error = expect.objectContaining({ message: 'connection refused' });
    expect(log.of('onError')[0]).toEqual({ store: 'default', operation: 'renew', keys: ['order:1'], error });
  });

  it('hear the mode, and of failures to acquire and to release', async () => {
    const { service, log, store } = await boot();
    await service.read('1');
    expect(log.of('onAcquired')[0]?.mode).toBe('shared');
    const work = deferred<string>();
    const call = service.ship('2', work);
    await log.seen('onAcquired', 2);
    store.goDown();
    await errorOf(service.ship('3'));
    work.resolve('done');
    await call;
    const failures = log.of('onError').map(({ operation, keys }) => [operation, ...keys]);
    expect(failures).toEqual([
      ['acquire', 'order:3'],
      ['release', 'order:2'],
    ]);
    store.comeBack();
    await store.clock.advance('1s');
    await log.seen('onReleased', 2);
  });

  it.each([
    ['rejects', () => Promise.reject(new Error('rejected'))],
    [
      'throws',
      () => {
        throw new Error('thrown');
      },
    ],
  ])('harm nothing when one %s at every event, and this is logged', async (_how, failure) => {
    const fail = failure as () => void; // an observer may be async without saying so
    const error = vi.spyOn(Logger.prototype, 'error').mockReturnValue();
    const booted = await boot({
      onAcquired: fail,
      onBusy: fail,
      onWaiting: fail,
      onRenewed: fail,
      onLost: fail,
      onReleased: fail,
      onError: fail,
    });
    await liveThrough(booted);
    expect(error).toHaveBeenCalledTimes(booted.log.entries.length);
    expect(error.mock.calls[0]?.[0]).toMatch(/A lock observer failed; locks are not affected/);
  });

  it('need not listen to everything, and are called as methods', async () => {
    class Counter implements LockObserver {
      acquired = 0;
      onAcquired(): void {
        this.acquired += 1;
      }
    }
    const counter = new Counter();
    await liveThrough(await boot(counter));
    expect(counter.acquired).toBe(2);
  });
});
