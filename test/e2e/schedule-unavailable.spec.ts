import { Injectable } from '@nestjs/common';
import { describe, expect, it, vi } from 'vitest';
import { LockUnavailableError } from '../../lib/index.js';
import { LockedCron } from '../../lib/integrations/schedule/index.js';
import { errorOf } from '../support/deferred.js';
import { bootInstances, type Instance, setClocks } from '../support/schedule/instances.js';
import { nestLog } from '../support/schedule/nest-log.js';

@Injectable()
class Reports {
  runs = 0;

  @LockedCron('0 3 * * *', { timeZone: 'UTC' })
  async careful(): Promise<void> {
    this.runs += 1;
  }

  @LockedCron('0 3 * * *', { timeZone: 'UTC', onUnavailable: 'run' })
  async anyway(): Promise<void> {
    this.runs += 1;
  }

  @LockedCron('0 3 * * *', { timeZone: 'UTC', onOverlap: 'wait' })
  async patient(): Promise<void> {
    this.runs += 1;
  }
}

async function boot() {
  const { store, all } = await bootInstances(Reports, 1);
  setClocks('2026-05-01T03:00:00.000Z');
  return { store, ...(all[0] as Instance<Reports>) };
}

describe('at a tick, a store that is', () => {
  it('down keeps the job from running, and the call rejects with what happened', async () => {
    const { store, jobs, log } = await boot();
    store.goDown();
    expect(await errorOf(jobs.careful())).toBeInstanceOf(LockUnavailableError);
    expect(jobs.runs).toBe(0);
    expect(log.names).toEqual(['onError']);
    store.comeBack();
    await jobs.careful();
    expect(jobs.runs, 'the tick was not taken').toBe(1);
  });

  it('silent keeps it from running too', async () => {
    const { store, jobs, log } = await boot();
    store.goSilent();
    const call = errorOf(jobs.careful());
    await store.clock.advance('3s');
    expect(await call).toBeInstanceOf(LockUnavailableError);
    expect(jobs.runs).toBe(0);
    expect(log.names).toEqual(['onError']);
  });

  it("down does not keep it from running with onUnavailable 'run'", async () => {
    const { store, jobs } = await boot();
    store.goDown();
    await jobs.anyway();
    expect(jobs.runs).toBe(1);
  });

  it("lost between the tick and the job is the same: an error, or 'run'", async () => {
    const { store, jobs, log } = await boot();
    vi.spyOn(log, 'onAcquired').mockImplementation(() => store.goDown());
    expect(await errorOf(jobs.careful())).toBeInstanceOf(LockUnavailableError);
    expect(jobs.runs).toBe(0);
    store.comeBack();
    await jobs.anyway();
    expect(jobs.runs).toBe(1);
  });
});

describe('at shutdown', () => {
  it('a tick is skipped, and is no error', async () => {
    const { jobs, locks } = await boot();
    locks.beforeApplicationShutdown();
    const lines = nestLog();
    await jobs.careful();
    await jobs.anyway();
    expect(jobs.runs).toBe(0);
    expect(lines).toEqual([
      expect.stringMatching(
        /^debug Reports\.careful: skipped the tick of .*: the application is shutting down/,
      ),
      expect.stringMatching(/^debug Reports\.anyway: skipped/),
    ]);
  });

  it('a tick that waits is turned away, and is no error', async () => {
    const { store, jobs, locks, log } = await boot();
    await store.holdElsewhere('Reports.patient');
    const call = jobs.patient();
    await log.seen('onWaiting');
    locks.beforeApplicationShutdown();
    expect(await call).toBeUndefined();
    expect(jobs.runs).toBe(0);
  });
});
