import { Injectable, Logger } from '@nestjs/common';
import { Test } from '@nestjs/testing';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { DistributedLock, LockModule, LockOptionsError, LockService, memoryStore } from '../../lib/index.js';
import { bootModule } from '../support/boot-app.js';
import { errorOf } from '../support/deferred.js';

@Injectable()
class Bills {
  @DistributedLock({ key: 'bill', wait: 0 })
  async inDefault(): Promise<string> {
    return 'default';
  }

  @DistributedLock({ key: 'bill', store: 'billing', wait: 0 })
  async inBilling(): Promise<string> {
    return 'billing';
  }
}

async function refusalOf(options: object): Promise<string> {
  const app = Test.createTestingModule({ imports: [LockModule.forRoot(options)] });
  const error = await errorOf(app.compile());
  expect(error).toBeInstanceOf(LockOptionsError);
  return String(error);
}

describe('module options', () => {
  afterEach(() => {
    vi.restoreAllMocks();
  });

  it('without a store keeps locks in memory, and warns once', async () => {
    const warn = vi.spyOn(Logger.prototype, 'warn').mockReturnValue();
    const app = await bootModule({ imports: [LockModule.forRoot()] });
    const locks = app.get(LockService);
    const hold = await locks.acquire('k');
    expect(await locks.tryAcquire('k')).toBeNull();
    await hold.release();
    expect(warn).toHaveBeenCalledOnce();
    expect(warn.mock.calls[0]?.[0]).toMatch(/memory of this process: they exclude nobody in another process/);
  });

  it('with a store does not warn', async () => {
    const warn = vi.spyOn(Logger.prototype, 'warn').mockReturnValue();
    await bootModule({ imports: [LockModule.forRoot({ store: memoryStore() })] });
    expect(warn).not.toHaveBeenCalled();
  });

  it('names several stores, which stay apart', async () => {
    const stores = { default: memoryStore(), billing: memoryStore() };
    const app = await bootModule({ imports: [LockModule.forRoot({ stores })], providers: [Bills] });
    const [bills, locks] = [app.get(Bills), app.get(LockService)];
    const hold = await locks.acquire('bill', { store: 'billing' });
    expect(await bills.inDefault()).toBe('default');
    expect(await errorOf(bills.inBilling())).toHaveProperty('code', 'LOCK_BUSY');
    expect(await locks.inspect('bill')).toBeNull();
    expect((await locks.inspect('bill', 'billing'))?.holders).toHaveLength(1);
    await hold.release();
    expect(await bills.inBilling()).toBe('billing');
  });

  it('takes `store` beside `stores`', async () => {
    const options = { store: memoryStore(), stores: { billing: memoryStore() } };
    const app = await bootModule({ imports: [LockModule.forRoot(options)], providers: [Bills] });
    expect(await app.get(Bills).inDefault()).toBe('default');
    expect(await app.get(Bills).inBilling()).toBe('billing');
  });

  it('refuses both `store` and `stores.default`', async () => {
    const options = { store: memoryStore(), stores: { default: memoryStore() } };
    expect(await refusalOf(options)).toMatch(/both `store` and `stores.default`/);
  });

  it.each([
    ['a forgotten call', memoryStore],
    ['a forgotten await', Promise.resolve(memoryStore())],
    ['a client', { get: () => null, set: () => null }],
    ['a name', 'redis'],
  ])('refuses what is no store: %s', async (_what, store) => {
    expect(await refusalOf({ store })).toMatch(
      /given as the store 'default' is no LockStore \(it lacks acquire/,
    );
  });

  it('refuses a store without capabilities, and one that is undefined under its name', async () => {
    const { acquire, renew, release, inspect, list, forceRelease, ping, close } = Object.getPrototypeOf(
      memoryStore(),
    ) as Record<string, unknown>;
    const methods = { acquire, renew, release, inspect, list, forceRelease, ping, close };
    expect(await refusalOf({ store: methods })).toMatch(/lacks capabilities/);
    expect(await refusalOf({ stores: { billing: undefined } })).toMatch(
      /the store 'billing' is no LockStore/,
    );
  });

  it('refuses an option that it does not know, and durations that are none', async () => {
    expect(await refusalOf({ ttl: 5 })).toMatch(/no option `ttl`; the options are: store, stores, observers/);
    expect(await refusalOf({ shutdownTimeout: '10 sec' })).toMatch(
      /`shutdownTimeout` '10 sec' is no duration/,
    );
    expect(await refusalOf({ shutdownTimeout: -1 })).toMatch(/`shutdownTimeout` -1 is too short/);
    expect(await refusalOf({ storeTimeout: 0 })).toMatch(/`storeTimeout` 0 is too short/);
  });
});
