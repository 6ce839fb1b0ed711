import { Injectable } from '@nestjs/common';
import { describe, expect, it } from 'vitest';
import { currentLock, DistributedLock, LockBusyError, LockLostError } from '../../lib/index.js';
import { bootWith } from '../support/boot-app.js';
import { type Deferred, deferred, errorOf } from '../support/deferred.js';

@Injectable()
class Reports {
  readonly entered: string[] = [];
  inside = 0;
  most = 0;

  @DistributedLock({ key: 'report', wait: '1h' })
  async withDefaults(name: string, work: Deferred<string>): Promise<string> {
    return this.#work(name, work);
  }

  @DistributedLock({ key: 'report', ttl: '1s', wait: '10s' })
  async write(name: string, work: Deferred<string>): Promise<string> {
    return this.#work(name, work);
  }

  @DistributedLock({ key: 'report', ttl: '1s', renew: false, wait: '10s' })
  async unrenewed(name: string, work: Deferred<string>): Promise<string> {
    return this.#work(name, work);
  }

  async #work(name: string, work: Deferred<string>): Promise<string> {
    this.entered.push(name);
    this.inside += 1;
    this.most = Math.max(this.most, this.inside);
    try {
      return `${await work.promise} ${currentLock().key}`;
    } finally {
      this.inside -= 1;
    }
  }
}

describe('work that is longer than its lease', () => {
  it('13. keeps others out with the default options (peers.md 16, peers.md 18)', async () => {
    const { service, store, log } = await bootWith(Reports);
    const works = [deferred<string>(), deferred<string>(), deferred<string>()];
    const calls = works.map((work, index) => service.withDefaults(`${index}`, work));
    await log.seen('onWaiting', 2);
    for (const [index, work] of works.entries()) {
      await store.clock.advance('10m');
      expect(service.entered).toEqual(['0', '1', '2'].slice(0, index + 1));
      work.resolve(`done ${index}`);
      expect(await calls[index]).toBe(`done ${index} report`);
    }
    expect(service.most).toBe(1);
    expect(log.names).not.toContain('onLost');
  });

  it('13. keeps its result (peers.md 10)', async () => {
    const { service, store, log } = await bootWith(Reports);
    const work = deferred<string>();
    const call = service.write('long', work);
    await log.seen('onAcquired');
    await store.clock.advance('10s');
    work.resolve('done');
    expect(await call).toBe('done report');
    expect(log.of('onRenewed').length).toBeGreaterThanOrEqual(10);
  });

  it("14. once lost, does not free the next one's lock (peers.md 10)", async () => {
    const { service, store, log, locks } = await bootWith(Reports);
    const [stale, next] = [deferred<string>(), deferred<string>()];
    const staleCall = service.unrenewed('stale', stale);
    await log.seen('onAcquired');
    const nextCall = service.write('next', next);
    await store.clock.advance('1s');
    const { fencingToken } = await log.seen('onAcquired', 2);
    expect(log.of('onLost')).toMatchObject([{ key: 'report', reason: 'expired' }]);
    stale.resolve('late');
    expect(await errorOf(staleCall)).toBeInstanceOf(LockLostError);
    expect((await locks.inspect('report'))?.holders).toMatchObject([{ fencingToken }]);
    next.resolve('done');
    expect(await nextCall).toBe('done report');
  });

  it("16. one who waited in vain does not free the holder's lock (peers.md 17)", async () => {
    const { service, store, log, locks } = await bootWith(Reports);
    const work = deferred<string>();
    const call = service.write('holder', work);
    const { fencingToken } = await log.seen('onAcquired');
    const vain = errorOf(service.write('vain', deferred<string>()));
    await log.seen('onWaiting');
    await store.clock.advance('10s');
    expect(await vain).toBeInstanceOf(LockBusyError);
    expect((await locks.inspect('report'))?.holders).toMatchObject([{ fencingToken }]);
    expect((await locks.inspect('report'))?.waiters).toEqual([]);
    work.resolve('done');
    expect(await call).toBe('done report');
    expect(service.entered).toEqual(['holder']);
  });
});
