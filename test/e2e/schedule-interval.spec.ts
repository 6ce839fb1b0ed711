import { Injectable } from '@nestjs/common';
import { describe, expect, it } from 'vitest';
import { currentLock } from '../../lib/index.js';
import { LockedInterval } from '../../lib/integrations/schedule/index.js';
import { type Deferred, deferred } from '../support/deferred.js';
import { bootInstances, type Instance } from '../support/schedule/instances.js';
import { nestLog } from '../support/schedule/nest-log.js';

@Injectable()
class Poll {
  runs = 0;
  work: Deferred<void> | undefined;

  @LockedInterval('10s')
  async run(): Promise<void> {
    await this.#go();
  }

  @LockedInterval('10s', { onOverlap: 'wait' })
  async patient(): Promise<void> {
    await this.#go();
  }

  async #go(): Promise<void> {
    this.runs += 1;
    currentLock().assertHeld();
    await this.work?.promise;
  }
}

async function bootTwo() {
  const { store, all } = await bootInstances(Poll, 2);
  const [one, two] = all as [Instance<Poll>, Instance<Poll>];
  return { store, one, two, runs: () => all.map(({ jobs }) => jobs.runs) };
}

describe('an interval over two instances', () => {
  it('that started at different moments runs once for each interval, on the one that comes first', async () => {
    const { store, one, two, runs } = await bootTwo();
    for (let turn = 0; turn < 5; turn += 1) {
      await one.jobs.run();
      await store.clock.advance('4s');
      await two.jobs.run();
      await store.clock.advance('6s');
    }
    expect(runs()).toEqual([5, 0]);
  });

  it('goes on with the other when the first is gone, within the interval', async () => {
    const { store, one, two, runs } = await bootTwo();
    await one.jobs.run();
    await store.clock.advance('4s');
    await two.jobs.run();
    await store.clock.advance('10s');
    await two.jobs.run();
    expect(runs()).toEqual([1, 1]);
  });

  it('forgives an instance that comes a little sooner than after the interval', async () => {
    const { store, one, runs } = await bootTwo();
    await one.jobs.run();
    await store.clock.advance('9s');
    await one.jobs.run();
    expect(runs()).toEqual([2, 0]);
  });

  it('does not overlap with a long run: the turn is skipped, with a debug message', async () => {
    const { store, one, two, runs } = await bootTwo();
    one.jobs.work = deferred();
    const running = one.jobs.run();
    await one.log.seen('onAcquired', 2);
    await store.clock.advance('12s');
    const lines = nestLog();
    await two.jobs.run();
    await two.jobs.run();
    expect(lines).toEqual([
      'debug Poll.run: skipped a turn: a run still goes on.',
      'debug Poll.run: skipped a turn: it has been taken.',
    ]);
    one.jobs.work.resolve();
    await running;
    expect(runs()).toEqual([1, 0]);
    expect(two.log.of('onBusy').map(({ key }) => key)).toEqual(['Poll.run', 'Poll.run@interval']);
  });

  it("waits for it with onOverlap 'wait', for an interval at most", async () => {
    const { store, one, two, runs } = await bootTwo();
    one.jobs.work = deferred();
    const running = one.jobs.patient();
    await one.log.seen('onAcquired', 2);
    await store.clock.advance('10s');
    const inVain = two.jobs.patient();
    await two.log.seen('onWaiting');
    await store.clock.advance('10s');
    await inVain;
    expect(runs()).toEqual([1, 0]);
    const next = two.jobs.patient();
    await two.log.seen('onWaiting', 2);
    one.jobs.work.resolve();
    await Promise.all([running, next]);
    expect(runs()).toEqual([1, 1]);
  });
});
