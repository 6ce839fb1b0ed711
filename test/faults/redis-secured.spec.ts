import { describe, expect, it, onTestFinished } from 'vitest';
import { locksOn, nothingLeftIn, type RedisLocks } from '../support/redis/locks.js';
import { startTls, startWithUsers } from '../support/redis/secured.js';

/** Everything a lock needs; docs/stores.md names these rights. */
const LEAST = [
  'resetchannels resetkeys -@all',
  '~lock:* ~{lock:*',
  '&lock:inbox:*',
  '+evalsha +eval +publish +subscribe',
  '+get +set +del +exists +pttl +pexpire +time',
  '+zadd +zrem +zrange +zrevrange +zrangebyscore +zscore +zcard',
].join(' ');
/** What ioredis asks for when it connects; without them it prints a warning, or nothing. */
const CONNECTING = '+info +ping';

async function everything({ locks, store, log }: RedisLocks): Promise<void> {
  const held = await locks.acquire('k', { ttl: 300 });
  const waiting = locks.acquire('k', { ttl: 300 });
  await log.seen('onWaiting');
  await log.seen('onRenewed');
  expect((await locks.inspect('k'))?.holders).toHaveLength(1);
  expect(await held.release()).toBe(true);
  await (await waiting).release();
  for (const options of [{ mode: 'shared' }, { permits: 2 }] as const) {
    const both = await Promise.all([1, 2].map(() => locks.acquire('many', { ...options, ttl: 300 })));
    await log.seen('onRenewed', log.of('onRenewed').length + 2);
    await Promise.all(both.map((hold) => hold.release()));
  }
  await (await locks.acquire('kept', { minHold: 50 })).release();
  await locks.acquire('forced');
  expect(await locks.forceRelease('forced')).toBe(true);
  await store.ping();
}

describe('a Redis that', () => {
  it('speaks TLS', async () => {
    const server = await startTls();
    onTestFinished(() => server.stop());
    const redis = locksOn({ options: { ...server.connection } });
    await everything(redis);
    await nothingLeftIn(server);
  });

  it('gives no more rights than needed', async () => {
    const secured = await startWithUsers({ least: `${LEAST} ${CONNECTING}` });
    onTestFinished(() => secured.stop());
    const redis = locksOn({ url: secured.urlFor('least') });
    await everything(redis);
    expect(redis.warnings).toEqual([]);
    expect(redis.log.of('onError')).toEqual([]);
    await nothingLeftIn(secured.server);
  });

  it('gives the right to list and to count replicas too', async () => {
    const secured = await startWithUsers({ more: `${LEAST} ${CONNECTING} +scan +wait` });
    onTestFinished(() => secured.stop());
    const { locks } = locksOn({ url: secured.urlFor('more') });
    const held = await locks.acquire('k');
    const listed: string[] = [];
    for await (const { key } of locks.list()) listed.push(key);
    expect(listed).toEqual(['k']);
    await held.release();
  });
});
