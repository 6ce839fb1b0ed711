import { Injectable, SetMetadata } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import { ScheduleModule, SchedulerRegistry } from '@nestjs/schedule';
import { describe, expect, it, onTestFinished } from 'vitest';
import { currentLock, DistributedLock, LockModule, memoryStore } from '../../lib/index.js';
import { LockedCron, LockedInterval } from '../../lib/integrations/schedule/index.js';
import { ControllableStore } from '../../lib/testing/index.js';
import { bootModule } from '../support/boot-app.js';
import { deferred } from '../support/deferred.js';
import { EventLog } from '../support/event-log.js';
import { nestLog } from '../support/schedule/nest-log.js';

const SOON = new Date(Date.now() + 3_600_000);

@Injectable()
class Jobs {
  readonly ran = { cron: deferred<string>(), interval: deferred<string>() };

  @LockedCron('* * * * * *', { name: 'cron' })
  async cron(): Promise<void> {
    this.ran.cron.resolve(currentLock().key);
  }

  @LockedInterval(5, { name: 'interval' })
  async interval(): Promise<void> {
    this.ran.interval.resolve(currentLock().key);
  }

  @LockedCron('0 3 * * *', { name: 'zoned', timeZone: 'Asia/Tokyo', disabled: true, waitForCompletion: true })
  async zoned(): Promise<void> {}

  @LockedCron('0 3 * * *', { name: 'offset', utcOffset: 120 })
  async offset(): Promise<void> {}

  @LockedCron(SOON, { name: 'date' })
  async date(): Promise<void> {}

  @LockedInterval('1h')
  async nameless(): Promise<void> {}
}

@Injectable()
class Failing {
  runs = 0;

  @LockedCron('* * * * * *', { name: 'failing', disabled: true })
  async run(): Promise<void> {
    this.runs += 1;
    throw new Error('no paper');
  }
}

@Injectable()
class Stacked {
  readonly keys: string[] = [];

  @SetMetadata('above', 1)
  @DistributedLock({ key: 'outer' })
  @LockedCron('0 3 * * *', { key: 'job', name: 'stacked', disabled: true })
  @DistributedLock({ key: 'inner' })
  @SetMetadata('below', 2)
  async run(): Promise<void> {
    for (const key of ['outer', 'job', 'inner']) this.keys.push(currentLock(key).key);
  }
}

function boot(type: new () => object, store = new ControllableStore(), log = new EventLog()) {
  return bootModule({
    imports: [ScheduleModule.forRoot(), LockModule.forRoot({ store, observers: [log] })],
    providers: [type],
  });
}

describe('Nest', () => {
  it('registers jobs, with all of its own options', async () => {
    const registry = (await boot(Jobs)).get(SchedulerRegistry);
    expect([...registry.getCronJobs().keys()].sort()).toEqual(['cron', 'date', 'offset', 'zoned']);
    const zoned = registry.getCronJob('zoned');
    expect(zoned.cronTime).toMatchObject({ source: '0 3 * * *', timeZone: 'Asia/Tokyo' });
    expect(zoned).toMatchObject({ isActive: false, waitForCompletion: true });
    expect(registry.getCronJob('offset').cronTime.utcOffset).toBe(120);
    expect(registry.getCronJob('date').nextDate().toMillis()).toBe(SOON.getTime());
    expect(registry.getIntervals()).toContain('interval');
    expect(registry.getIntervals()).toHaveLength(2);
  });

  it('runs them by itself, inside their locks', async () => {
    const { ran } = (
      await bootModule({
        imports: [ScheduleModule.forRoot(), LockModule.forRoot({ store: memoryStore() })],
        providers: [Jobs],
      })
    ).get(Jobs);
    expect(await ran.cron.promise).toBe('Jobs.cron');
    expect(await ran.interval.promise).toBe('Jobs.interval');
  });

  it('finds what other decorators noted, above and below, and all locks are held', async () => {
    const app = await boot(Stacked);
    await app.get(SchedulerRegistry).getCronJob('stacked').fireOnTick();
    await expect.poll(() => app.get(Stacked).keys).toEqual(['outer', 'job', 'inner']);
    const reflector = new Reflector();
    expect(reflector.get('above', Stacked.prototype.run)).toBe(1);
    expect(reflector.get('below', Stacked.prototype.run)).toBe(2);
    expect(Stacked.prototype.run.name).toBe('run');
  });
});

describe('what a job rejects with', () => {
  it("is logged by Nest as it is, once, and is nobody's unhandled rejection", async () => {
    const unhandled: unknown[] = [];
    const note = (error: unknown) => void unhandled.push(error);
    process.on('unhandledRejection', note);
    onTestFinished(() => void process.off('unhandledRejection', note));
    const [store, log] = [new ControllableStore(), new EventLog()];
    const app = await boot(Failing, store, log);
    const job = app.get(SchedulerRegistry).getCronJob('failing');
    const lines = nestLog();
    await job.fireOnTick();
    await log.seen('onReleased', 2);
    await expect.poll(() => lines).toEqual(['error Error: no paper']);
    store.goDown();
    await job.fireOnTick();
    await expect.poll(() => lines).toHaveLength(2);
    expect(lines[1]).toMatch(
      /^error LockUnavailableError: Failing\.run: .* cannot be locked: .*connection refused/,
    );
    await new Promise((resolve) => setImmediate(resolve));
    expect(unhandled).toEqual([]);
    expect(app.get(Failing).runs).toBe(1);
    store.comeBack();
  });
});
