import { Injectable } from '@nestjs/common';
import { lastValueFrom, Observable, of, toArray } from 'rxjs';
import { describe, expect, it } from 'vitest';
import { currentLock, DistributedLock, LockBusyError, LockKeyError } from '../../lib/index.js';
import { bootWith } from '../support/boot-app.js';
import { errorOf } from '../support/deferred.js';

@Injectable()
class Catalog {
  readonly label = 'catalog';
  runs = 0;

  @DistributedLock({ key: 'list', wait: 0 })
  strict(): Observable<string> {
    return this.#run();
  }

  @DistributedLock({ key: 'list', wait: 0, onBusy: 'skip' })
  skipping(): Observable<string | undefined> {
    return this.#run();
  }

  @DistributedLock({ key: 'list', wait: 0, onBusy: (name: string) => `no ${name}` })
  withValue(_name: string): Observable<string> {
    return this.#run();
  }

  @DistributedLock({
    key: 'list',
    wait: 0,
    onBusy(this: Catalog, name: string): Observable<string> {
      return of(this.label, name);
    },
  })
  withStream(_name: string): Observable<string> {
    return this.#run();
  }

  @DistributedLock({ key: 'list', onUnavailable: 'run' })
  regardless(): Observable<string> {
    return this.#run();
  }

  @DistributedLock({ key: 'list:{0}', onBusy: 'skip', onUnavailable: 'run' })
  keyed(_name: string | undefined): Observable<string | undefined> {
    return this.#run();
  }

  #run(): Observable<string> {
    this.runs += 1;
    return of('ran');
  }
}

const all = <T>(stream: Observable<T>) => lastValueFrom(stream.pipe(toArray()));

describe('an Observable whose lock cannot be had', () => {
  it('6. fails with LockBusyError unless told otherwise', async () => {
    const { service, store } = await bootWith(Catalog);
    await store.holdElsewhere('list');
    expect(await errorOf(all(service.strict()))).toBeInstanceOf(LockBusyError);
    expect(service.runs).toBe(0);
  });

  it("6. with `onBusy: 'skip'` gives undefined and completes", async () => {
    const { service, store } = await bootWith(Catalog);
    const elsewhere = await store.holdElsewhere('list');
    expect(await all(service.skipping())).toEqual([undefined]);
    expect(service.runs).toBe(0);
    await elsewhere.release();
    expect(await all(service.skipping())).toEqual(['ran']);
  });

  it('6. with a function gives its value, or all values of its Observable', async () => {
    const { service, store } = await bootWith(Catalog);
    await store.holdElsewhere('list');
    expect(await all(service.withValue('books'))).toEqual(['no books']);
    expect(await all(service.withStream('books'))).toEqual(['catalog', 'books']);
    expect(service.runs).toBe(0);
  });

  it("6. with `onUnavailable: 'run'` runs without the lock while the store is down", async () => {
    const { service, store, log } = await bootWith(Catalog);
    store.goDown();
    expect(await all(service.regardless())).toEqual(['ran']);
    expect(log.names).toEqual(['onError']);
    expect(() => currentLock()).toThrow();
    expect(await errorOf(all(service.strict()))).toHaveProperty('code', 'LOCK_UNAVAILABLE');
    expect(service.runs).toBe(1);
  });

  it('6. for want of a key fails, whatever the fallbacks are (peers.md 14)', async () => {
    const { service } = await bootWith(Catalog);
    expect(await errorOf(all(service.keyed(undefined)))).toBeInstanceOf(LockKeyError);
    expect(service.runs).toBe(0);
  });
});
