import { Injectable } from '@nestjs/common';
import { describe, expect, it } from 'vitest';
import { currentLock, LockLostError } from '../../lib/index.js';
import { LockedCron } from '../../lib/integrations/schedule/index.js';
import { type Deferred, deferred, errorOf } from '../support/deferred.js';
import { bootInstances, type Instance, setClocks } from '../support/schedule/instances.js';
import { nestLog } from '../support/schedule/nest-log.js';

/** Counts its runs, and works as long as the test tells it to. */
class Job {
  runs = 0;
  work: Deferred<void> | undefined;
  /** What it saw of its lock. */
  readonly locks: { key: string; fencingToken: number; signal: AbortSignal }[] = [];

  protected async go(): Promise<void> {
    this.runs += 1;
    const { key, fencingToken, signal } = currentLock();
    this.locks.push({ key, fencingToken, signal });
    await this.work?.promise;
  }
}

@Injectable()
class EveryMinute extends Job {
  @LockedCron('* * * * *', { timeZone: 'UTC' })
  async run(): Promise<void> {
    await this.go();
  }

  @LockedCron('* * * * *', { timeZone: 'UTC', onOverlap: 'wait', key: 'patient' })
  async patient(): Promise<void> {
    await this.go();
  }

  @LockedCron('* * * * *', { timeZone: 'UTC', key: 'long', minHold: '50m' })
  async keptLong(): Promise<void> {
    await this.go();
  }

  @LockedCron('* * * * *', { timeZone: 'UTC', key: 'hung', maxHold: '1s' })
  async hung(): Promise<void> {
    await this.go();
  }

  @LockedCron('* * * * *', { timeZone: 'UTC', key: 'short', ttl: '2s' })
  async shortLease(): Promise<void> {
    await this.go();
  }
}

@Injectable()
class EverySecond extends Job {
  @LockedCron('* * * * * *')
  async run(): Promise<void> {
    await this.go();
  }
}

function runsOf(all: readonly Instance<Job>[]): readonly number[] {
  return all.map(({ jobs }) => jobs.runs);
}

async function bootTwo<T>(type: new () => T) {
  const { store, all } = await bootInstances(type, 2);
  const [one, two] = all as [Instance<T>, Instance<T>];
  return { store, all, one, two };
}

describe('a tick', () => {
  it('runs on the instance that comes first, and on no other', async () => {
    const { all, one, two } = await bootTwo(EveryMinute);
    setClocks('2026-05-01T10:05:00.003Z');
    await Promise.all([two.jobs.run(), one.jobs.run()]);
    await one.jobs.run();
    expect(runsOf(all)).toEqual([0, 1]);
  });

  it('is not run again by an instance whose clock is half a minute behind, however short the job (peers.md 22)', async () => {
    const { store, all, one, two } = await bootTwo(EverySecond);
    setClocks('2026-05-01T10:05:30.002Z');
    await one.jobs.run();
    await store.clock.advance('29s');
    await two.jobs.run(); // at this moment its clock says what that of the first said half a minute ago
    expect(runsOf(all)).toEqual([1, 0]);
    await store.clock.advance('2s');
    await two.jobs.run();
    expect(runsOf(all), 'minHold is over').toEqual([1, 1]);
  });

  it('does not hold up the next one, though its own claim lasts longer than the period', async () => {
    const { all, one, two } = await bootTwo(EverySecond);
    for (const time of ['05:30.002', '05:31.004', '05:32.001', '05:33.000']) {
      setClocks(`2026-05-01T10:${time}Z`);
      await Promise.all([one.jobs.run(), two.jobs.run()]);
    }
    expect(runsOf(all)).toEqual([4, 0]);
  });

  it('that is kept for nearly an hour is not taken for the one an hour later', async () => {
    const { store, all, one, two } = await bootTwo(EveryMinute);
    setClocks('2026-05-01T10:05:00.000Z');
    await one.jobs.keptLong();
    await store.clock.advance('49m');
    setClocks('2026-05-01T11:05:00.000Z');
    await two.jobs.keptLong();
    expect(runsOf(all)).toEqual([1, 1]);
  });

  it('is taken for all even if the process dies right after taking it', async () => {
    const { store, one, two } = await bootTwo(EverySecond);
    setClocks('2026-05-01T10:05:30.000Z');
    store.slowDown('1s'); // the claim is granted, and nobody gets to give it back
    void one.jobs.run();
    await store.clock.advance('10ms');
    store.slowDown(0);
    expect((await two.locks.inspect('EverySecond.run@05:30'))?.holders[0]?.expiresIn).toBeGreaterThan(29_000);
  });

  it('that is skipped gives a debug message and tells observers, and is no error', async () => {
    const { one, two } = await bootTwo(EveryMinute);
    setClocks('2026-05-01T10:05:00.003Z');
    const lines = nestLog();
    await one.jobs.run();
    expect(await two.jobs.run()).toBeUndefined();
    expect(lines).toEqual([
      'debug EveryMinute.run: skipped the tick of 2026-05-01T10:05:00.000Z: it has been taken.',
    ]);
    expect(two.log.names).toEqual(['onBusy']);
    expect(two.log.of('onBusy')[0]).toMatchObject({ key: 'EveryMinute.run@05:00', site: 'EveryMinute.run' });
  });
});

describe('a long run', () => {
  it('is not overlapped: the next tick is skipped, for all instances', async () => {
    const { store, all, one, two } = await bootTwo(EveryMinute);
    const work = deferred();
    one.jobs.work = work;
    setClocks('2026-05-01T10:05:00.000Z');
    const running = one.jobs.run();
    await one.log.seen('onAcquired', 2);
    await store.clock.advance('1m');
    setClocks('2026-05-01T10:06:00.000Z');
    const lines = nestLog();
    await two.jobs.run();
    work.resolve();
    await running;
    await one.jobs.run(); // that of the same tick: too late for it
    expect(runsOf(all)).toEqual([1, 0]);
    expect(lines[0]).toBe(
      'debug EveryMinute.run: skipped the tick of 2026-05-01T10:06:00.000Z: a run still goes on.',
    );
    expect(two.log.of('onBusy')[0]).toMatchObject({ key: 'EveryMinute.run', site: 'EveryMinute.run' });
    setClocks('2026-05-01T10:07:00.000Z');
    await two.jobs.run();
    expect(runsOf(all)).toEqual([1, 1]);
  });

  it("with onOverlap 'wait' is followed by the next tick as soon as it ends", async () => {
    const { store, all, one, two } = await bootTwo(EveryMinute);
    const work = deferred();
    one.jobs.work = work;
    setClocks('2026-05-01T10:05:00.000Z');
    const running = one.jobs.patient();
    await one.log.seen('onAcquired', 2);
    setClocks('2026-05-01T10:06:00.000Z');
    const next = two.jobs.patient();
    await two.log.seen('onWaiting');
    await store.clock.advance('20s');
    await one.jobs.patient(); // of the same tick
    expect(runsOf(all)).toEqual([1, 0]);
    work.resolve();
    await Promise.all([running, next]);
    expect(runsOf(all)).toEqual([1, 1]);
  });

  it("with onOverlap 'wait' is waited for until the next tick is due, and no longer", async () => {
    const { store, all, one, two } = await bootTwo(EveryMinute);
    const work = deferred();
    one.jobs.work = work;
    setClocks('2026-05-01T10:05:00.000Z');
    const running = one.jobs.patient();
    await one.log.seen('onAcquired', 2);
    setClocks('2026-05-01T10:06:00.000Z');
    const lines = nestLog();
    const next = two.jobs.patient();
    await two.log.seen('onWaiting');
    await store.clock.advance('1m');
    await next;
    expect(lines).toEqual([expect.stringMatching(/^debug .*10:06:00.000Z: a run still goes on/)]);
    work.resolve();
    await running;
    expect(runsOf(all)).toEqual([1, 0]);
  });

  it('keeps its lock by renewal, and a dead one blocks for no longer than half the period', async () => {
    const { store, all, one, two } = await bootTwo(EverySecond);
    one.jobs.work = deferred();
    setClocks('2026-05-01T10:05:30.000Z');
    const running = errorOf(one.jobs.run());
    await one.log.seen('onAcquired', 2);
    await store.clock.advance('5s');
    setClocks('2026-05-01T10:05:35.000Z');
    await two.jobs.run();
    expect(runsOf(all), 'renewed').toEqual([1, 0]);
    store.goDown(); // as if the process were gone: no renewal
    await store.clock.advance('1s');
    store.comeBack();
    setClocks('2026-05-01T10:05:36.000Z');
    await two.jobs.run();
    expect(runsOf(all), 'its lease of 1 s has ended').toEqual([1, 1]);
    one.jobs.work.resolve();
    expect(await running).toBeInstanceOf(LockLostError);
  });
});

describe('inside the job', () => {
  it('currentLock() is that of the job, with a token that rises from run to run', async () => {
    const { one, two } = await bootTwo(EverySecond);
    setClocks('2026-05-01T10:05:30.000Z');
    await one.jobs.run();
    setClocks('2026-05-01T10:05:31.000Z');
    await two.jobs.run();
    const [first] = one.jobs.locks;
    const [second] = two.jobs.locks;
    expect(first).toMatchObject({ key: 'EverySecond.run' });
    expect(second?.fencingToken).toBeGreaterThan(first?.fencingToken ?? Number.NaN);
  });

  it('a loss aborts the signal, and the call rejects although the job succeeded', async () => {
    const { store, one } = await bootTwo(EveryMinute);
    one.jobs.work = deferred();
    const call = errorOf(one.jobs.shortLease());
    await one.log.seen('onAcquired', 2);
    await store.takeAway('short');
    await store.clock.advance('2s');
    expect(one.jobs.locks[0]?.signal.aborted).toBe(true);
    one.jobs.work.resolve();
    expect(await call).toBeInstanceOf(LockLostError);
  });

  it('its own error stands, whatever became of the lock', async () => {
    const { store, one } = await bootTwo(EveryMinute);
    one.jobs.work = deferred();
    const call = errorOf(one.jobs.shortLease());
    await one.log.seen('onAcquired', 2);
    await store.takeAway('short');
    await store.clock.advance('2s');
    const error = new Error('no paper');
    one.jobs.work.reject(error);
    expect(await call).toBe(error);
  });

  it('maxHold ends a run that hangs, also where it is shorter than the usual lease', async () => {
    const { store, all, one, two } = await bootTwo(EveryMinute);
    one.jobs.work = deferred();
    setClocks('2026-05-01T10:05:00.000Z');
    const call = errorOf(one.jobs.hung());
    await one.log.seen('onAcquired', 2);
    await store.clock.advance('2s');
    expect(one.jobs.locks[0]?.signal.aborted).toBe(true);
    setClocks('2026-05-01T10:06:00.000Z');
    await two.jobs.hung();
    expect(runsOf(all)).toEqual([1, 1]);
    one.jobs.work.resolve();
    expect(await call).toMatchObject({ reason: 'max-hold' });
  });
});
