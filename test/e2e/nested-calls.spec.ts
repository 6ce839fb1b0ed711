import { Inject, Injectable } from '@nestjs/common';
import { lastValueFrom, Observable, of } from 'rxjs';
import { describe, expect, it } from 'vitest';
import { currentLock, DistributedLock, LockOptionsError, LockService } from '../../lib/index.js';
import { bootWith } from '../support/boot-app.js';
import { errorOf } from '../support/deferred.js';

@Injectable()
class Stock {
  @DistributedLock({ key: 'order:{id}', wait: 0 })
  async reserve(id: string): Promise<number> {
    return id.length > 0 ? currentLock().fencingToken : 0;
  }

  @DistributedLock({ key: 'order:{id}', wait: 0 })
  watch(id: string): Observable<number> {
    return of(id.length > 0 ? currentLock().fencingToken : 0);
  }
}

@Injectable()
class Orders {
  @Inject(LockService) readonly locks!: LockService;
  @Inject(Stock) readonly stock!: Stock;

  @DistributedLock({ key: 'order:{id}', wait: 0 })
  async ship(id: string): Promise<readonly number[]> {
    return [
      currentLock().fencingToken,
      await this.pack(id),
      await this.stock.reserve(id),
      await lastValueFrom(this.stock.watch(id)),
      await this.locks.run(`order:${id}`, () => currentLock().fencingToken, { wait: 0 }),
    ];
  }

  @DistributedLock({ key: 'order:{id}', wait: 0 })
  async pack(id: string): Promise<number> {
    return this.stock.reserve(id);
  }

  @DistributedLock({ key: 'order:{id}', mode: 'shared' })
  async read(id: string): Promise<unknown> {
    return this.pack(id);
  }
}

describe('a nested call', () => {
  it('8. on the same key enters the hold of its caller, in any class and form (peers.md 20)', async () => {
    const { service, log } = await bootWith(Orders, { providers: [Stock] });
    const tokens = await service.ship('1');
    expect(tokens).toHaveLength(5);
    expect(new Set(tokens).size).toBe(1);
    expect(log.names).toEqual(['onAcquired', 'onReleased']);
  });

  it('8. goes on without the store (peers.md 20)', async () => {
    const { service, store, locks } = await bootWith(Orders, { providers: [Stock] });
    const token = await locks.run('order:1', async () => {
      store.goDown();
      return service.pack('1');
    });
    expect(token).toBeGreaterThan(0);
  });

  it('11. that would have to wait for its caller is refused at once', async () => {
    const { service } = await bootWith(Orders, { providers: [Stock] });
    const error = await errorOf(service.read('1'));
    expect(error).toBeInstanceOf(LockOptionsError);
    expect(String(error)).toMatch(/Orders\.pack: "order:1" is held in shared mode by the caller/);
  });
});
