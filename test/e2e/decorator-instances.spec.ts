import { Controller, Get, Injectable, Scope } from '@nestjs/common';
import { Test } from '@nestjs/testing';
import { describe, expect, it, onTestFinished } from 'vitest';
import {
  currentLock,
  DistributedLock,
  LockModule,
  LockOptionsError,
  LockService,
  memoryStore,
} from '../../lib/index.js';
import { bootHttp, bootModule, bootWith } from '../support/boot-app.js';
import { errorOf } from '../support/deferred.js';

@Injectable()
class Orders {
  runs = 0;

  @DistributedLock({ key: 'order:{id}', wait: 0 })
  async ship(id: string): Promise<string> {
    this.runs += 1;
    return `${id}:${currentLock().key}`;
  }
}

@Injectable({ scope: Scope.REQUEST })
class RequestOrders extends Orders {}

@Injectable({ scope: Scope.TRANSIENT })
class TransientOrders extends Orders {}

@Controller({ path: 'count', scope: Scope.REQUEST })
class CountController {
  calls = 0;

  @Get()
  @DistributedLock()
  async count(): Promise<string> {
    this.calls += 1;
    return `${this.calls} in ${currentLock().key}`;
  }
}

describe('instances', () => {
  it('5. the injected service is no part of the data of an instance', async () => {
    const { service } = await bootWith(Orders);
    await service.ship('1');
    expect(Object.keys(service)).toEqual(['runs']);
    expect(JSON.stringify(service)).toBe('{"runs":1}');
    expect(Reflect.ownKeys(Object.assign({}, service))).toEqual(['runs']);
  });

  it('5. two applications in one process stay apart', async () => {
    const [one, other] = [await bootWith(Orders), await bootWith(Orders)];
    await one.store.holdElsewhere('order:1');
    expect(await errorOf(one.service.ship('1'))).toHaveProperty('code', 'LOCK_BUSY');
    expect(await other.service.ship('1')).toBe('1:order:1');
    expect(one.log.names).toEqual(['onBusy']);
    expect(other.log.names).toEqual(['onAcquired', 'onReleased']);
    await one.app.close();
    expect(await errorOf(one.service.ship('2'))).toHaveProperty('code', 'LOCK_UNAVAILABLE');
    expect(await other.service.ship('2')).toBe('2:order:2');
  });

  it('5. request-scoped and transient classes have the service in every instance', async () => {
    const app = await bootModule({
      imports: [LockModule.forRoot({ store: memoryStore() })],
      providers: [RequestOrders, TransientOrders],
    });
    for (const type of [RequestOrders, TransientOrders]) {
      const [one, other] = [await app.resolve(type), await app.resolve(type)];
      expect(one).not.toBe(other);
      expect(await one.ship('1')).toBe('1:order:1');
      expect(await other.ship('1')).toBe('1:order:1');
      expect([one.runs, other.runs]).toEqual([1, 1]);
    }
  });

  it('5. instances of one class exclude each other', async () => {
    const app = await bootModule({
      imports: [LockModule.forRoot({ store: memoryStore() })],
      providers: [TransientOrders],
    });
    const hold = await app.get(LockService).acquire('order:1');
    const orders = await app.resolve(TransientOrders);
    expect(await errorOf(orders.ship('1'))).toHaveProperty('code', 'LOCK_BUSY');
    await hold.release();
  });

  it('5. a request-scoped controller works over HTTP', async () => {
    const imports = [LockModule.forRoot({ store: memoryStore() })];
    const { url } = await bootHttp({ imports, controllers: [CountController] });
    for (let request = 0; request < 2; request += 1) {
      expect(await (await fetch(`${url}/count`)).text()).toBe('1 in CountController.count');
    }
  });

  it('5. an object made with plain `new` fails with a sentence that says so, and nothing runs', async () => {
    const orders = new Orders();
    const error = await errorOf(orders.ship('1'));
    expect(error).toBeInstanceOf(LockOptionsError);
    expect(String(error)).toMatch(/Orders\.ship: this object was not made by Nest.*nothing was run/);
    expect(orders.runs).toBe(0);
  });

  it('5. a method that was detached from its object says so too', async () => {
    const { service } = await bootWith(Orders);
    const { ship } = service;
    expect(String(await errorOf(ship('1')))).toMatch(/not detached from it/);
    expect(await ship.call(service, '1')).toBe('1:order:1');
  });

  it('5. a call from the constructor, before the service is there, does not run unlocked (peers.md 19)', async () => {
    @Injectable()
    class Eager extends Orders {
      readonly early = errorOf(this.ship('1'));
    }
    const { service } = await bootWith(Eager);
    expect(await service.early).toBeInstanceOf(LockOptionsError);
    expect(service.runs).toBe(0);
  });

  it('5. a LockService of the test takes the place of the real one', async () => {
    const real = await bootWith(Orders);
    const app = await Test.createTestingModule({
      providers: [Orders, { provide: LockService, useValue: real.locks }],
    }).compile();
    onTestFinished(() => app.close());
    expect(await app.get(Orders).ship('1')).toBe('1:order:1');
    expect(real.log.names).toContain('onAcquired');
  });
});
