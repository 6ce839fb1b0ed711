import { Redis } from 'ioredis';
import { afterAll, beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import type { LockService, LockState } from '../../lib/index.js';
import { openLocks } from '../support/redis/open-locks.js';
import { RedisServer } from '../support/redis/redis-server.js';

const server = await RedisServer.start();
const raw = server.client();
afterAll(() => server.stop());
beforeEach(() => raw.flushall());

async function listed(locks: LockService, prefix?: string): Promise<readonly string[]> {
  const found: string[] = [];
  for await (const { key } of locks.list(prefix)) found.push(key);
  return found.sort();
}

function ids(state: LockState | null, who: 'holders' | 'waiters'): readonly string[] | undefined {
  return state?.[who].map(({ id }) => id);
}

describe('inspect', () => {
  it('tells of a free key nothing, also when it has a fence', async () => {
    const { locks } = await openLocks({ url: server.url });
    expect(await locks.inspect('k')).toBeNull();
    await (await locks.acquire('k')).release();
    expect(await raw.exists('{lock:k}:fence')).toBe(1);
    expect(await locks.inspect('k')).toBeNull();
  });

  it('tells holder, token, time left and time held as Redis has them', async () => {
    const { locks } = await openLocks({ url: server.url });
    const startedAt = performance.now();
    const hold = await locks.acquire('k', { ttl: '20s' });
    await expect.poll(async () => (await locks.inspect('k'))?.holders[0]?.heldFor).toBeGreaterThan(50);
    const state = await locks.inspect('k');
    const [holder, ...others] = state?.holders ?? [];
    expect(others).toEqual([]);
    expect(state).toMatchObject({ key: 'k', permits: 1, waiters: [] });
    expect(holder).toMatchObject({ mode: 'exclusive', fencingToken: hold.fencingToken });
    expect(holder?.id).toBe(await raw.get('lock:k'));
    expect(String(holder?.fencingToken)).toBe(await raw.get('{lock:k}:fence'));
    expect(holder?.expiresIn).toBeGreaterThan(10_000);
    expect(holder?.expiresIn).toBeLessThanOrEqual(20_000);
    expect(holder?.heldFor).toBeLessThanOrEqual(performance.now() - startedAt + 5);
  });

  it('tells readers and the holders of permits, each with its token', async () => {
    const { locks } = await openLocks({ url: server.url });
    for (const [key, options] of [
      ['read', { mode: 'shared' }],
      ['pool', { permits: 3 }],
    ] as const) {
      const holds = [await locks.acquire(key, options), await locks.acquire(key, options)];
      const state = await locks.inspect(key);
      expect(state?.permits).toBe(key === 'pool' ? 3 : 1);
      expect(state?.holders.map(({ fencingToken }) => fencingToken)).toEqual(
        holds.map(({ fencingToken }) => fencingToken),
      );
      expect(new Set(state?.holders.map(({ mode }) => mode))).toEqual(
        new Set([key === 'pool' ? 'exclusive' : 'shared']),
      );
      expect(ids(state, 'holders')).toEqual(await raw.zrange(`{lock:${key}}:holders`, '0', '-1'));
      for (const { expiresIn, heldFor } of state?.holders ?? []) {
        expect(expiresIn).toBeGreaterThan(20_000);
        expect(expiresIn).toBeLessThanOrEqual(30_000);
        expect(heldFor).toBeLessThan(10_000);
      }
    }
  });

  it('tells who waits, in the order in which they will be served, over processes', async () => {
    const apps = await Promise.all([1, 2, 3].map(() => openLocks({ url: server.url })));
    const [first, second, third] = apps as [(typeof apps)[0], (typeof apps)[0], (typeof apps)[0]];
    const hold = await first.locks.acquire('k');
    const grants: Promise<string | undefined>[] = [];
    for (const [{ locks, log }, mode] of [
      [second, 'exclusive'],
      [third, 'shared'],
    ] as const) {
      grants.push(
        locks.acquire('k', { mode, wait: '20s' }).then(async (granted) => {
          const holders = ids(await locks.inspect('k'), 'holders');
          await granted.release();
          return holders?.[0];
        }),
      );
      await log.seen('onWaiting');
    }
    const state = await first.locks.inspect('k');
    expect(state?.waiters.map(({ mode }) => mode)).toEqual(['exclusive', 'shared']);
    expect(await second.locks.inspect('k')).toMatchObject({ waiters: state?.waiters });
    await hold.release();
    expect(await Promise.all(grants)).toEqual(ids(state, 'waiters'));
    expect(await first.locks.inspect('k')).toBeNull();
  });

  it('tells of a key that is only kept locked that nobody has it by a token', async () => {
    const { locks } = await openLocks({ url: server.url });
    await (await locks.acquire('k', { minHold: '10s' })).release();
    const [kept, ...others] = (await locks.inspect('k'))?.holders ?? [];
    expect(others).toEqual([]);
    expect(kept).toMatchObject({ fencingToken: undefined, heldFor: undefined });
    expect(kept?.expiresIn).toBeGreaterThan(5_000);
  });
});

describe('list', () => {
  it('lists what is held, and only that', async () => {
    const { locks, log } = await openLocks({ url: server.url });
    expect(await listed(locks)).toEqual([]);
    await locks.acquire('exclusive');
    await locks.acquire('shared', { mode: 'shared' });
    await locks.acquire('permits', { permits: 2 });
    await (await locks.acquire('free')).release();
    void locks.acquire('exclusive', { wait: '20s' }).catch(() => {});
    await log.seen('onWaiting');
    await raw.set('other:key', '1');
    await raw.rpush('lock:list', '1'); // of another type: no lock
    expect(await listed(locks)).toEqual(['exclusive', 'permits', 'shared']);
  });

  it('takes a prefix for what it is, with every character that SCAN would understand', async () => {
    const { locks } = await openLocks({ url: server.url });
    const keys = ['a*b', 'aXb', 'a?c', 'aYc', 'a[d]e', 'ade', 'a\\f', 'a^g', 'a-h', '{tag}:i', 'ключ'];
    for (const key of keys) await locks.acquire(key);
    expect(await listed(locks, 'a*')).toEqual(['a*b']);
    expect(await listed(locks, 'a?')).toEqual(['a?c']);
    expect(await listed(locks, 'a[d]')).toEqual(['a[d]e']);
    expect(await listed(locks, 'a[')).toEqual(['a[d]e']);
    expect(await listed(locks, 'a\\')).toEqual(['a\\f']);
    expect(await listed(locks, 'a^')).toEqual(['a^g']);
    expect(await listed(locks, '{tag}')).toEqual(['{tag}:i']);
    expect(await listed(locks, 'кл')).toEqual(['ключ']);
    expect(await listed(locks, '')).toEqual([...keys].sort());
    expect(await listed(locks, 'none')).toEqual([]);
  });

  it('lists a key with a hash tag once, without what lies beside it', async () => {
    const { locks, log } = await openLocks({ url: server.url });
    await locks.acquire('{user:7}:cart');
    await locks.acquire('{user:7}:list', { mode: 'shared' });
    void locks.acquire('{user:7}:cart', { wait: '20s' }).catch(() => {});
    await log.seen('onWaiting');
    expect((await raw.keys('lock:{user:7}:cart*')).sort()).toEqual([
      'lock:{user:7}:cart',
      'lock:{user:7}:cart:fence',
      'lock:{user:7}:cart:queue',
    ]);
    expect(await listed(locks)).toEqual(['{user:7}:cart', '{user:7}:list']);
  });

  it('finds more than one page', async () => {
    const { locks } = await openLocks({ url: server.url });
    const keys = Array.from({ length: 2_500 }, (_, index) => `k:${String(index).padStart(4, '0')}`);
    await Promise.all(keys.map((key) => locks.acquire(key)));
    expect([...new Set(await listed(locks, 'k:'))]).toEqual(keys);
    expect(await listed(locks, 'k:00')).toHaveLength(100);
  });

  it('can be left in the middle', async () => {
    const { locks } = await openLocks({ url: server.url });
    await Promise.all(['a', 'b', 'c'].map((key) => locks.acquire(key)));
    for await (const _state of locks.list()) break;
    expect(await listed(locks)).toEqual(['a', 'b', 'c']);
  });
});

describe('forceRelease', () => {
  it.each([{}, { mode: 'shared' }, { permits: 2 }] as const)(
    'frees a key from its holders: %j',
    async (options) => {
      const { locks, log } = await openLocks({ url: server.url });
      const hold = await locks.acquire('k', { ...options, ttl: 900 });
      expect(await locks.forceRelease('k')).toBe(true);
      expect(await locks.forceRelease('k')).toBe(false);
      expect(await locks.inspect('k')).toBeNull();
      expect((await raw.keys('*')).sort()).toEqual(['{lock:k}:fence']);
      expect(await log.seen('onLost')).toMatchObject({ key: 'k', reason: 'taken' });
      expect(await hold.release()).toBe(false);
    },
  );

  it('hands the key to whoever is next', async () => {
    const { locks, log } = await openLocks({ url: server.url });
    await locks.acquire('k');
    const waiting = locks.acquire('k', { wait: '20s' });
    await log.seen('onWaiting');
    const next = (await locks.inspect('k'))?.waiters[0]?.id;
    expect(await locks.forceRelease('k')).toBe(true);
    await using _hold = await waiting;
    expect(await raw.get('lock:k')).toBe(next);
  });

  it('frees a key that is kept locked after its release', async () => {
    const { locks } = await openLocks({ url: server.url });
    await (await locks.acquire('k', { minHold: '1h' })).release();
    expect(await locks.tryAcquire('k')).toBeNull();
    expect(await locks.forceRelease('k')).toBe(true);
    expect(await (await locks.tryAcquire('k'))?.release()).toBe(true);
  });
});

describe('a client with a prefix of its own', () => {
  it.each(['app:', '{app}:', 'a*[p]?'])(
    '%s is part of every name in Redis, and of no key here',
    async (keyPrefix) => {
      const client = new Redis({ port: server.port, keyPrefix });
      onTestFinished(() => client.disconnect());
      const { locks, log } = await openLocks({ client });
      const other = await openLocks({ url: server.url });
      const hold = await locks.acquire('order:1');
      expect(await raw.get(`${keyPrefix}lock:order:1`)).toBe(
        ids(await locks.inspect('order:1'), 'holders')?.[0],
      );
      expect((await raw.keys('*')).every((name) => name.startsWith(keyPrefix))).toBe(true);
      // Another client, without the prefix, is in another world.
      await using _theirs = await other.locks.acquire('order:1', { wait: 0 });
      expect(await listed(locks, 'order')).toEqual(['order:1']);
      expect(await listed(other.locks)).toEqual(['order:1']);
      const waiting = locks.acquire('order:1', { wait: '20s' });
      await log.seen('onWaiting');
      expect((await locks.inspect('order:1'))?.waiters).toHaveLength(1);
      await hold.release();
      await waiting;
      expect(await locks.forceRelease('order:1')).toBe(true);
      expect(client.options.keyPrefix).toBe(keyPrefix);
    },
  );
});
