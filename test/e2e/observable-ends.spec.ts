import { lastValueFrom } from 'rxjs';
import { describe, expect, it } from 'vitest';
import { LockLostError } from '../../lib/index.js';
import { bootWith } from '../support/boot-app.js';
import { errorOf } from '../support/deferred.js';
import { Feed, listen } from '../support/feed.js';

describe('an Observable that ends before its time', () => {
  it('6. gives the key back when it fails, and its own error (behaviour 7)', async () => {
    const { service, locks } = await bootWith(Feed);
    const failure = new Error('mine');
    const { ended } = listen(service.stream());
    await service.called[0]?.promise;
    service.source.error(failure);
    expect(await ended).toBe(failure);
    expect(await locks.inspect('feed')).toBeNull();
    expect(await errorOf(lastValueFrom(service.throwsAtOnce(failure)))).toBe(failure);
    expect(await locks.inspect('throws')).toBeNull();
  });

  it('6. gives the key back when it is unsubscribed from', async () => {
    const { service, log, locks } = await bootWith(Feed);
    const { subscription } = listen(service.stream());
    await service.called[0]?.promise;
    expect(service.source.observed).toBe(true);
    subscription.unsubscribe();
    await log.seen('onReleased');
    expect(service.source.observed).toBe(false);
    expect(await locks.inspect('feed')).toBeNull();
  });

  it('6. unsubscribed from while it waits leaves nothing behind', async () => {
    const { service, log, locks, store } = await bootWith(Feed);
    const elsewhere = await store.holdElsewhere('feed');
    const { subscription } = listen(service.stream());
    await log.seen('onWaiting');
    expect((await locks.inspect('feed'))?.waiters).toHaveLength(1);
    subscription.unsubscribe();
    expect((await locks.inspect('feed'))?.waiters).toEqual([]);
    await elsewhere.release();
    await store.clock.advance('1m');
    expect(await locks.inspect('feed')).toBeNull();
    expect(service.calls).toBe(0);
    expect(log.names).toEqual(['onWaiting']);
  });

  it('6. unsubscribed from before the grant arrives gives it back, and does not run', async () => {
    const { service, log, locks, store } = await bootWith(Feed);
    store.slowDown('1s');
    const { subscription } = listen(service.stream());
    await store.clock.advance('500ms');
    subscription.unsubscribe();
    store.slowDown(0);
    await store.clock.advance('1s');
    expect(await locks.inspect('feed')).toBeNull();
    expect(service.calls).toBe(0);
    expect(log.names).toEqual([]);
  });

  it('6. fails as soon as its lock is lost, and is stopped', async () => {
    const { service, store } = await bootWith(Feed);
    const { ended } = listen(service.stream());
    await service.called[0]?.promise;
    await store.takeAway('feed');
    await store.clock.advance('2s');
    const error = await ended;
    expect(error).toBeInstanceOf(LockLostError);
    expect(error).toHaveProperty('reason', 'taken');
    expect(service.source.observed).toBe(false);
  });
});
