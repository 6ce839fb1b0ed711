import { Injectable, Module } from '@nestjs/common';
import { Test } from '@nestjs/testing';
import { describe, expect, it } from 'vitest';
import {
  DistributedLock,
  LockModule,
  type LockModuleOptions,
  LockOptionsError,
  type LockOptionsFactory,
  LockService,
  memoryStore,
} from '../../lib/index.js';
import { bootModule } from '../support/boot-app.js';
import { errorOf } from '../support/deferred.js';

@Injectable()
class Orders {
  @DistributedLock({ key: 'order:{id}', store: 'orders' })
  async ship(id: string): Promise<string> {
    return id;
  }
}

const CONFIG = 'CONFIG';

@Module({ providers: [{ provide: CONFIG, useValue: { store: 'orders' } }], exports: [CONFIG] })
class ConfigModule {}

@Injectable()
class LockConfig implements LockOptionsFactory {
  async createLockOptions(): Promise<LockModuleOptions> {
    return { stores: { orders: memoryStore() } };
  }
}

@Module({ providers: [LockConfig], exports: [LockConfig] })
class LockConfigModule {}

describe('forRootAsync', () => {
  it('takes the options from a factory, with what is injected into it', async () => {
    const lock = LockModule.forRootAsync({
      imports: [ConfigModule],
      inject: [CONFIG],
      useFactory: async (config: { store: string }) => ({ stores: { [config.store]: memoryStore() } }),
    });
    const app = await bootModule({ imports: [lock], providers: [Orders] });
    expect(await app.get(Orders).ship('1')).toBe('1');
  });

  it('takes the options from a class', async () => {
    const lock = LockModule.forRootAsync({ useClass: LockConfig });
    const app = await bootModule({ imports: [lock], providers: [Orders] });
    expect(await app.get(Orders).ship('1')).toBe('1');
  });

  it('takes the options from a provider that exists', async () => {
    const lock = LockModule.forRootAsync({ imports: [LockConfigModule], useExisting: LockConfig });
    const app = await bootModule({ imports: [lock], providers: [Orders] });
    expect(await app.get(Orders).ship('1')).toBe('1');
  });

  it('is global unless it is told otherwise', async () => {
    @Module({ providers: [Orders] })
    class Shop {}
    const options = { useClass: LockConfig };
    const app = await bootModule({ imports: [Shop, LockModule.forRootAsync(options)] });
    expect(await app.get(Orders, { strict: false }).ship('1')).toBe('1');
    const local = LockModule.forRootAsync({ ...options, isGlobal: false });
    const other = Test.createTestingModule({ imports: [Shop, local] });
    await expect(other.compile()).rejects.toThrow(/can't resolve dependencies of the Orders/);
  });

  it('checks what the factory gave as if it had been given at once', async () => {
    const useFactory = () => ({ store: memoryStore(), stores: { default: memoryStore() } });
    const app = Test.createTestingModule({ imports: [LockModule.forRootAsync({ useFactory })] });
    expect(await errorOf(app.compile())).toBeInstanceOf(LockOptionsError);
  });

  it('passes on the failure of a factory', async () => {
    const useFactory = async (): Promise<LockModuleOptions> => {
      throw new Error('no configuration');
    };
    const app = Test.createTestingModule({ imports: [LockModule.forRootAsync({ useFactory })] });
    await expect(app.compile()).rejects.toThrow('no configuration');
  });

  it('gives the service, too', async () => {
    const app = await bootModule({ imports: [LockModule.forRootAsync({ useClass: LockConfig })] });
    expect(await app.get(LockService).run('k', () => 7, { store: 'orders' })).toBe(7);
  });
});
