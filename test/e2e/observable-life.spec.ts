import { lastValueFrom, toArray } from 'rxjs';
import { describe, expect, it } from 'vitest';
import { LockOptionsError } from '../../lib/index.js';
import { bootWith } from '../support/boot-app.js';
import { errorOf } from '../support/deferred.js';
import { Feed, listen } from '../support/feed.js';

describe('an Observable', () => {
  it('6. is locked from its subscription to its completion, and not before', async () => {
    const { service, locks } = await bootWith(Feed);
    const stream = service.stream();
    expect(service.calls).toBe(0);
    expect(await locks.inspect('feed')).toBeNull();
    const { values, ended } = listen(stream);
    await service.called[0]?.promise;
    service.source.next(1);
    expect((await locks.inspect('feed'))?.holders).toHaveLength(1);
    service.source.next(2);
    service.source.complete();
    expect(await ended).toBe('completed');
    expect(values).toEqual([1, 2]);
    expect(await locks.inspect('feed')).toBeNull();
  });

  it('6. is renewed for as long as it lasts', async () => {
    const { service, log, store } = await bootWith(Feed);
    const { values, ended } = listen(service.stream());
    await service.called[0]?.promise;
    await store.clock.advance('1m');
    service.source.next(1);
    service.source.complete();
    expect(await ended).toBe('completed');
    expect(values).toEqual([1]);
    expect(log.names).not.toContain('onLost');
  });

  it('6. has its values made inside the lock, also when it ends at once', async () => {
    const { service, locks } = await bootWith(Feed);
    expect(await lastValueFrom(service.numbers(2).pipe(toArray()))).toEqual([
      '0 in numbers:2',
      '1 in numbers:2',
    ]);
    expect(await locks.inspect('numbers:2')).toBeNull();
  });

  it('6. locks for each of its subscriptions', async () => {
    const { service, log } = await bootWith(Feed);
    const stream = service.stream();
    const first = listen(stream);
    await service.called[0]?.promise;
    const second = listen(stream);
    await log.seen('onWaiting');
    expect(service.calls).toBe(1);
    first.subscription.unsubscribe();
    await service.called[1]?.promise;
    expect(service.calls).toBe(2);
    service.source.next(5);
    expect([first.values, second.values]).toEqual([[], [5]]);
    second.subscription.unsubscribe();
    await log.seen('onReleased', 2);
  });

  it('6. that the return type does not declare fails with what to do, and is released', async () => {
    const { service, locks } = await bootWith(Feed);
    const error = await errorOf(service.either() as Promise<number>);
    expect(error).toBeInstanceOf(LockOptionsError);
    expect(String(error)).toMatch(
      /Feed\.either: the method returned an Observable.*declare it as Observable<…>/,
    );
    expect(await locks.inspect('either')).toBeNull();
  });

  it('5. of an object made with plain `new` fails with a sentence that says so', async () => {
    const feed = new Feed();
    expect(String(await listen(feed.stream()).ended)).toMatch(
      /Feed\.stream: this object was not made by Nest/,
    );
    expect(feed.calls).toBe(0);
  });
});
