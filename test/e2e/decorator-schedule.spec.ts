import { Injectable } from '@nestjs/common';
import { Cron, Interval, ScheduleModule, SchedulerRegistry, Timeout } from '@nestjs/schedule';
import { describe, expect, it } from 'vitest';
import { currentLock, DistributedLock, LockModule, LockService, memoryStore } from '../../lib/index.js';
import { bootModule } from '../support/boot-app.js';
import { type Deferred, deferred } from '../support/deferred.js';
import { EventLog } from '../support/event-log.js';

const EVERY_SECOND = '* * * * * *';

@Injectable()
class Reports {
  readonly ran: Record<string, Deferred<string>> = {
    'Reports.cronBelow': deferred(),
    'Reports.cronAbove': deferred(),
    'Reports.intervalBelow': deferred(),
    'Reports.intervalAbove': deferred(),
    'Reports.timeoutBelow': deferred(),
    'Reports.timeoutAbove': deferred(),
  };

  @DistributedLock()
  @Cron(EVERY_SECOND, { name: 'below' })
  async cronBelow(): Promise<void> {
    this.#tell('Reports.cronBelow');
  }

  @Cron(EVERY_SECOND, { name: 'above' })
  @DistributedLock()
  async cronAbove(): Promise<void> {
    this.#tell('Reports.cronAbove');
  }

  @DistributedLock()
  @Interval('below', 5)
  async intervalBelow(): Promise<void> {
    this.#tell('Reports.intervalBelow');
  }

  @Interval('above', 5)
  @DistributedLock()
  async intervalAbove(): Promise<void> {
    this.#tell('Reports.intervalAbove');
  }

  @DistributedLock()
  @Timeout('below', 5)
  async timeoutBelow(): Promise<void> {
    this.#tell('Reports.timeoutBelow');
  }

  @Timeout('above', 5)
  @DistributedLock()
  async timeoutAbove(): Promise<void> {
    this.#tell('Reports.timeoutAbove');
  }

  #tell(job: string): void {
    this.ran[job]?.resolve(currentLock().key);
  }
}

@Injectable()
class Nightly {
  runs = 0;

  @Cron(EVERY_SECOND, { name: 'nightly', disabled: true })
  @DistributedLock({ key: 'nightly' })
  async run(): Promise<void> {
    this.runs += 1;
  }
}

const ONCE = { wait: 0, onBusy: 'skip', minHold: '1h' } as const;

/** Every job on one of the instances alone, however short it is. */
@Injectable()
class Once {
  /** The keys under which jobs have run. */
  readonly ran: string[] = [];

  @DistributedLock(ONCE)
  @Cron(EVERY_SECOND)
  async cronBelow(): Promise<void> {
    this.ran.push(currentLock().key);
  }

  @Cron(EVERY_SECOND)
  @DistributedLock(ONCE)
  async cronAbove(): Promise<void> {
    this.ran.push(currentLock().key);
  }

  @DistributedLock(ONCE)
  @Interval(5)
  async intervalBelow(): Promise<void> {
    this.ran.push(currentLock().key);
  }

  @Interval(5)
  @DistributedLock(ONCE)
  async intervalAbove(): Promise<void> {
    this.ran.push(currentLock().key);
  }

  @DistributedLock(ONCE)
  @Timeout(5)
  async timeoutBelow(): Promise<void> {
    this.ran.push(currentLock().key);
  }

  @Timeout(5)
  @DistributedLock(ONCE)
  async timeoutAbove(): Promise<void> {
    this.ran.push(currentLock().key);
  }
}

const log = new EventLog();

function boot() {
  return bootModule({
    imports: [ScheduleModule.forRoot(), LockModule.forRoot({ store: memoryStore() })],
    providers: [Reports],
  });
}

describe('@nestjs/schedule', () => {
  it('5. registers jobs above and below the decorator (peers.md 15)', async () => {
    const registry = (await boot()).get(SchedulerRegistry);
    expect([...registry.getCronJobs().keys()].sort()).toEqual(['above', 'below']);
    expect(registry.getIntervals().sort()).toEqual(['above', 'below']);
    expect(registry.getTimeouts().sort()).toEqual(['above', 'below']);
  });

  it('5. runs every one of them, inside its lock (peers.md 15)', async () => {
    const { ran } = (await boot()).get(Reports);
    for (const [job, { promise }] of Object.entries(ran)) expect(await promise).toBe(job);
  });

  it('5. makes a job wait whose key another holds', async () => {
    const app = await bootModule({
      imports: [ScheduleModule.forRoot(), LockModule.forRoot({ store: memoryStore(), observers: [log] })],
      providers: [Nightly],
    });
    const held = await app.get(LockService).acquire('nightly');
    const ticked = app.get(SchedulerRegistry).getCronJob('nightly').fireOnTick();
    await log.seen('onWaiting');
    expect(app.get(Nightly).runs).toBe(0);
    await held.release();
    await ticked;
    await log.seen('onReleased', 2);
    expect(app.get(Nightly).runs).toBe(1);
  });

  it("5. runs each on one instance alone with onBusy 'skip' and minHold, above and below the decorator", async () => {
    const store = memoryStore();
    const skipped = new EventLog();
    const instances: Once[] = [];
    for (let count = 0; count < 2; count += 1) {
      const app = await bootModule({
        imports: [ScheduleModule.forRoot(), LockModule.forRoot({ store, observers: [skipped] })],
        providers: [Once],
      });
      instances.push(app.get(Once));
    }
    const jobs = ['cronAbove', 'cronBelow', 'intervalAbove', 'intervalBelow', 'timeoutAbove', 'timeoutBelow'];
    const keys = jobs.map((job) => `Once.${job}`);
    const skippedKeys = () => [...new Set(skipped.of('onBusy').map(({ key }) => key))].sort();
    await expect.poll(skippedKeys, { timeout: 10_000 }).toEqual(keys);
    expect(instances.flatMap(({ ran }) => ran).sort()).toEqual(keys);
  });
});
