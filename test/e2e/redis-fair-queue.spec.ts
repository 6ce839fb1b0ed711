import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeEach, describe, expect, it } from 'vitest';
import { currentLock, LockLostError } from '../../lib/index.js';
import { deferred, errorOf } from '../support/deferred.js';
import { openLocks } from '../support/redis/open-locks.js';
import { LockProcess } from '../support/redis/processes.js';
import { RedisServer } from '../support/redis/redis-server.js';

const server = await RedisServer.start();
const raw = server.client();
afterAll(() => server.stop());
beforeEach(() => raw.flushall());

const open = () => openLocks({ url: server.url });

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
