import { Controller, Get, Injectable, Module, Scope, type Type } from '@nestjs/common';
import { LazyModuleLoader } from '@nestjs/core';
import { Test } from '@nestjs/testing';
import { describe, expect, it, onTestFinished } from 'vitest';
import { DistributedLock, LockModule, LockOptionsError, LockService } from '../../lib/index.js';
import { ControllableStore } from '../../lib/testing/index.js';
import { bootModule, bootWith } from '../support/boot-app.js';
import { errorOf } from '../support/deferred.js';

const POOR = { shared: false, permits: false, minHold: false };

@Injectable()
class Elsewhere {
  @DistributedLock({ store: 'biling' })
  async run(): Promise<void> {}
}

@Injectable()
class Reader {
  @DistributedLock({ mode: 'shared' })
  async read(): Promise<void> {}
}

@Injectable()
class Pool {
  @DistributedLock({ permits: 3 })
  async use(): Promise<void> {}
}

@Injectable()
class Job {
  @DistributedLock({ minHold: '1s' })
  async run(): Promise<void> {}
}

@Injectable({ scope: Scope.REQUEST })
class RequestReader extends Reader {}

@Injectable({ scope: Scope.TRANSIENT })
class TransientElsewhere extends Elsewhere {}

@Controller({ scope: Scope.REQUEST })
class ReadingController {
  @Get()
  @DistributedLock({ mode: 'shared' })
  async read(): Promise<void> {}
}

async function refusalOf(metadata: { providers?: Type[]; controllers?: Type[]; imports?: Type[] }) {
  const lock = LockModule.forRoot({ store: new ControllableStore(POOR) });
  const imports = [lock, ...(metadata.imports ?? [])];
  const app = await Test.createTestingModule({ ...metadata, imports }).compile();
  onTestFinished(() => app.close());
  const error = await errorOf(app.init());
  expect(error).toBeInstanceOf(LockOptionsError);
  return String(error);
}

describe('at boot', () => {
  it('refuses a store that nobody named, listing those that there are', async () => {
    expect(await refusalOf({ providers: [Elsewhere] })).toMatch(
      /Elsewhere\.run: there is no store called 'biling'; the stores given to LockModule are: 'default'/,
    );
  });

  it.each([
    [Reader, /Reader\.read: the controllable store cannot do `mode: 'shared'`/],
    [Pool, /Pool\.use: the controllable store cannot do `permits`/],
    [Job, /Job\.run: the controllable store cannot do `minHold`/],
  ])('refuses what the store cannot do: %o', async (type, message) => {
    expect(await refusalOf({ providers: [type] })).toMatch(message);
  });

  it('looks at request-scoped and transient classes and at controllers too', async () => {
    expect(await refusalOf({ providers: [RequestReader] })).toMatch(/Reader\.read: /);
    expect(await refusalOf({ providers: [TransientElsewhere] })).toMatch(/Elsewhere\.run: /);
    expect(await refusalOf({ controllers: [ReadingController] })).toMatch(/ReadingController\.read: /);
  });

  it('looks into every module that is given this LockService', async () => {
    @Module({ providers: [Pool] })
    class PoolModule {}
    expect(await refusalOf({ imports: [PoolModule] })).toMatch(/Pool\.use: /);
  });

  it('looks through modules that export it again', async () => {
    const lock = LockModule.forRoot({ store: new ControllableStore(POOR), isGlobal: false });
    @Module({ imports: [lock], exports: [LockModule] })
    class Infrastructure {}
    @Module({ imports: [Infrastructure], exports: [Infrastructure] })
    class Shared {}
    @Module({ imports: [Shared], providers: [Reader] })
    class Shop {}
    await expect(bootModule({ imports: [Shop] })).rejects.toThrow(/Reader\.read: .* cannot do/);
  });

  it('does not measure a module by the store of another', async () => {
    const stores = { biling: new ControllableStore() };
    const local = LockModule.forRoot({ store: new ControllableStore(), stores, isGlobal: false });
    @Module({ imports: [local], providers: [Reader, Elsewhere] })
    class Shop {}
    const lock = LockModule.forRoot({ store: new ControllableStore(POOR) });
    const app = await bootModule({ imports: [lock, Shop] });
    await app.get(Elsewhere, { strict: false }).run();
    await app.get(Reader, { strict: false }).read();
  });

  it('does not measure one subclass by the methods of another', async () => {
    class Base {
      @DistributedLock()
      async base(): Promise<string> {
        return 'base';
      }
    }
    class _Poor extends Base {
      @DistributedLock({ store: 'nowhere' })
      async run(): Promise<void> {}
    }
    @Injectable()
    class Good extends Base {}
    const { service } = await bootWith(Good);
    expect(await service.base()).toBe('base');
  });

  it('starts when the store can do what is asked for', async () => {
    await bootWith(Reader, { providers: [Pool, Job] });
  });

  it('comes too early for a module that is loaded later: its calls are refused', async () => {
    @Module({ providers: [Reader, Elsewhere] })
    class Late {}
    const lock = LockModule.forRoot({ store: new ControllableStore(POOR) });
    const app = await bootModule({ imports: [lock] });
    const late = await app.get(LazyModuleLoader).load(() => Late);
    expect(String(await errorOf(late.get(Reader).read()))).toMatch(
      /Reader\.read: .* cannot do `mode: 'shared'`/,
    );
    expect(String(await errorOf(late.get(Elsewhere).run()))).toMatch(/Elsewhere\.run: there is no store/);
  });

  it('LockService has no boot: it refuses at the call, and nothing is run or held', async () => {
    const app = await bootModule({
      imports: [LockModule.forRoot({ store: new ControllableStore(POOR) })],
    });
    const locks = app.get(LockService);
    let runs = 0;
    const run = () => {
      runs += 1;
    };
    for (const options of [{ mode: 'shared' }, { permits: 2 }, { minHold: 5 }, { store: 'x' }] as const) {
      expect(await errorOf(locks.run('k', run, options))).toBeInstanceOf(LockOptionsError);
      expect(await errorOf(locks.acquire('k', options))).toBeInstanceOf(LockOptionsError);
      expect(await errorOf(locks.tryAcquire('k', options))).toBeInstanceOf(LockOptionsError);
    }
    expect(runs).toBe(0);
    expect(await locks.inspect('k')).toBeNull();
  });
});
