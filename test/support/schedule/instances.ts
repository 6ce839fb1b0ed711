import type { Type } from '@nestjs/common';
import { ScheduleModule } from '@nestjs/schedule';
import { Test, type TestingModule } from '@nestjs/testing';
import { onTestFinished, vi } from 'vitest';
import { LockModule, LockService } from '../../../lib/index.js';
import { ControllableStore } from '../../../lib/testing/index.js';
import { EventLog } from '../event-log.js';

/** One of several instances of an application that share a store. */
export interface Instance<T> {
  readonly app: TestingModule;
  readonly locks: LockService;
  readonly log: EventLog;
  /** The object with the jobs. Nothing fires by itself: the test calls them when a clock says so. */
  readonly jobs: T;
}

export interface Instances<T> {
  readonly store: ControllableStore;
  readonly all: readonly Instance<T>[];
}

/** Boots an application around a class with jobs, so many times, on one store that the test controls. */
export async function bootInstances<T>(type: Type<T>, count: number): Promise<Instances<T>> {
  const store = new ControllableStore();
  const all: Instance<T>[] = [];
  onTestFinished(async () => {
    store.comeBack();
    const closed = Promise.all(all.map(({ app }) => app.close()));
    await store.clock.advance('1m');
    await closed;
  });
  for (let index = 0; index < count; index += 1) {
    const log = new EventLog();
    const app = await Test.createTestingModule({
      imports: [
        ScheduleModule.forRoot({ cronJobs: false, intervals: false }),
        LockModule.forRoot({ store, observers: [log] }),
      ],
      providers: [type],
    }).compile();
    await app.init();
    all.push({ app, log, locks: app.get(LockService), jobs: app.get(type) });
  }
  return { store, all };
}

/** What every clock says from now on; the store has its own. Timers go on as ever. */
export function setClocks(time: string): void {
  vi.useFakeTimers({ toFake: ['Date'], now: new Date(time) });
  onTestFinished(() => void vi.useRealTimers());
}
