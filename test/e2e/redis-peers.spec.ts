import { setTimeout as sleep } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import { afterAll, beforeEach, describe, expect, it } from 'vitest';
import { DistributedLock, LockLostError } from '../../lib/index.js';
import type { RedisStoreOptions } from '../../lib/stores/redis/index.js';
import { errorOf } from '../support/deferred.js';
import { CommandCounts } from '../support/redis/command-counts.js';
import { openLocks } from '../support/redis/open-locks.js';
import { LockProcess } from '../support/redis/processes.js';
import { RedisServer } from '../support/redis/redis-server.js';

const server = await RedisServer.start();
const raw = server.client();
afterAll(() => server.stop());
beforeEach(() => raw.flushall());

async function open(options: RedisStoreOptions = { url: server.url }) {
  const opened = await openLocks(options, Reports);
  return { ...opened, reports: opened.app.get(Reports) };
}

@Injectable()
class Reports {
  @DistributedLock({ key: 'report', ttl: 250, wait: '10s' })
  async build(work: () => Promise<unknown>): Promise<void> {
    await work();
  }

  @DistributedLock({ key: 'report', wait: 200 })
  async outer(): Promise<number> {
    return (await this.inner()) + 1;
  }

  @DistributedLock({ key: 'report', wait: 200 })
  async inner(): Promise<number> {
    return 1;
  }
}

describe('time', () => {
  it('a lock that was waited for longer than its ttl is fresh (peers.md 1)', async () => {
    const { locks, log } = await open();
    const holder = await locks.acquire('k', { ttl: '30s' });
    const waiting = locks.acquire('k', { ttl: 900, renew: false, wait: '10s' });
    await log.seen('onWaiting');
    await sleep(1_200);
    await holder.release();
    const hold = await waiting;
    expect(hold.remaining()).toBeGreaterThan(400);
    expect(hold.signal.aborted).toBe(false);
    expect(await raw.pttl('lock:k')).toBeGreaterThan(400);
    expect(await hold.release()).toBe(true);
  });

  it('the ttl of the call is that of every renewal, and loss is told within it (peers.md 3)', async () => {
    const { locks, log } = await open();
    const hold = await locks.acquire('k', { ttl: 900 });
    for (const times of [1, 2, 3]) {
      expect((await log.seen('onRenewed', times)).ttl).toBe(900);
      const left = await raw.pttl('lock:k');
      expect(left).toBeGreaterThan(0);
      expect(left).toBeLessThanOrEqual(900);
    }
    await raw.set('lock:k', 'another', 'PX', 10_000);
    const takenAt = performance.now();
    expect((await log.seen('onLost')).reason).toBe('taken');
    expect(performance.now() - takenAt).toBeLessThan(900);
    expect(hold.signal.reason).toBeInstanceOf(LockLostError);
    expect(await hold.release()).toBe(false);
    expect(await raw.get('lock:k')).toBe('another');
  });

  it('a method that runs four times its short ttl has nobody beside it (peers.md 16)', async () => {
    const apps = await Promise.all([open(), open(), open()]);
    let inside = 0;
    let most = 0;
    const work = async () => {
      inside += 1;
      most = Math.max(most, inside);
      await sleep(1_000);
      inside -= 1;
    };
    await Promise.all(apps.map(({ reports }) => reports.build(work)));
    expect(most).toBe(1);
  });
});

describe('commands', () => {
  it('a waiter of two seconds costs a handful of commands (peers.md 9)', async () => {
    const [holder, waiter] = await Promise.all([open(), open()]);
    await holder.locks.acquire('k', { ttl: '30s' });
    const counts = await CommandCounts.during(raw, async () => {
      await errorOf(waiter.locks.acquire('k', { wait: '2s' }));
    });
    expect(waiter.log.names).toEqual(['onWaiting', 'onBusy']);
    // Asks, opens its inbox, stands in line, withdraws; while the inbox opens it may ask a few times more.
    expect(counts.scripts).toBeGreaterThanOrEqual(3);
    expect(counts.scripts).toBeLessThanOrEqual(6);
    expect(counts.of()).toBeLessThan(70); // the commands inside of scripts included
  });

  it('a hundred waiters of two seconds cost nothing while they wait (peers.md 9)', async () => {
    const [holder, waiter] = await Promise.all([open(), open()]);
    await holder.locks.acquire('k', { ttl: '30s' });
    const waiting = Array.from({ length: 100 }, () => errorOf(waiter.locks.acquire('k', { wait: '4s' })));
    await waiter.log.seen('onWaiting', 100);
    const counts = await CommandCounts.during(raw, () => sleep(2_000));
    // One look may be left from before the process could be woken.
    expect(counts.scripts).toBeLessThanOrEqual(1);
    await Promise.all(waiting);
  });

  it('who waits for a key that is kept locked after its release does not ask in a rhythm (peers.md 9)', async () => {
    const { locks, log } = await open();
    await (await locks.acquire('k', { minHold: '1500ms' })).release();
    const counts = await CommandCounts.during(raw, async () => {
      await (await locks.acquire('k', { wait: '10s' })).release();
    });
    expect(log.names).toContain('onWaiting');
    expect(counts.scripts).toBeLessThanOrEqual(8);
  });

  it.each([10, 100, 1_000])(
    'a lock with a ttl of %i ms is renewed at a bounded rate (peers.md 11)',
    async (ttl) => {
      const { locks } = await open();
      const hold = await locks.acquire('k', { ttl });
      const counts = await CommandCounts.during(raw, () => sleep(1_000));
      // Every third of the ttl, or faster where an answer is late, but never faster than every 5 ms.
      expect(counts.scripts).toBeLessThanOrEqual(Math.min(200, (3 * 1_000) / ttl + 10) * 1.5);
      await hold.release();
    },
  );
});

describe('owners', () => {
  it('a waiter that timed out frees nothing of the holder, in the same process or another (peers.md 17)', async () => {
    const [one, other] = await Promise.all([open(), open()]);
    const hold = await one.locks.acquire('k');
    const owner = await raw.get('lock:k');
    for (const { locks } of [one, other]) {
      expect(await errorOf(locks.acquire('k', { wait: 100 }))).toMatchObject({ code: 'LOCK_BUSY' });
      expect(await errorOf(locks.run('k', () => {}, { wait: 0 }))).toMatchObject({ code: 'LOCK_BUSY' });
      expect(await locks.tryAcquire('k')).toBeNull();
    }
    expect(await raw.get('lock:k')).toBe(owner);
    expect(await raw.exists('{lock:k}:queue')).toBe(0);
    expect(await hold.release()).toBe(true);
  });

  it('a nested call on the same key enters the lock, without a command (peers.md 20)', async () => {
    const { reports, locks } = await open();
    await reports.inner(); // from here on the server knows the scripts
    const counts = await CommandCounts.during(raw, async () => {
      expect(await reports.outer()).toBe(2);
    });
    expect(counts.scripts).toBe(2);
    await locks.run('k', () => locks.run('k', () => locks.run(['k', 'other'], () => {})));
  });
});

describe('a server that fails', () => {
  let mortal: RedisServer;
  beforeEach(async () => {
    mortal = await RedisServer.start();
    return () => mortal.stop();
  });

  it('killed: the process lives, the hold is lost in time, no rejection is unhandled (peers.md 7)', async () => {
    const worker = await LockProcess.start(mortal.url);
    await worker.call('acquire', 'k', { ttl: '1s' });
    const { locks, log } = await open({ url: mortal.url });
    const hold = await locks.acquire('mine', { ttl: '1s' });
    const diedAt = performance.now();
    await mortal.kill();
    expect((await log.seen('onLost')).reason).toBe('expired');
    expect(performance.now() - diedAt).toBeLessThan(1_500);
    expect(hold.signal.aborted).toBe(true);
    await worker.seen('lost: expired', 'k');
    expect(await errorOf(locks.acquire('mine', { wait: 100 }))).toMatchObject({ code: 'LOCK_UNAVAILABLE' });
    await mortal.restart();
    await expect
      .poll(() => worker.call('acquire', 'k', { wait: '1s' }), { timeout: 10_000 })
      .toBeGreaterThan(0);
    expect(worker.events.filter((event) => event.startsWith('unhandled'))).toEqual([]);
    await expect
      .poll(async () => (await locks.tryAcquire('mine').catch(() => null))?.release(), { timeout: 10_000 })
      .toBe(true);
  });

  it('hangs: the hold is lost before the key is free for another (peers.md 8)', async () => {
    const { locks, log } = await open({ url: mortal.url });
    const hold = await locks.acquire('k', { ttl: '1s' });
    await log.seen('onRenewed');
    const hungAt = performance.now();
    mortal.pause();
    expect((await log.seen('onLost')).reason).toBe('expired');
    expect(performance.now() - hungAt).toBeLessThan(1_200);
    expect(hold.signal.reason).toBeInstanceOf(LockLostError);
    expect(() => hold.assertHeld()).toThrow(LockLostError);
    expect(hold.remaining()).toBe(0);
    const busy = errorOf(locks.acquire('k', { wait: 100 }));
    expect(await busy).toMatchObject({ code: 'LOCK_UNAVAILABLE' });
    mortal.resume();
    await expect
      .poll(async () => (await locks.tryAcquire('k').catch(() => null))?.release(), { timeout: 10_000 })
      .toBe(true);
  });
});
