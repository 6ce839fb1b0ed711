import { Redis } from 'ioredis';
import { Redis as Redis5 } from 'ioredis-5';
import { Mutex } from 'redis-semaphore';
import { afterAll, beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import type { RedisStoreSettings } from '../../lib/stores/redis/index.js';
import { openLocks } from '../support/redis/open-locks.js';
import { RedisServer } from '../support/redis/redis-server.js';
import { type Peer, redlock4, redlock5 } from '../support/redis/redlock-package.js';

const server = await RedisServer.start();
const raw = server.client();
const clients = { five: new Redis5(server.url), six: new Redis(server.url) };
afterAll(async () => {
  for (const client of Object.values(clients)) client.disconnect();
  await server.stop();
});

function redisSemaphore(): Peer {
  const mutex = (key: string, lockTimeout: number, options: object) =>
    // It would renew by itself; here its lease is to end.
    new Mutex(clients.six, key, { lockTimeout, refreshInterval: 0, retryInterval: 10, ...options });
  return {
    name: "redis-semaphore's Mutex",
    keyPrefix: 'mutex:',
    async tryAcquire(key, ttl) {
      const attempt = mutex(key, ttl, { acquireAttemptsLimit: 1 });
      return (await attempt.tryAcquire()) ? attempt : undefined;
    },
    async acquire(key, ttl) {
      const waiting = mutex(key, ttl, { acquireTimeout: 20_000 });
      await waiting.acquire();
      return waiting;
    },
  };
}

function open(settings: RedisStoreSettings) {
  return openLocks({ url: server.url, ...settings });
}

const PEERS = [redlock5([clients.five]), redlock4([clients.five]), redisSemaphore()];

describe.each(PEERS)('beside $name', (peer) => {
  const { keyPrefix } = peer;
  beforeEach(() => raw.flushall());

  it('names the same key in Redis', async () => {
    const { locks } = await open({ keyPrefix });
    const theirs = await peer.acquire('order:1', 10_000);
    expect(await raw.keys('*')).toEqual([`${keyPrefix}order:1`]);
    await theirs.release();
    await using _ours = await locks.acquire('order:1');
    expect(await raw.keys(`${keyPrefix}*`)).toEqual([`${keyPrefix}order:1`]);
  });

  it('what they hold is busy, until they release', async () => {
    const { locks } = await open({ keyPrefix });
    const theirs = await peer.acquire('order:1', 10_000);
    expect(await locks.tryAcquire('order:1')).toBeNull();
    expect(await locks.tryAcquire('order:1', { mode: 'shared' })).toBeNull();
    await theirs.release();
    const ours = await locks.tryAcquire('order:1');
    expect(await ours?.release()).toBe(true);
  });

  it('what we hold is busy for them, until we release', async () => {
    const { locks } = await open({ keyPrefix });
    const ours = await locks.acquire('order:1');
    expect(await peer.tryAcquire('order:1', 1_000)).toBeUndefined();
    expect(await ours.release()).toBe(true);
    const theirs = await peer.tryAcquire('order:1', 1_000);
    expect(theirs).toBeDefined();
    await theirs?.release();
  });

  it('what we hold with others is busy for them, until the last of us releases', async () => {
    const { locks } = await open({ keyPrefix });
    for (const options of [{ mode: 'shared' }, { permits: 2 }] as const) {
      const [first, second] = [
        await locks.acquire('order:1', options),
        await locks.acquire('order:1', options),
      ];
      expect(await peer.tryAcquire('order:1', 1_000)).toBeUndefined();
      await first.release();
      expect(await peer.tryAcquire('order:1', 1_000)).toBeUndefined();
      await second.release();
      await (await peer.acquire('order:1', 1_000)).release();
    }
  });

  it('we move on when they release', async () => {
    const { locks, log } = await open({ keyPrefix });
    const theirs = await peer.acquire('order:1', 20_000);
    const waiting = locks.acquire('order:1', { wait: '15s' });
    await log.seen('onWaiting');
    const releasedAt = performance.now();
    await theirs.release();
    await using ours = await waiting;
    expect(performance.now() - releasedAt).toBeLessThan(2_000);
    expect(await peer.tryAcquire('order:1', 1_000)).toBeUndefined();
    ours.assertHeld();
  });

  it('we move on when their lease expires, and not before', async () => {
    const { locks } = await open({ keyPrefix });
    const startedAt = performance.now();
    await peer.acquire('order:1', 700);
    await using ours = await locks.acquire('order:1', { wait: '15s' });
    const waited = performance.now() - startedAt;
    expect(waited).toBeGreaterThan(690);
    expect(waited).toBeLessThan(5_000);
    ours.assertHeld();
  });

  it('they move on when we release', async () => {
    const { locks } = await open({ keyPrefix });
    const ours = await locks.acquire('order:1');
    let granted = false;
    const waiting = peer.acquire('order:1', 1_000).then((held) => {
      granted = true;
      return held;
    });
    await refusals(peer, 3);
    expect(granted).toBe(false);
    await ours.release();
    await (await waiting).release();
  });

  it('they move on when our lease expires', async () => {
    const { locks, log } = await open({ keyPrefix });
    await locks.acquire('order:1', { ttl: 300, renew: false });
    const theirs = await peer.acquire('order:1', 1_000);
    // They have it: then we must have told our own code that it has not.
    expect((await log.seen('onLost')).reason).toBe('expired');
    await theirs.release();
  });

  it('those of us who wait stay in line while they come in between', async () => {
    const { locks, log } = await open({ keyPrefix });
    const theirs = await peer.acquire('order:1', 20_000);
    const order: string[] = [];
    const pass = (name: string) => locks.run('order:1', () => order.push(name), { wait: '15s' });
    const passing = [pass('first')];
    await log.seen('onWaiting', 1);
    passing.push(pass('second'));
    await log.seen('onWaiting', 2);
    await theirs.release();
    await Promise.all(passing);
    expect(order).toEqual(['first', 'second']);
    expect(await raw.exists(`${keyPrefix}order:1`, `{${keyPrefix}order:1}:queue`)).toBe(0);
  });

  it('a release that comes too late frees nothing of the other', async () => {
    const { locks } = await open({ keyPrefix });
    const theirs = await peer.acquire('order:1', 200);
    const ours = await locks.acquire('order:1', { ttl: 300, renew: false, wait: '10s' });
    await theirs.release().catch(() => {}); // some call it an error
    ours.assertHeld();
    expect(await raw.get(`${keyPrefix}order:1`)).not.toBeNull();
    const again = await peer.acquire('order:1', 10_000);
    expect(await ours.release()).toBe(false);
    expect(await locks.tryAcquire('order:1')).toBeNull();
    await again.release();
  });

  it('inspection and forced release know what they hold', async () => {
    const { locks } = await open({ keyPrefix });
    await (await locks.acquire('order:1')).release(); // leaves a fencing token that is not theirs
    await peer.acquire('order:1', 10_000);
    const value = await raw.get(`${keyPrefix}order:1`);
    const state = await locks.inspect('order:1');
    expect(state).toMatchObject({ key: 'order:1', permits: 1, waiters: [] });
    expect(state?.holders).toEqual([
      {
        id: value,
        mode: 'exclusive',
        fencingToken: undefined,
        heldFor: undefined,
        expiresIn: expect.any(Number),
      },
    ]);
    expect(await locks.forceRelease('order:1')).toBe(true);
    expect(await raw.exists(`${keyPrefix}order:1`)).toBe(0);
  });
});

/** Resolves when they were refused so often, and so have asked while they wait. */
async function refusals(peer: Peer, count: number): Promise<void> {
  for (let index = 0; index < count; index += 1) {
    const held = await peer.tryAcquire('order:1', 1_000);
    onTestFinished(() => void held?.release());
    expect(held).toBeUndefined();
  }
}
