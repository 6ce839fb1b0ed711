import { setTimeout as sleep } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import { afterAll, beforeEach, describe, expect, it } from 'vitest';
import { currentLock, DistributedLock, LockLostError } from '../../lib/index.js';
import type { RedisStoreOptions } from '../../lib/stores/redis/index.js';
import { deferred, errorOf } from '../support/deferred.js';
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

describe('a fair queue', () => {
  it('does not stall after waiters died in it (peers.md 21)', async () => {
    const { locks, log } = await open();
    const hold = await locks.acquire('k', { ttl: '30s' });
    const dying = await LockProcess.startMany(2, server.url);
    for (const worker of dying) {
      void worker.call('acquire', 'k', { wait: '10m' });
      await worker.seen('waiting', 'k');
    }
    const waiting = locks.acquire('k', { wait: '20s' });
    await log.seen('onWaiting');
    expect(await raw.zcard('{lock:k}:queue')).toBe(3);
    await Promise.all(dying.map((worker) => worker.kill()));
    const releasedAt = performance.now();
    await hold.release();
    await using next = await waiting;
    expect(performance.now() - releasedAt).toBeLessThan(1_000);
    expect(next.signal.aborted).toBe(false);
    expect(await raw.zcard('{lock:k}:queue')).toBe(0);
  });

  it('does not stall longer than the claim after a waiter hung in it (peers.md 21)', async () => {
    const { locks, log } = await open();
    const hold = await locks.acquire('k', { ttl: '60s' });
    const worker = await LockProcess.start(server.url);
    void worker.call('acquire', 'k', { wait: '10m', ttl: '60s' });
    await worker.seen('waiting', 'k');
    const waiting = locks.acquire('k', { wait: '20s' });
    await log.seen('onWaiting');
    worker.pause();
    const releasedAt = performance.now();
    await hold.release();
    await using _next = await waiting;
    expect(performance.now() - releasedAt).toBeLessThan(5_000);
  });

  it('goes on when a holder died that was itself woken, within its ttl (peers.md 21)', async () => {
    const { locks, log } = await open();
    const hold = await locks.acquire('k', { ttl: '60s' });
    const worker = await LockProcess.start(server.url);
    void worker.call('acquire', 'k', { wait: '10m', ttl: '1s' });
    await worker.seen('waiting', 'k');
    const waiting = locks.acquire('k', { wait: '20s' });
    await log.seen('onWaiting');
    await hold.release();
    await worker.seen('acquired', 'k');
    await worker.kill();
    const diedAt = performance.now();
    await using _next = await waiting;
    expect(performance.now() - diedAt).toBeLessThan(5_000);
  });

  it('goes on when one of its own process holds without renewal, and never releases (peers.md 21)', async () => {
    const { locks, log } = await open();
    await locks.acquire('k', { ttl: 300, renew: false }); // ends by itself, so that the next is found by looking
    const second = locks.acquire('k', { ttl: 300, renew: false, wait: '10s' });
    await log.seen('onWaiting', 1);
    const third = locks.acquire('k', { wait: '10s' });
    await log.seen('onWaiting', 2);
    await second;
    const grantedAt = performance.now();
    await using _third = await third;
    expect(performance.now() - grantedAt).toBeLessThan(2_000);
  });

  it('leaves nothing behind but fences, which expire (peers.md 21)', async () => {
    const { locks } = await open();
    const uses = [{}, { mode: 'shared' }, { permits: 3 }] as const;
    await Promise.all(
      Array.from({ length: 60 }, (_, index) =>
        locks.run(`k:${index % 9}`, () => sleep(1), uses[(index % 9) % 3]),
      ),
    );
    const left = await raw.keys('*');
    expect(left.sort()).toEqual(Array.from({ length: 9 }, (_, index) => `{lock:k:${index}}:fence`));
    for (const name of left) {
      const seconds = await raw.ttl(name);
      expect(seconds).toBeGreaterThan(86_000);
      expect(seconds).toBeLessThanOrEqual(86_400);
    }
  });

  it('tokens rise although their fence expired, was lost, or is ahead of the clock (peers.md 21)', async () => {
    const { locks } = await open();
    const take = async () => {
      await using hold = await locks.acquire('k');
      return hold.fencingToken;
    };
    const tokens = [await take(), await take()];
    await raw.del('{lock:k}:fence');
    tokens.push(await take());
    await raw.flushall();
    tokens.push(await take());
    const ahead = (tokens.at(-1) as number) + 3_600_000_000;
    await raw.set('{lock:k}:fence', String(ahead), 'PX', 86_400_000);
    tokens.push(await take(), await take());
    expect(tokens).toEqual([...new Set(tokens)].sort((a, b) => a - b));
    expect(tokens.slice(-2)).toEqual([ahead + 1, ahead + 2]);
    expect(Number.isSafeInteger(tokens.at(-1))).toBe(true);
  });

  it('a holder is told of its loss by a callback and a signal (peers.md 21)', async () => {
    const { locks, log } = await open();
    const entered = deferred();
    const told = deferred<unknown>();
    const running = errorOf(
      locks.run(
        'k',
        async () => {
          const hold = currentLock();
          hold.signal.addEventListener('abort', () => told.resolve(hold.signal.reason));
          entered.resolve();
          await told.promise;
        },
        { ttl: 600 },
      ),
    );
    await entered.promise;
    expect(await locks.forceRelease('k')).toBe(true);
    expect(await told.promise).toBeInstanceOf(LockLostError);
    expect(await log.seen('onLost')).toMatchObject({ key: 'k', reason: 'taken' });
    expect(await running).toMatchObject({ code: 'LOCK_LOST' });
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
