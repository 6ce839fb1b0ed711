import { Controller, Inject, Injectable, Module, type ModuleMetadata, Scope } from '@nestjs/common';
import { ScheduleModule } from '@nestjs/schedule';
import { Test } from '@nestjs/testing';
import { describe, expect, it, onTestFinished } from 'vitest';
import { LockModule, LockOptionsError } from '../../lib/index.js';
import { LockedCron, LockedInterval } from '../../lib/integrations/schedule/index.js';
import { ControllableStore } from '../../lib/testing/index.js';
import { errorOf } from '../support/deferred.js';

/** Wraps a method as many do, and loses what was noted on it. */
const Careless: MethodDecorator = (_target, _name, descriptor: PropertyDescriptor) => {
  const method = descriptor.value;
  descriptor.value = function (this: unknown, ...args: unknown[]) {
    return method.apply(this, args);
  };
};

@Injectable()
class Reports {
  @LockedCron('0 3 * * *')
  async run(): Promise<void> {}
}

@Injectable()
class Poll {
  @LockedInterval('1h')
  async run(): Promise<void> {}
}

async function boot(
  { imports = [], ...metadata }: ModuleMetadata,
  store = new ControllableStore(),
): Promise<void> {
  const lock = LockModule.forRoot({ store });
  const app = await Test.createTestingModule({ ...metadata, imports: [lock, ...imports] }).compile();
  onTestFinished(() => app.close());
  await app.init();
}

/** What an application with ScheduleModule does not start for. */
async function refusalOf(metadata: ModuleMetadata, store?: ControllableStore): Promise<string> {
  const imports = [ScheduleModule.forRoot(), ...(metadata.imports ?? [])];
  const error = await errorOf(boot({ ...metadata, imports }, store));
  expect(error).toBeInstanceOf(LockOptionsError);
  return String(error);
}

describe('at boot, a job is refused', () => {
  it('that nobody runs, because ScheduleModule is missing', async () => {
    for (const providers of [[Reports], [Poll]]) {
      const error = await errorOf(boot({ providers }));
      expect(error).toBeInstanceOf(LockOptionsError);
      expect(String(error)).toMatch(
        /(Reports|Poll)\.run: nobody runs this job: import ScheduleModule\.forRoot\(\)/,
      );
    }
  });

  it('whose metadata a decorator above has lost (peers.md 15)', async () => {
    @Injectable()
    class Lost {
      @Careless
      @LockedCron('0 3 * * *')
      async run(): Promise<void> {}
    }
    expect(await refusalOf({ providers: [Lost] })).toMatch(
      /Lost\.run: Nest does not see this job, because a decorator above .* without its metadata/,
    );
  });

  it('in a class that is made for each request, or for each that injects it', async () => {
    @Injectable({ scope: Scope.REQUEST })
    class OfRequest extends Reports {}
    @Injectable({ scope: Scope.TRANSIENT })
    class OfEach extends Poll {}
    @Injectable({ scope: Scope.REQUEST })
    class Tenant {}
    @Injectable()
    class OfTenant extends Reports {
      @Inject(Tenant)
      readonly tenant!: Tenant;
    }
    @Controller({ scope: Scope.REQUEST })
    class OfController extends Poll {}
    const problem = /\.run: Nest runs no jobs of a class that it makes more than once/;
    expect(await refusalOf({ providers: [OfRequest] })).toMatch(problem);
    expect(await refusalOf({ providers: [OfEach] })).toMatch(problem);
    expect(await refusalOf({ providers: [OfTenant, Tenant] })).toMatch(problem);
    expect(await refusalOf({ controllers: [OfController] })).toMatch(problem);
  });

  it('whose key another job has, as one of them would never run', async () => {
    const other = () => {
      @Injectable()
      class Reports {
        @LockedCron('0 4 * * *')
        async run(): Promise<void> {}
      }
      return Reports;
    };
    expect(await refusalOf({ providers: [Reports, other()] })).toMatch(
      /Reports\.run: "Reports\.run" is also the key of another Reports\.run, so that only one .* a `key` of its own/,
    );
    @Injectable()
    class Twice {
      @LockedCron('0 3 * * *', { key: 'nightly' })
      async one(): Promise<void> {}

      @LockedInterval('1h', { key: 'nightly' })
      async two(): Promise<void> {}
    }
    expect(await refusalOf({ providers: [Twice] })).toMatch(
      /Twice\.two: "nightly" is also the key of Twice\.one, /,
    );
    @Injectable()
    class Base {
      @LockedCron('0 3 * * *', { key: 'nightly' })
      async run(): Promise<void> {}
    }
    @Injectable()
    class Heir extends Base {}
    expect(await refusalOf({ providers: [Base, Heir] })).toMatch(
      /Heir\.run: "nightly" is also the key of Base\.run, /,
    );
  });

  it('whose store does not exist, or cannot keep a tick', async () => {
    @Injectable()
    class Elsewhere {
      @LockedCron('0 3 * * *', { store: 'biling' })
      async run(): Promise<void> {}
    }
    expect(await refusalOf({ providers: [Elsewhere] })).toMatch(
      /Elsewhere\.run: there is no store called 'biling'/,
    );
    const poor = new ControllableStore({ minHold: false });
    expect(await refusalOf({ providers: [Reports] }, poor)).toMatch(/Reports\.run: .* cannot do `minHold`/);
  });
});

describe('at boot, an application starts', () => {
  const start = async ({ imports = [], ...metadata }: ModuleMetadata) =>
    boot({ ...metadata, imports: [ScheduleModule.forRoot(), ...imports] });

  it('with jobs in providers and controllers', async () => {
    @Controller()
    class Here {
      @LockedCron('0 3 * * *')
      async run(): Promise<void> {}
    }
    await start({ providers: [Reports, Poll], controllers: [Here] });
  });

  it('with LockModule and ScheduleModule in either order, and with one that comes later', async () => {
    await boot({ providers: [Reports], imports: [ScheduleModule.forRoot()] });
    @Module({ imports: [ScheduleModule.forRoot()] })
    class Infrastructure {}
    await boot({ providers: [Reports], imports: [Infrastructure] });
    const lock = LockModule.forRoot({ store: new ControllableStore() });
    const app = await Test.createTestingModule({
      imports: [ScheduleModule.forRoot(), lock],
      providers: [Reports],
    }).compile();
    onTestFinished(() => app.close());
    await app.init();
  });

  it('where jobs are turned off on purpose', async () => {
    await boot({
      providers: [Reports, Poll],
      imports: [ScheduleModule.forRoot({ cronJobs: false, intervals: false })],
    });
  });

  it('with one class in two modules: that is one job', async () => {
    @Module({ providers: [Reports] })
    class One {}
    @Module({ providers: [Reports] })
    class Two {}
    await start({ imports: [One, Two] });
  });

  it('with two classes that inherit one job: those are two', async () => {
    @Injectable()
    class Daily extends Reports {}
    await start({ providers: [Reports, Daily] });
  });

  it('with a subclass that replaces the job by something else', async () => {
    @Injectable({ scope: Scope.REQUEST })
    class Quiet extends Reports {
      override async run(): Promise<void> {}
    }
    await start({ providers: [Quiet] });
  });

  it('with a decorator that loses metadata below the schedule', async () => {
    @Injectable()
    class Fine {
      @LockedCron('0 3 * * *')
      @Careless
      async run(): Promise<void> {}
    }
    await start({ providers: [Fine] });
  });

  it('a second time in one process', async () => {
    await start({ providers: [Reports] });
    await start({ providers: [Reports] });
  });
});
