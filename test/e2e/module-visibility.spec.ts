import { forwardRef, Injectable, Module } from '@nestjs/common';
import { Test } from '@nestjs/testing';
import { describe, expect, it } from 'vitest';
import { currentLock, DistributedLock, LockModule, LockService, memoryStore } from '../../lib/index.js';
import { bootModule } from '../support/boot-app.js';

@Injectable()
class Orders {
  @DistributedLock({ key: 'order:{id}' })
  async ship(id: string): Promise<string> {
    return `${currentLock().key}/${id}`;
  }
}

@Module({ providers: [Orders], exports: [Orders] })
class OrdersModule {}

const local = () => LockModule.forRoot({ store: memoryStore(), isGlobal: false });

describe('the module', () => {
  it('is seen everywhere unless it is told otherwise', async () => {
    const app = await bootModule({ imports: [OrdersModule, LockModule.forRoot({ store: memoryStore() })] });
    expect(await app.get(Orders, { strict: false }).ship('1')).toBe('order:1/1');
  });

  it('5. where it is not seen, Nest itself says what it cannot resolve', async () => {
    const app = Test.createTestingModule({ imports: [OrdersModule, local()] });
    await expect(app.compile()).rejects.toThrow(
      /Nest can't resolve dependencies of the Orders.*LockService/s,
    );
  });

  it('5. where there is none at all, Nest itself says what it cannot resolve', async () => {
    const app = Test.createTestingModule({ imports: [OrdersModule] });
    await expect(app.compile()).rejects.toThrow(
      /Nest can't resolve dependencies of the Orders.*LockService/s,
    );
  });

  it('with `isGlobal: false` serves the modules that import it', async () => {
    @Module({ imports: [local()], providers: [Orders] })
    class Shop {}
    const app = await bootModule({ imports: [Shop] });
    expect(await app.get(Orders, { strict: false }).ship('1')).toBe('order:1/1');
  });

  it('with `isGlobal: false` can be exported again, through several modules', async () => {
    @Module({ imports: [local()], exports: [LockModule] })
    class Infrastructure {}
    @Module({ imports: [Infrastructure], exports: [Infrastructure] })
    class Shared {}
    @Module({ imports: [Shared], providers: [Orders] })
    class Shop {}
    const app = await bootModule({ imports: [Shop] });
    expect(await app.get(Orders, { strict: false }).ship('1')).toBe('order:1/1');
  });

  it('stands modules that import and export each other', async () => {
    const lock = local();
    @Module({ imports: [forwardRef(() => Right), lock], exports: [LockModule, forwardRef(() => Right)] })
    class Left {}
    @Module({ imports: [forwardRef(() => Left), lock], exports: [LockModule, forwardRef(() => Left)] })
    class Right {}
    @Module({ imports: [Left], providers: [Orders] })
    class Shop {}
    const app = await bootModule({ imports: [Shop] });
    expect(await app.get(Orders, { strict: false }).ship('1')).toBe('order:1/1');
  });

  it('can be imported twice, with stores of their own, by modules that then stay apart', async () => {
    @Injectable()
    class Bills extends Orders {}
    @Module({ imports: [local()], providers: [Orders, { provide: 'LOCKS', useExisting: LockService }] })
    class Shop {}
    @Module({ imports: [local()], providers: [Bills, { provide: 'BILL_LOCKS', useExisting: LockService }] })
    class Billing {}
    const app = await bootModule({ imports: [Shop, Billing] });
    const shop = app.get<LockService>('LOCKS', { strict: false });
    expect(shop).not.toBe(app.get('BILL_LOCKS', { strict: false }));
    const hold = await shop.acquire('order:1');
    expect(await app.get(Bills, { strict: false }).ship('1')).toBe('order:1/1');
    await hold.release();
  });
});
